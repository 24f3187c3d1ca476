"""The scripted renderer: form of the transcripts, and that they state exactly their gold rules."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest

from memorycode.dialogue import Dialogue, Session
from memorycode.generation.generate import generate_dialogues
from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import GenerationSettings, preset
from memorycode.scoring.detection import detect

LABEL = re.compile(r"([^\n:]+): \S")
MANY = preset("demo").model_copy(update={"n_dialogues": 100})


@pytest.fixture(scope="module")
def pool() -> SeedPool:
    return SeedPool.load()


@pytest.fixture(scope="module")
def dialogues(pool: SeedPool) -> list[Dialogue]:
    return list(generate_dialogues(MANY, seed=11, pool=pool))


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


def test_longer_sessions_say_more(dialogues: list[Dialogue]) -> None:
    words: dict[str, list[int]] = {"short": [], "medium": [], "long": []}
    for dialogue in dialogues:
        for session in dialogue.sessions:
            words[session.length].append(len(session.text.split()))
    short, medium, long = (sum(counts) / len(counts) for counts in words.values())
    assert 100 < short < medium - 50 < long - 100


def test_sessions_are_not_alike(dialogues: list[Dialogue]) -> None:
    for dialogue in dialogues:
        turns = Counter(
            turn for session in dialogue.sessions for turn in session.text.split("\n\n")
        )
        repeated = sum(count - 1 for count in turns.values())
        assert repeated < 0.2 * turns.total()


def test_an_update_is_told_as_a_change(pool: SeedPool) -> None:
    settings = GenerationSettings(n_dialogues=20, n_sessions=(10,), versioned_rate=1)
    told = 0
    for dialogue in generate_dialogues(settings, seed=1, pool=pool):
        current: dict[int, str] = {}
        for session in dialogue.sessions:
            for kind, instruction in zip(
                session.types[-len(session.instructions) :], session.instructions, strict=False
            ):
                if kind == "instruction-update":
                    told += 1
                    assert current[instruction.family] in session.text
                value = instruction.rule.constraint.value
                current[instruction.family] = {
                    "upper": "UPPERCASE",
                    "camel": "CamelCase",
                    "snake": "snake_case",
                }.get(value, f"'{value}'")
    assert told > 50


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
    settings = GenerationSettings(n_dialogues=1, n_sessions=(30,), instruction_share=1)
    (dialogue,) = generate_dialogues(settings, seed=1, pool=alone)
    told = [i.version for session in dialogue.sessions for i in session.instructions]
    assert sorted(told) == list(range(len(seed.versions)))


def test_each_session_states_its_gold_rules_and_no_other(dialogues: list[Dialogue]) -> None:
    wrong = []
    total = 0
    for dialogue in dialogues:
        for session in dialogue.sessions:
            total += 1
            stated = {found.rule for found in detect(session.text, dialogue.context.mentor)}
            if stated != set(session.rules):
                wrong.append((dialogue.number, session.index))
    assert len(wrong) <= 0.02 * total, f"{len(wrong)} of {total}: {wrong[:10]}"
