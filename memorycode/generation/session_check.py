"""Whether a rendered session tells what its plan says, and no other rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from memorycode.dialogue import Speakers
from memorycode.frozen import Frozen
from memorycode.generation.pool import SeedPool
from memorycode.generation.seeds import RulePhrases
from memorycode.generation.template import PlannedInstruction, PlannedSession
from memorycode.generation.wording import object_noun, plural, wording
from memorycode.rules import Rule
from memorycode.scoring.detection import detect
from memorycode.transcripts import label_of


class Findings(Frozen):
    """What is wrong with a session: rules that it should tell and does not, rules that it tells
    and should not, and, where it is no conversation of the two, how."""

    missing: tuple[Rule, ...] = ()
    extra: tuple[Rule, ...] = ()
    problem: str = ""

    @property
    def is_clean(self) -> bool:
        return not (self.missing or self.extra or self.problem)


class SessionCheck(Protocol):
    """Holds a transcript against its plan."""

    def __call__(self, text: str, planned: PlannedSession, speakers: Speakers) -> Findings: ...


def states_its_rules(text: str, planned: PlannedSession, speakers: Speakers) -> Findings:
    """Every rule is stated so that rules of language find it, object and check; no other is."""
    if problem := _label_problem(text, speakers):
        return Findings(problem=problem)
    gold = [plan.instruction.rule for plan in planned.instructions]
    detected = [found.rule for found in detect(text, speakers.mentor, speakers.mentee)]
    return Findings(
        missing=tuple(rule for rule in gold if rule not in detected),
        extra=tuple(rule for rule in detected if rule not in gold),
    )


class ToldInPoolsWords:
    """As `states_its_rules`, but a rule also counts as told where a line for it of the pool is
    said: what is paraphrased or left to be inferred, rules of language cannot find."""

    def __init__(self, pool: SeedPool) -> None:
        self._phrases = pool.phrases
        self._seeds = {seed.number: seed for seed in pool.instructions}
        self._nouns = tuple({plural(object_noun(s.rule(0))) for s in pool.instructions})

    def __call__(self, text: str, planned: PlannedSession, speakers: Speakers) -> Findings:
        found = states_its_rules(text, planned, speakers)
        if not found.missing:
            return found
        told = {
            plan.instruction.rule
            for plan in planned.instructions
            if any(line in text for line in self._lines(plan))
        }
        missing = tuple(rule for rule in found.missing if rule not in told)
        return found.model_copy(update={"missing": missing})

    def _lines(self, plan: PlannedInstruction) -> Iterator[str]:
        """The lines that tell a rule without naming another version."""
        seed = self._seeds[plan.instruction.family]
        words = wording(seed, plan.instruction.version, self._phrases)
        lines: RulePhrases = words.phrases
        for line in (*lines.paraphrase, *lines.hint):
            yield line.format_map(words.variables)
        for line in lines.same:
            for others in self._nouns:
                yield line.format_map(words.variables | {"others": others})


def _label_problem(text: str, speakers: Speakers) -> str:
    """Why a text is no conversation of the two; empty if it is one."""
    heard = set()
    both = (speakers.mentor, speakers.mentee)
    for number, paragraph in enumerate(text.split("\n\n"), 1):
        label = label_of(paragraph, both)
        if label is None or not paragraph[label.end :].strip():
            return f"paragraph {number} has no speaker"
        if not label.known:
            return f"paragraph {number} is spoken by {label.name!r}"
        heard.add(label.name)
    silent = set(both) - heard
    return f"{sorted(silent)[0]} says nothing" if silent else ""
