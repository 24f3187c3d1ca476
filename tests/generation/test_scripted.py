"""The scripted renderer: form of the transcripts, and that they tell exactly their gold rules."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from statistics import median

import pytest

from memorycode.dialogue import Dialogue, Session
from memorycode.generation.generate import generate_dialogues
from memorycode.generation.pool import SeedPool
from memorycode.generation.scripted import ScriptedRenderer
from memorycode.generation.session_check import Findings, ToldInPoolsWords, states_its_rules
from memorycode.generation.settings import GenerationSettings, preset
from memorycode.generation.style import DIFFICULTIES, Difficulty, Style
from memorycode.generation.template import PlannedInstruction, PlannedSession
from memorycode.generation.wording import wording
from memorycode.scoring.detection import detect

LABEL = re.compile(r"([^\n:]+): \S")
MANY = preset("demo").model_copy(update={"n_dialogues": 100})


@pytest.fixture(scope="module")
def pool() -> SeedPool:
    return SeedPool.load()


@pytest.fixture(scope="module")
def dialogues(pool: SeedPool) -> list[Dialogue]:
    """Unchecked: a check would hide what the renderer gets wrong."""
    return rendered(pool, MANY, Style())


def rendered(pool: SeedPool, settings: GenerationSettings, style: Style) -> list[Dialogue]:
    renderer = ScriptedRenderer(pool, style)
    return list(generate_dialogues(settings, seed=11, pool=pool, renderer=renderer))


def labels(session: Session) -> list[str]:
    """Who speaks in each paragraph."""
    matches = [LABEL.match(paragraph) for paragraph in session.text.split("\n\n")]
    assert all(matches), session.text
    return [match[1] for match in matches if match]


def test_turns_are_labelled_and_alternate(dialogues: list[Dialogue]) -> None:
    for dialogue in dialogues:
        for session in dialogue.sessions:
            speakers = labels(session)
            assert set(speakers) == {dialogue.context.mentor, dialogue.context.mentee}
            assert all(a != b for a, b in pairwise(speakers))


def test_no_variable_is_left_over(dialogues: list[Dialogue]) -> None:
    texts = [session.text for dialogue in dialogues for session in dialogue.sessions]
    assert not any("{" in text or "}" in text or "  " in text for text in texts)


def test_sentences_begin_with_a_capital(dialogues: list[Dialogue]) -> None:
    """A word of a list may be put where a sentence begins."""
    small = re.compile(r"(?:^[^:\n]+: |[.?!] )([a-z]\w* \w+)", re.MULTILINE)
    texts = [session.text for dialogue in dialogues for session in dialogue.sessions]
    assert {found for text in texts for found in small.findall(text)} == set()


def test_topics_that_are_no_more_than_a_title_are_talked_about(pool: SeedPool) -> None:
    bare = tuple(seed.model_copy(update={"talk": (), "again": ()}) for seed in pool.fillers)
    titles = {seed.number: seed.about for seed in bare}
    settings = GenerationSettings(n_dialogues=4, n_sessions=(12,), filler_instruction_rate=0)
    alone = pool.model_copy(update={"fillers": bare})
    for dialogue in rendered(alone, settings, Style()):
        for session in dialogue.sessions:
            assert session.filler < 0 or titles[session.filler] in session.text


def test_sessions_are_as_long_as_the_releases(dialogues: list[Dialogue]) -> None:
    words: dict[str, list[int]] = {"short": [], "medium": [], "long": []}
    for dialogue in dialogues:
        for session in dialogue.sessions:
            words[session.length].append(len(session.text.split()))
    medians = {length: median(counts) for length, counts in words.items()}
    released = {"short": 290, "medium": 370, "long": 510}
    assert medians == pytest.approx(released, rel=0.1)


def test_long_dialogues_hardly_repeat_themselves(pool: SeedPool) -> None:
    (dialogue,) = rendered(pool, GenerationSettings(n_dialogues=1, n_sessions=(30,)), Style())
    said = Counter(
        turn
        for session in dialogue.sessions
        for turn in session.text.split("\n\n")
        if len(turn.split()) > 12
    )
    assert said.total() > 200
    assert sum(count - 1 for count in said.values()) < 0.04 * said.total()


def test_no_conversation_about_work_comes_twice_before_all_were_had(pool: SeedPool) -> None:
    openings = [talk[0][1].split("{")[0] for talk in pool.phrases.work_talk]
    (dialogue,) = rendered(pool, GenerationSettings(n_dialogues=1, n_sessions=(60,)), Style())
    text = "\n".join(session.text for session in dialogue.sessions)
    assert max(text.count(opening) for opening in openings if len(opening) > 25) == 1


UPDATES = GenerationSettings(
    n_dialogues=20, n_sessions=(10,), update_rate=0.7, versioned_rate=1, clashes="allowed"
)
CASES = {"upper": "UPPERCASE", "camel": "CamelCase", "snake": "snake_case"}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_a_change_names_what_it_replaces(pool: SeedPool, difficulty: Difficulty) -> None:
    told = 0
    for dialogue in rendered(pool, UPDATES, Style(difficulty=difficulty)):
        current: dict[int, str] = {}
        for session in dialogue.sessions:
            for instruction in session.instructions:
                old = current.get(instruction.family)
                if old:
                    told += 1
                    assert old in session.text
                value = instruction.rule.constraint.value
                current[instruction.family] = CASES.get(value, f"'{value}'")
    assert told > 50


def test_changes_point_back_at_the_chosen_share(pool: SeedPool) -> None:
    def share(rate: float) -> float:
        found = [
            any(when in session.text for lines in pool.phrases.when.values() for when in lines)
            for dialogue in rendered(pool, UPDATES, Style(reference_rate=rate))
            for session in dialogue.sessions
            if "instruction-update" in session.types
        ]
        return sum(found) / len(found)

    assert share(0) == 0
    assert 0.3 < share(0.5) < 0.8
    assert share(1) == 1


def test_corrections_leave_the_right_version(pool: SeedPool) -> None:
    style = Style(correction_rate=1)
    slips = 0
    for dialogue in rendered(pool, UPDATES, style):
        for session in dialogue.sessions:
            slips += any(line in session.text for line in pool.phrases.slip)
            found = states_its_rules(session.text, planned(session), dialogue.context.speakers)
            assert found == Findings(), session.text
    assert slips > 10


def planned(session: Session) -> PlannedSession:
    """What the check needs of a session's plan."""
    told = tuple(PlannedInstruction(instruction=i) for i in session.instructions)
    return PlannedSession(length="short", instructions=told)


