"""Rules that a renderer could never tell, found before it has failed at dialogue after dialogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memorycode.dialogue import Instruction, Speakers
from memorycode.generation.pool import SeedPool
from memorycode.generation.seed_faults import SeedFault
from memorycode.generation.seeds import InstructionSeed, RulePhrases
from memorycode.generation.session_check import SessionCheck
from memorycode.generation.style import Difficulty, lines_at
from memorycode.generation.template import PlannedInstruction, PlannedSession
from memorycode.generation.wording import Wording, wording
from memorycode.transcripts import joined, labelled


def unreachable_rules(
    pool: SeedPool, difficulty: Difficulty, check: SessionCheck
) -> Iterator[SeedFault]:
    """A fault for each version of which `check` finds none of the lines that tell it again.

    A single line that is not found does no harm: a session with it is rendered once more.
    """
    speakers = _speakers(pool)
    for place, seed in enumerate(pool.instructions):
        for version in range(len(seed.versions)):
            planned = _planned(seed, version)
            words = wording(seed, version, pool.phrases)
            for act, lines in _ways(seed, words.phrases, difficulty):
                said = _said(words, lines, speakers, _old(pool, seed, version))
                if not any(check(text, planned, speakers).is_clean for text in said):
                    key = f"instruction[{place}].versions[{version}]"
                    yield SeedFault("instructions", key, _problem(seed, version, words.key, act))


def _ways(
    seed: InstructionSeed, lines: RulePhrases, difficulty: Difficulty
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lists of lines of which one is certain to be used."""
    yield lines_at(lines, difficulty)
    if difficulty == "explicit" and len(seed.versions) > 1 and lines.change:
        yield "change", lines.change


def _old(pool: SeedPool, seed: InstructionSeed, version: int) -> str:
    """How another version is named, where there is one."""
    return wording(seed, version - 1, pool.phrases).word


def _said(words: Wording, lines: Iterable[str], speakers: Speakers, old: str) -> Iterator[str]:
    variables = words.variables | {
        "mentor": speakers.mentor,
        "mentee": speakers.mentee,
        "company": speakers.company,
        "old": old,
    }
    for line in lines:
        told = line.format_map(variables)
        yield joined((labelled(speakers.mentor, told), labelled(speakers.mentee, "All right.")))


def _speakers(pool: SeedPool) -> Speakers:
    mentor, mentee = pool.people.names[:2]
    return Speakers(mentor=mentor, mentee=mentee, company=pool.people.companies[0])


def _planned(seed: InstructionSeed, version: int) -> PlannedSession:
    instruction = Instruction(
        family=seed.number,
        version=version,
        rule=seed.rule(version),
        text="",
        eval_query=seed.queries[0],
    )
    return PlannedSession(
        length="short", instructions=(PlannedInstruction(instruction=instruction),)
    )


def _problem(seed: InstructionSeed, version: int, key: str, act: str) -> str:
    told = seed.versions[version].value
    rule = f"{seed.object} {seed.kind}" + (f" {told!r}" if told else "")
    return (
        f"no line of {act} in [rule.{key}] of phrases.toml tells {rule} so that it is found "
        "again; every dialogue with it would be left out"
    )
