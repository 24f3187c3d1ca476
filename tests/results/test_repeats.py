"""Of questions asked several times: means over the repeats, how far these vary, how often all is
right."""

from __future__ import annotations

import pytest

from memorycode.results.answers import Answer
from memorycode.results.metrics import summarize
from memorycode.results.repeats import repeat_scores
from tests.results.making import make_answer


def _question(dialogue: int, number: int, repeat: int, verdicts: str) -> Answer:
    return make_answer(
        verdicts,
        dialogue=dialogue,
        setting="history",
        number=number,
        failure="" if verdicts else "timeout",
        repeat=repeat,
    )


QUESTIONS = [
    *(_question(1, 0, n, marks) for n, marks in enumerate(["f", "v", "v"])),
    *(_question(1, 1, n, marks) for n, marks in enumerate(["ff", "fv", "ff"])),
    *(_question(2, 0, n, marks) for n, marks in enumerate(["f", "", ""])),
    *(_question(2, 1, n, marks) for n, marks in enumerate(["f", "f", "f"])),
]


def test_repeats_are_averaged_before_questions() -> None:
    scores = summarize(QUESTIONS, "strict")
    first = (1 / 3 + (1 + 0.5 + 1) / 3) / 2
    # Failed repeats are left out: the other question of the dialogue does not gain weight.
    assert scores.by_dialogue["short_history"].mean == pytest.approx((first + 1) / 2)
    assert scores.by_question["short_history"].mean == pytest.approx((1 / 3 + 2 / 3 + 1 + 1) / 4)
    assert scores.by_question["short_history"].n == 4
    assert scores.coverage.questions == 12
    assert scores.coverage.failed == {"timeout": 2}


def test_at_least_k_counts_questions_all_of_whose_repeats_have_a_score() -> None:
    found = repeat_scores(QUESTIONS, "strict", 3)
    shares = {k: found.at_least[k]["short_history"] for k in (1, 2, 3)}
    assert [shares[k].n for k in (1, 2, 3)] == [3, 3, 3]
    means = [shares[k].mean for k in (1, 2, 3)]
    assert means == pytest.approx([1, 2 / 3, 1 / 3])
    assert found.pass_any["short_history"] == shares[1]
    assert found.pass_all["short_history"] == shares[3]


def test_the_standard_deviation_is_that_of_the_repeats_scores() -> None:
    found = repeat_scores(QUESTIONS, "strict", 3)
    first, second, third = (1 + 1) / 2, (0.25 + 1) / 2, (0.5 + 1) / 2
    mean = (first + second + third) / 3
    variance = sum((score - mean) ** 2 for score in (first, second, third)) / 2
    assert found.standard_deviation["short_history"] == pytest.approx(variance**0.5)
    assert found.standard_deviation["long_history"] is None


def test_there_is_a_share_for_each_number_of_repeats() -> None:
    assert list(repeat_scores(QUESTIONS, "strict", 3).at_least) == [1, 2, 3]
    assert list(repeat_scores(QUESTIONS[::3], "strict", 1).at_least) == [1]


def test_a_question_that_was_asked_less_often_is_not_counted() -> None:
    found = repeat_scores([*QUESTIONS, _question(3, 0, 0, "f")], "strict", 3)
    assert found.pass_any["short_history"].n == 3


def test_questions_before_the_last_session_do_not_count() -> None:
    early = [
        make_answer("v", dialogue=1, sessions=2, session=0, setting="history", repeat=repeat)
        for repeat in range(3)
    ]
    late = [
        make_answer("f", dialogue=1, sessions=2, session=1, setting="history", repeat=repeat)
        for repeat in range(3)
    ]
    found = repeat_scores([*early, *late], "strict", 3)
    assert (found.pass_all["short_history"].mean, found.pass_all["short_history"].n) == (1.0, 1)
    assert found.standard_deviation["short_history"] == 0.0


@pytest.mark.parametrize(("sessions", "n"), [(15, (1, 0)), (16, (0, 1))])
def test_a_history_is_short_up_to_15_sessions(sessions: int, n: tuple[int, int]) -> None:
    asked = [
        make_answer("f", sessions=sessions, setting="history", repeat=repeat) for repeat in (0, 1)
    ]
    found = repeat_scores(asked, "strict", 2).pass_any
    assert (found["short_history"].n, found["long_history"].n) == n


def test_there_may_be_hundreds_of_repeats() -> None:
    asked = [make_answer("f" if n < 290 else "v", repeat=n) for n in range(300)]
    found = repeat_scores(asked, "strict", 300)
    assert found.at_least[290]["session"].mean == 1
    assert found.at_least[291]["session"].mean == 0
    variance = (290 * 10 / 300) / 299
    assert found.standard_deviation["session"] == pytest.approx(variance**0.5)