def test_the_mentee_often_repeats_the_rule_but_not_always(dialogues: list[Dialogue]) -> None:
    repeated = total = 0
    for dialogue in dialogues:
        mentee = f"{dialogue.context.mentee}: "
        for session in dialogue.sessions:
            said = [t for t in session.text.split("\n\n") if t.startswith(mentee)]
            for instruction in session.instructions:
                constraint = instruction.rule.constraint
                if constraint.kind in ("prefix", "suffix", "contains"):
                    total += 1
                    repeated += any(f"'{constraint.value}'" in turn for turn in said)
    assert 0.4 < repeated / total < 0.8


@pytest.mark.parametrize("family", range(51))
def test_every_family_can_be_told(pool: SeedPool, family: int) -> None:
    seed = pool.instructions[family]
    alone = pool.model_copy(update={"instructions": (seed,)})
    settings = GenerationSettings(n_dialogues=1, n_sessions=(30,), instruction_share=(1, 1))
    (dialogue,) = generate_dialogues(settings, seed=1, pool=alone)
    told = [i.version for session in dialogue.sessions for i in session.instructions]
    assert sorted(told) == list(range(len(seed.versions)))


def test_each_session_states_its_gold_rules_and_no_other(dialogues: list[Dialogue]) -> None:
    wrong = [
        (dialogue.number, session.index)
        for dialogue in dialogues
        for session in dialogue.sessions
        if not states_its_rules(session.text, planned(session), dialogue.context.speakers).is_clean
    ]
    total = sum(len(dialogue.sessions) for dialogue in dialogues)
    assert len(wrong) <= 0.005 * total, f"{len(wrong)} of {total}: {wrong[:10]}"


@pytest.mark.parametrize("difficulty", ["paraphrased", "implicit"])
def test_other_words_are_the_pools_and_tell_no_other_rule(
    pool: SeedPool, difficulty: Difficulty
) -> None:
    check = ToldInPoolsWords(pool)
    some = MANY.model_copy(update={"n_dialogues": 24})
    findings = [
        check(session.text, planned(session), dialogue.context.speakers)
        for dialogue in rendered(pool, some, Style(difficulty=difficulty))
        for session in dialogue.sessions
    ]
    assert sum(not found.is_clean for found in findings) <= 0.02 * len(findings)


def test_harder_levels_say_less_plainly(pool: SeedPool) -> None:
    def plain(difficulty: Difficulty) -> float:
        stated = [
            instruction.rule in {f.rule for f in detect(session.text, dialogue.context.mentor)}
            for dialogue in rendered(pool, UPDATES, Style(difficulty=difficulty))
            for session in dialogue.sessions
            for instruction in session.instructions
        ]
        return sum(stated) / len(stated)

    explicit, paraphrased, implicit = map(plain, DIFFICULTIES)
    assert explicit > 0.99
    assert explicit > paraphrased + 0.2 > implicit + 0.4


def test_a_hint_shows_a_name_that_keeps_to_the_rule(pool: SeedPool) -> None:
    for seed in pool.instructions:
        for version in range(len(seed.versions)):
            rule, words = seed.rule(version), wording(seed, version, pool.phrases)
            if rule.constraint.kind in ("prefix", "suffix", "contains", "digit", "case"):
                assert isinstance(rule.check, str)
                for name in (words.variables["example"], words.variables["example2"]):
                    assert re.match(rule.check, name), (rule, name)


def test_a_rule_may_be_told_by_what_holds_for_another_thing(pool: SeedPool) -> None:
    """Only where that holds at that time: the same check on the thing it names."""
    lettered = tuple(seed for seed in pool.instructions if seed.kind == "contains")
    alone = pool.model_copy(update={"instructions": lettered})
    alike = [line.split("{")[0] for line in pool.phrases.rule["contains"].same]
    told = 0
    for dialogue in rendered(alone, UPDATES, Style(difficulty="implicit")):
        for session in dialogue.sessions:
            if any(line in session.text for line in alike):
                told += 1
                assert dialogue.active_instructions(session.index - 1)
        assert not any(line in dialogue.sessions[0].text for line in alike)
    assert told > 20
