"""The paper's reductions, on numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from memorycode.dialogue import SHORT_SESSIONS
from memorycode.results.answers import MISSING, SETTINGS, Answer, Column
from memorycode.results.metrics import (
    Coverage,
    DialogueCounts,
    coverage,
    dialogue_counts,
    dialogue_scores,
    history_curve,
    summarize,
)
from tests.results.making import make_answer


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


ASK_AFTER = [
    make_answer("f", sessions=2, session=0, setting="history"),
    make_answer("v", sessions=2, session=1, setting="history"),
    make_answer("u", sessions=2, session=1, setting="history", number=1),
    make_answer("fv", dialogue=2, sessions=1, session=0, setting="history"),
]


def test_the_headline_is_the_last_session() -> None:
    summary = summarize(ASK_AFTER, "strict")
    assert summary.dialogues[1].history == (None, 0.0)
    assert summary.by_dialogue["short_history"].mean == 0.25
    assert summary.coverage.questions == 3


def test_the_curve_has_every_checkpoint() -> None:
    curve = history_curve([*ASK_AFTER, make_answer("v")], "strict")
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


def test_counts_by_dialogue_add_up_to_the_shares() -> None:
    def asked(verdicts: str, dialogue: int, number: int, **fields: Any) -> Answer:
        place: dict[str, Any] = {
            "dialogue": dialogue,
            "sessions": 2,
            "setting": "history",
            "number": number,
        }
        return make_answer(verdicts, **(place | fields))

    questions = [
        asked("fva", 1, 0),
        asked("ff", 1, 1, repeat=0),
        asked("fu", 1, 1, repeat=1),
        asked("v", 1, 0, session=0),
        asked("a", 2, 0),
        asked("", 2, 1, failure="timeout"),
    ]
    counts = dialogue_counts(questions, "strict")
    assert counts[1] == DialogueCounts(sessions=2, questions=2, perfect=0.5, rules=6, followed=4)
    assert counts[2] == DialogueCounts(sessions=2, questions=0, perfect=0, rules=0, followed=0)
    scores = summarize(questions, "strict")
    assert scores.by_question["short_history"].mean == 0.25
    assert scores.by_rule["short_history"].mean == 4 / 6


@pytest.mark.parametrize(("sessions", "is_short"), [(15, True), (16, False)])
def test_a_dialogue_of_one_question_is_short_up_to_15_sessions(
    sessions: int, is_short: bool
) -> None:
    asked = [make_answer("f", sessions=sessions, setting="history")]
    counts, scores = dialogue_counts(asked, "strict")[1], dialogue_scores(asked, "strict")[1]
    assert (counts.sessions, counts.questions, counts.perfect) == (sessions, 1, 1)
    assert counts.is_short is scores.is_short is is_short


def test_settings_are_compared_as_texts() -> None:
    """Those that are read from a file are other objects than those in the code."""
    read: Any = "".join(["ses", "sion"])
    found = summarize([make_answer("f", setting=read)], "strict").coverage_by_setting
    assert [found[setting].questions for setting in SETTINGS] == [0, 1, 0]


def test_the_share_of_rules_counts_what_is_violated_and_what_is_unparsable() -> None:
    asked = [make_answer("fvvva"), make_answer("uu", number=1)]
    share = summarize(asked, "strict").by_rule["session"]
    assert (share.mean, share.n) == (1 / 6, 6)


def test_each_setting_has_its_own_coverage_and_the_whole_has_them_all() -> None:
    asked = [
        make_answer("f" * (place + 1), setting=setting, number=number)
        for place, setting in enumerate(SETTINGS)
        for number in range(place + 1)
    ]
    summary = summarize(asked, "strict", {"session": 4, "history": 2})
    found = {
        setting: (counts.questions, counts.followed, counts.surplus)
        for setting, counts in summary.coverage_by_setting.items()
    }
    assert found == {"history": (1, 1, 2), "session": (2, 4, 4), "instruction": (3, 9, 0)}
    whole = summary.coverage
    assert (whole.questions, whole.followed, whole.surplus) == (6, 14, 6)


def test_without_questions_nothing_is_counted() -> None:
    assert coverage([], "strict") == Coverage()
    assert {**Coverage().model_dump(), "failed": 0} == dict.fromkeys(Coverage.model_fields, 0)
