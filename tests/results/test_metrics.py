"""The paper's reductions, on numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from memorycode.dialogue import SHORT_SESSIONS
from memorycode.results.answers import MISSING, Column
from memorycode.results.means import estimate, mean
from memorycode.results.metrics import (
    coverage,
    dialogue_scores,
    history_curve,
    summarize,
)
from tests.results.making import make_answer


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [("f", 1), ("v", 0), ("u", 0), ("a", None), ("", None), ("fva", 0.5), ("ffu", 2 / 3)],
)
def test_a_question_is_the_mean_of_the_rules_whose_object_is_there(
    verdicts: str, score: float | None
) -> None:
    assert make_answer(verdicts).score("strict") == score


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
        make_answer("f", number=0),
        make_answer("vvv", number=1),
        make_answer("aa", number=2),
    ]
    assert dialogue_scores(questions, "strict")[1].session == (0.5,)


def test_a_dialogue_has_a_place_for_each_of_its_sessions() -> None:
    questions = [
        make_answer("f", dialogue=9, sessions=3, session=1),
        make_answer("v", dialogue=2, sessions=2, session=1, setting="history"),
    ]
    scores = dialogue_scores(questions, "strict")
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
    assert summarize([make_answer(verdicts)], "strict").by_question["session"].mean == share


@pytest.mark.parametrize(
    ("sessions", "column", "other"),
    [(15, "short_history", "long_history"), (16, "long_history", "short_history")],
)
def test_a_history_is_short_up_to_15_sessions(sessions: int, column: Column, other: Column) -> None:
    """In every reduction; the number is the paper's."""
    asked = make_answer("fv", sessions=sessions, session=sessions - 1, setting="history")
    assert asked.column == column
    summary = summarize([asked], "strict")
    for means in (summary.by_dialogue, summary.by_question, summary.by_rule):
        assert means[column].n > 0
        assert means[other].n == 0
    assert summary.by_position[column] == 0.5
    assert summary.by_position[other] is None


UNEVEN = [
    make_answer("f", dialogue=1, sessions=2, session=0),
    make_answer("v", dialogue=1, sessions=2, session=1),
    make_answer("f", dialogue=2, sessions=1, session=0),
    make_answer("v", dialogue=3, sessions=2, session=0),
]


def test_by_dialogue_gives_each_dialogue_one_voice() -> None:
    result = summarize(UNEVEN, "strict").by_dialogue["session"]
    assert (result.mean, result.n) == ((0.5 + 1 + 0) / 3, 3)


def test_by_position_gives_each_position_one_voice() -> None:
    assert summarize(UNEVEN, "strict").by_position["session"] == (2 / 3 + 0) / 2


def test_what_has_nothing_to_average_has_no_number() -> None:
    summary = summarize([make_answer("a")], "strict")
    assert summary.by_position["session"] is None
    assert summary.by_dialogue["session"].n == 0
    assert summarize([], "strict").by_dialogue["instruction"].mean is None


def test_short_and_long_histories() -> None:
    lengths = [1, SHORT_SESSIONS, SHORT_SESSIONS + 1]
    questions = [
        make_answer(
            verdicts, dialogue=length, sessions=length, session=length - 1, setting="history"
        )
        for length, verdicts in zip(lengths, ["f", "v", "fv"], strict=True)
    ]
    summary = summarize(questions, "strict")
    assert summary.by_dialogue["short_history"].mean == 0.5
    assert summary.by_dialogue["short_history"].n == 2
    assert summary.by_dialogue["long_history"].mean == 0.5
    assert summary.by_sessions == {1: 1.0, SHORT_SESSIONS: 0.0, SHORT_SESSIONS + 1: 0.5}


CHECKPOINTS = [
    make_answer("f", sessions=2, session=0, setting="history"),
    make_answer("v", sessions=2, session=1, setting="history"),
    make_answer("u", sessions=2, session=1, setting="history", number=1),
    make_answer("fv", dialogue=2, sessions=1, session=0, setting="history"),
]


def test_the_headline_is_the_last_session() -> None:
    summary = summarize(CHECKPOINTS, "strict")
    assert summary.dialogues[1].history == (None, 0.0)
    assert summary.by_dialogue["short_history"].mean == 0.25
    assert summary.coverage.questions == 3


def test_the_curve_has_every_checkpoint() -> None:
    curve = history_curve([*CHECKPOINTS, make_answer("f")], "strict")
    assert {at: (point.mean, point.n) for at, point in curve.items()} == {
        0: (0.75, 2),
        1: (0.0, 1),
    }


def test_coverage_counts_every_question_and_verdict() -> None:
    questions = [
        make_answer("fva"),
        make_answer("uu", number=1),
        make_answer("", number=2, failure="timeout"),
        make_answer("", number=3, failure="refused"),
        make_answer("", number=4, failure="timeout"),
        make_answer("", number=5, failure=MISSING),
    ]
    assert coverage(questions, "strict", 2).model_dump() == {
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
    summary = summarize([make_answer("f"), make_answer("", number=1, failure="timeout")], "strict")
    assert summary.dialogues[1].session == (1.0,)
    assert summary.coverage.failed == {"timeout": 1}
    assert summary.coverage_by_setting["session"].failed == {"timeout": 1}
    assert summary.coverage_by_setting["history"].questions == 0


def test_the_order_of_questions_does_not_matter() -> None:
    questions = [
        make_answer(verdicts, dialogue=number, number=place)
        for number in range(20)
        for place, verdicts in enumerate(["f", "fvv", "ffffffv"])
    ]
    assert summarize(questions, "strict") == summarize(reversed(questions), "strict")
