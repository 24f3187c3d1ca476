"""Every mean over dialogues that a report shows has an interval around that very mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycode import evaluate
from memorycode.results.answers import COLUMNS, SETTINGS
from memorycode.results.intervals import (
    Group,
    curve_intervals,
    group_scores,
    question_intervals,
    rule_intervals,
    score_intervals,
    session_intervals,
)
from memorycode.results.metrics import dialogue_counts, summarize
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import RunReport
from tests.conftest import make_dialogue
from tests.results.making import make_answer

SCORES = summarize(
    (
        make_answer(
            "f" if number % 3 else "v",
            dialogue=number,
            sessions=4 if number < 20 else 30,
            setting=setting,
        )
        for number in range(50)
        for setting in SETTINGS
    ),
    "strict",
)


def test_intervals_stand_around_the_report_s_means() -> None:
    found = score_intervals(SCORES, COLUMNS)
    for column in COLUMNS:
        interval, estimate = found[column], SCORES.by_dialogue[column]
        assert (interval.mean, interval.n) == (estimate.mean, estimate.n)
        assert interval.low is not None and interval.high is not None
        assert interval.low < estimate.mean < interval.high  # type: ignore[operator]


def test_all_histories_are_the_short_and_the_long_ones() -> None:
    scores = SCORES.dialogues
    parts = group_scores(scores, "short_history") | group_scores(scores, "long_history")
    assert group_scores(scores, "history") == parts
    assert len(parts) == 50


def test_intervals_by_the_number_of_sessions() -> None:
    found = session_intervals(SCORES)
    assert {length: interval.mean for length, interval in found.items()} == SCORES.by_sessions
    assert {length: interval.n for length, interval in found.items()} == {4: 20, 30: 30}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> RunReport:
    out: Path = tmp_path_factory.mktemp("run") / "run"
    dialogues = [make_dialogue(number) for number in range(1, 11)]
    return evaluate(dialogues, strategies=["cumulative", "no_memory"], out=out)


def test_a_curve_has_an_interval_at_each_checkpoint(report: RunReport) -> None:
    cumulative, no_memory = report.rows
    found = curve_intervals(cumulative)
    assert {at: (i.mean, i.n) for at, i in found.items()} == {
        at: (estimate.mean, estimate.n) for at, estimate in cumulative.curve.items()
    }
    assert curve_intervals(no_memory) == {}


def test_shares_of_questions_and_rules_have_intervals_of_dialogues(report: RunReport) -> None:
    row = next(report.rows)
    for name, intervals in (("by_question", question_intervals), ("by_rule", rule_intervals)):
        found = intervals(row, "strict", ["short_history"])["short_history"]
        estimate = getattr(row.scores["strict"], name)["short_history"]
        assert found.mean == estimate.mean
        assert (found.n, estimate.n) == (10, 20 if name == "by_question" else 40)


@pytest.mark.parametrize(
    ("group", "questions", "rules"), [("short_history", 0.5, 0.8), ("long_history", 0.0, 0.25)]
)
def test_the_shares_of_questions_and_of_rules_are_two(
    group: Group, questions: float, rules: float
) -> None:
    """A dialogue of 15 sessions is short and one of 16 is long, for both of them."""
    asked = []
    for number in range(20):
        sessions = 15 if number < 10 else 16
        words = "ffff v" if sessions == 15 else "fvvv"
        asked += [
            make_answer(word, dialogue=number, sessions=sessions, setting="history", number=place)
            for place, word in enumerate(words.split())
        ]
    row = StrategyRow.model_construct(counts={"strict": dialogue_counts(asked, "strict")})
    for intervals, share in ((question_intervals, questions), (rule_intervals, rules)):
        found = intervals(row, "strict", [group])[group]
        assert (found.mean, found.low, found.high, found.n) == (share, share, share, 10)


def test_machines_are_told_the_intervals(report: RunReport) -> None:
    row = report.as_json()["strategies"]["cumulative"]
    assert row["strict"]["intervals"]["short_history"] == {
        "mean": 1.0,
        "low": 1.0,
        "high": 1.0,
        "n": 10,
    }
    assert row["intervals"]["long_history"] == {"mean": None, "low": None, "high": None, "n": 0}
