"""The paper's reductions, on numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from memorycode.analysis.aggregation import (
    MISSING,
    Column,
    ScoredQuestion,
    coverage,
    dialogue_scores,
    estimate,
    history_curve,
    mean,
    summarize,
)
from memorycode.dialogue import SHORT_SESSIONS, Setting
from memorycode.protocols import Verdict

WORDS: dict[str, Verdict] = {"f": "followed", "v": "violated", "a": "absent", "u": "unparsable"}


def question(
    verdicts: str,
    *,
    dialogue: int = 1,
    sessions: int = 1,
    setting: Setting = "session",
    session: int = 0,
    number: int = 0,
    failure: str = "",
) -> ScoredQuestion:
    """One letter per verdict."""
    words = tuple(WORDS[letter] for letter in verdicts)
    return ScoredQuestion(dialogue, sessions, setting, session, number, words, failure)


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [("f", 1), ("v", 0), ("u", 0), ("a", None), ("", None), ("fva", 0.5), ("ffu", 2 / 3)],
)
def test_a_question_is_the_mean_of_the_rules_whose_object_is_there(
    verdicts: str, score: float | None
) -> None:
    assert question(verdicts).score == score


def test_mean_leaves_out_what_is_none() -> None:
    assert mean([1.0, None, 0.0]) == 0.5
    assert mean([None]) is None
    assert mean([]) is None
    assert mean([0.1] * 10) == 0.1  # summed without rounding on the way


def test_standard_error_is_the_sample_deviation_by_the_root_of_n() -> None:
    result = estimate([0.0, 1.0, None, 0.5, 0.5])
    assert (result.mean, result.n) == (0.5, 4)
    assert result.se == pytest.approx(math.sqrt((0.25 + 0.25) / 3) / 2, abs=1e-15)
    assert estimate([0.25]).model_dump() == {"mean": 0.25, "se": None, "n": 1}
    assert estimate([]).model_dump() == {"mean": None, "se": None, "n": 0}


def test_a_session_is_the_mean_of_its_questions_not_of_its_rules() -> None:
    questions = [
        question("f", number=0),
        question("vvv", number=1),
        question("aa", number=2),
    ]
    assert dialogue_scores(questions)[1].session == (0.5,)


def test_a_dialogue_has_a_place_for_each_of_its_sessions() -> None:
    questions = [
        question("f", dialogue=9, sessions=3, session=1),
        question("v", dialogue=2, sessions=2, session=1, setting="history"),
    ]
    scores = dialogue_scores(questions)
    assert list(scores) == [2, 9]
    assert scores[9].session == (None, 1.0, None)
    assert scores[9].history == (None, None, None)
    assert scores[2].history == (None, 0.0)


@pytest.mark.parametrize(
    ("verdicts", "share"),
    [("fff", 1), ("ffa", 1), ("fffv", 0), ("f" * 30 + "v", 0), ("fffu", 0), ("a", None)],
)
def test_only_a_question_all_of_whose_rules_are_followed_is_counted(
    verdicts: str, share: float | None
) -> None:
    assert summarize([question(verdicts)]).by_question["session"].mean == share


@pytest.mark.parametrize(
    ("sessions", "column", "other"),
    [(15, "short_history", "long_history"), (16, "long_history", "short_history")],
)
def test_a_history_is_short_up_to_15_sessions(sessions: int, column: Column, other: Column) -> None:
    """In every reduction; the number is the paper's."""
    asked = question("fv", sessions=sessions, session=sessions - 1, setting="history")
    assert asked.column == column
    summary = summarize([asked])
    for means in (summary.by_dialogue, summary.by_question, summary.by_rule):
        assert means[column].n > 0
        assert means[other].n == 0
    assert summary.by_position[column] == 0.5
    assert summary.by_position[other] is None


UNEVEN = [
    question("f", dialogue=1, sessions=2, session=0),
    question("v", dialogue=1, sessions=2, session=1),
    question("f", dialogue=2, sessions=1, session=0),
    question("v", dialogue=3, sessions=2, session=0),
]


def test_by_dialogue_gives_each_dialogue_one_voice() -> None:
    result = summarize(UNEVEN).by_dialogue["session"]
    assert (result.mean, result.n) == ((0.5 + 1 + 0) / 3, 3)


def test_by_position_gives_each_position_one_voice() -> None:
    assert summarize(UNEVEN).by_position["session"] == (2 / 3 + 0) / 2


def test_what_has_nothing_to_average_has_no_number() -> None:
    summary = summarize([question("a")])
    assert summary.by_position["session"] is None
    assert summary.by_dialogue["session"].n == 0
    assert summarize([]).by_dialogue["instruction"].mean is None


def test_short_and_long_histories() -> None:
    lengths = [1, SHORT_SESSIONS, SHORT_SESSIONS + 1]
    questions = [
        question(verdicts, dialogue=length, sessions=length, session=length - 1, setting="history")
        for length, verdicts in zip(lengths, ["f", "v", "fv"], strict=True)
    ]
    summary = summarize(questions)
    assert summary.by_dialogue["short_history"].mean == 0.5
    assert summary.by_dialogue["short_history"].n == 2
    assert summary.by_dialogue["long_history"].mean == 0.5
    assert summary.by_sessions == {1: 1.0, SHORT_SESSIONS: 0.0, SHORT_SESSIONS + 1: 0.5}


CHECKPOINTS = [
    question("f", sessions=2, session=0, setting="history"),
    question("v", sessions=2, session=1, setting="history"),
    question("u", sessions=2, session=1, setting="history", number=1),
    question("fv", dialogue=2, sessions=1, session=0, setting="history"),
]


def test_the_headline_is_the_last_session() -> None:
    summary = summarize(CHECKPOINTS)
    assert summary.dialogues[1].history == (None, 0.0)
    assert summary.by_dialogue["short_history"].mean == 0.25
    assert summary.coverage.questions == 3


def test_the_curve_has_every_checkpoint() -> None:
    curve = history_curve([*CHECKPOINTS, question("f")])
    assert {at: (point.mean, point.n) for at, point in curve.items()} == {
        0: (0.75, 2),
        1: (0.0, 1),
    }


def test_coverage_counts_every_question_and_verdict() -> None:
    questions = [
        question("fva"),
        question("uu", number=1),
        question("", number=2, failure="timeout"),
        question("", number=3, failure="refused"),
        question("", number=4, failure="timeout"),
        question("", number=5, failure=MISSING),
    ]
    assert coverage(questions, 2).model_dump() == {
        "questions": 6,
        "answered": 2,
        "missing": 1,
        "failed": {"refused": 1, "timeout": 2},
        "surplus": 2,
        "followed": 1,
        "violated": 1,
        "absent": 1,
        "unparsable": 2,
    }


def test_a_failure_is_no_zero_and_stays_in_sight() -> None:
    summary = summarize([question("f"), question("", number=1, failure="timeout")])
    assert summary.dialogues[1].session == (1.0,)
    assert summary.coverage.failed == {"timeout": 1}
    assert summary.coverage_by_setting["session"].failed == {"timeout": 1}
    assert summary.coverage_by_setting["history"].questions == 0


def test_the_order_of_questions_does_not_matter() -> None:
    questions = [
        question(verdicts, dialogue=number, number=place)
        for number in range(20)
        for place, verdicts in enumerate(["f", "fvv", "ffffffv"])
    ]
    assert summarize(questions) == summarize(reversed(questions))
