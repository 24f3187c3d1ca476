"""Rows are compared on the same dialogues and questions; what failed is left out and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from memorycode import evaluate
from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError, UsageError
from memorycode.results.answers import Source
from memorycode.results.compare import compare_runs
from memorycode.results.compared_pairs import PairComparison, compare_pair
from memorycode.results.read import report_run
from memorycode.results.run_row import RunRow
from memorycode.results.statistics import holm
from memorycode.running.manifest import ModelEntry, StrategyEntry
from tests.conftest import make_dialogue
from tests.results.making import make_answer

FAILED = "!"

DIALOGUES = [make_dialogue(number) for number in range(1, 13)]
ALL_KEPT, ONE_KEPT = "full_history", "recent_sessions:n=1"


def row(
    answers: Mapping[int, Sequence[str]],
    *,
    run: str = "runs/a",
    dialogues: Mapping[int, Dialogue] | None = None,
) -> RunRow:
    """By dialogue, the questions' verdicts, a letter for each rule; '!' is a failure."""
    source = Source("m", "s", run=run)
    asked = [
        make_answer(
            "" if repeat == FAILED else repeat,
            dialogue=dialogue,
            sessions=4,
            setting="history",
            number=number,
            failure="timeout" if repeat == FAILED else "",
            repeat=at,
            source=source,
        )
        for dialogue, texts in answers.items()
        for number, text in enumerate(texts)
        for at, repeat in enumerate(text.split())
    ]
    return RunRow(
        source=source,
        model=ModelEntry(spec="m", name="m", is_language_model=False),
        strategy=StrategyEntry(spec="s", oracle=False, ask_after="last", planned=len(asked)),
        dialogues=dialogues or {number: make_dialogue(number) for number in answers},
        answers=asked,
    )


def compare(
    first: Mapping[int, Sequence[str]], second: Mapping[int, Sequence[str]]
) -> PairComparison:
    return compare_pair(row(first), row(second), ["short_history"])


# ── one pair ──────────────────────────────────────────────────────────────────────────────────


def test_dialogues_are_won_lost_and_tied() -> None:
    first = {number: ["fv", "ff"] for number in range(12)}
    second = first | {0: ["ff", "ff"], 1: ["vv", "fv"], 2: ["ff", "fv"]}
    found = compare(first, second).scores["strict"]["short_history"]
    assert found.first == 0.75
    assert found.second == pytest.approx((9 * 0.75 + 1 + 0.25 + 0.75) / 12)
    compared = found.comparison
    assert (compared.wins, compared.losses, compared.ties) == (1, 1, 10)
    assert compared.difference.mean == pytest.approx(-0.25 / 12)
    assert compared.p == 1.0  # 1/4 up against 1/4 - 1/2 down: as far as it goes with two of 12


def test_a_question_that_failed_in_either_is_compared_in_neither() -> None:
    first = {0: ["ff", "vv"], 1: [FAILED, "ff"], 2: ["ff", "ff"]}
    second = {0: [FAILED, "vv"], 1: ["vv", "ff"], 2: ["ff", "vv"]}
    found = compare(first, second)
    scores = found.scores["official"]["short_history"]
    assert found.left_out == 2
    assert scores.first == pytest.approx(2 / 3)
    assert scores.second == 0.5
    assert (scores.comparison.wins, scores.comparison.losses, scores.comparison.ties) == (0, 1, 2)
    assert found.flips.questions == 4


def test_a_dialogue_that_failed_as_a_whole_is_in_no_mean() -> None:
    found = compare({0: ["ff"], 1: ["vv"]}, {0: [FAILED], 1: ["ff"]})
    scores = found.scores["strict"]["short_history"]
    assert (found.left_out, scores.comparison.n) == (1, 1)
    assert (scores.first, scores.second) == (0.0, 1.0)


def test_of_a_question_asked_several_times_a_sample_may_fail() -> None:
    found = compare({0: ["ff !"], 1: ["ff vv"]}, {0: ["ff ff"], 1: ["ff ff"]})
    assert found.left_out == 0
    assert found.scores["strict"]["short_history"].first == 0.75
    assert (found.flips.gained, found.flips.lost) == (("1/3/0",), ())


def test_flips_are_listed_both_ways_and_absent_objects_are_no_flip() -> None:
    first = {0: ["ff", "fv", "aa"], 1: ["vv", "ff", "ff"]}
    second = {0: ["fv", "ff", "ff"], 1: ["vv", "fa", "vv"]}
    flips = compare(first, second).flips
    assert flips.gained == ("0/3/1",)
    assert flips.lost == ("0/3/0", "1/3/2")
    assert flips.questions == 5


def test_dialogues_that_differ_in_a_word_are_not_shared() -> None:
    answers = {0: ["ff"], 1: ["ff"]}
    other = make_dialogue(1).model_copy(update={"history_queries": ("something else",)})
    changed = row(answers, dialogues={0: make_dialogue(0), 1: other})
    found = compare_pair(row(answers), changed, ["short_history"])
    assert found.dialogues == 1
    assert found.scores["strict"]["short_history"].comparison.n == 1
    foreign = row(answers, dialogues={1: other}, run="runs/b")
    with pytest.raises(UsageError, match=r"no dialogue of runs/a is in runs/b"):
        compare_pair(row(answers), foreign, ["short_history"])


# ── runs ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run ``a`` of 12 dialogues, ``b`` of 11 under a small budget, ``one`` of a single strategy."""
    folder = tmp_path_factory.mktemp("runs")
    strategies = ["no_memory", ALL_KEPT, ONE_KEPT]
    evaluate(DIALOGUES, strategies=strategies, out=folder / "a")
    evaluate(DIALOGUES[:11], strategies=[ALL_KEPT], context_budget=30, out=folder / "b")
    evaluate(DIALOGUES, strategies=[ALL_KEPT], setting="session", out=folder / "sessions")
    return folder


def test_a_run_s_strategies_are_compared_with_its_first(runs: Path) -> None:
    found = compare_runs([runs / "a"])
    assert [(p.first.strategy, p.second.strategy) for p in found.pairs] == [
        ("no_memory", ALL_KEPT),
        ("no_memory", ONE_KEPT),
    ]
    assert found.groups == ("short_history",)
    assert not found.differing
    best, recent = found.pairs
    report = {r.strategy: r.scores["strict"].by_dialogue for r in report_run(runs / "a").rows}
    scores = best.scores["strict"]["short_history"]
    assert scores.second == report[ALL_KEPT]["short_history"].mean == 1.0
    assert scores.first == report["no_memory"]["short_history"].mean == 0.0
    assert (scores.comparison.wins, scores.comparison.p) == (12, 2 / 2**12)
    assert len(best.flips.gained) == best.flips.questions == 24
    assert recent.scores["strict"]["short_history"].comparison.ties == 12


def test_holm_is_over_the_rows_of_a_table(runs: Path) -> None:
    found = compare_runs([runs / "a"], pairing="all")
    column = [pair.scores["strict"]["short_history"] for pair in found.pairs]
    assert len(column) == 3
    assert [c.p_holm for c in column] == holm([c.comparison.p for c in column])
    assert [c.p_holm is None for c in column] == [False, True, False]


def test_another_baseline(runs: Path) -> None:
    found = compare_runs([runs / "a"], baseline=ALL_KEPT)
    assert [p.first.strategy for p in found.pairs] == [ALL_KEPT, ALL_KEPT]
    assert found.pairs[0].scores["strict"]["short_history"].comparison.losses == 12


def test_runs_on_other_data_share_what_is_the_same_and_say_what_differs(runs: Path) -> None:
    found = compare_runs([runs / "a", runs / "b"], pairing="same")
    (pair,) = found.pairs
    assert (pair.first.run, pair.second.run) == (str(runs / "a"), str(runs / "b"))
    assert pair.dialogues == pair.scores["strict"]["short_history"].comparison.n == 11
    assert set(found.differing) == {"dataset_hash", "context_budget"}
    assert found.differing["context_budget"] == ("none", "30")


def test_short_long_and_all_histories(small_dialogue: Dialogue, tmp_path: Path) -> None:
    last = small_dialogue.sessions[-1]
    more = tuple(last.model_copy(update={"index": at}) for at in range(4, 17))
    long = small_dialogue.model_copy(
        update={"number": 8, "sessions": (*small_dialogue.sessions, *more)}
    )
    evaluate([small_dialogue, long], out=tmp_path / "run")
    found = compare_runs([tmp_path / "run"])
    (pair,) = found.pairs
    sizes = {group: pair.scores["official"][group].comparison.n for group in found.groups}
    assert sizes == {"history": 2, "short_history": 1, "long_history": 1}


def test_a_memory_that_lost_calls_of_its_own_is_named(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    strategies = ["no_memory", "tests.running.plugins:Failing"]
    model = ["tests.running.plugins:Moody"]
    evaluate([small_dialogue], strategies=strategies, models=model, out=tmp_path / "run")
    found = compare_runs([tmp_path / "run"])
    (note,) = found.runs[0].notes
    assert "Failing in" in note and "4 of the memory's own calls failed" in note
    assert found.pairs[0].left_out == 1  # the model fails on one of two questions


def test_the_same_runs_give_the_same_numbers(runs: Path) -> None:
    assert compare_runs([runs / "a"]).as_json() == compare_runs([runs / "a"]).as_json()


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["b"], {}, r"one row only, full_history with ideal-mentee: name a second run"),
        (["a", "a"], {}, "named twice"),
        (["a", "sessions"], {}, "asks in the setting history, .* in session"),
        (["a"], {"baseline": "rag"}, "no strategy 'rag' here, but no_memory, full_history"),
        (["a"], {"pairing": "same"}, "no strategy is there twice: no_memory"),
        (["a"], {"pairing": "all", "baseline": ALL_KEPT}, "--pairs all has none"),
    ],
)
def test_wrong_use_is_explained(
    runs: Path, names: list[str], options: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        compare_runs([runs / name for name in names], **options)  # type: ignore[arg-type]


def test_a_folder_without_a_run_is_named(runs: Path) -> None:
    with pytest.raises(RunFolderError, match="nowhere: no run here"):
        compare_runs([runs / "a", runs / "nowhere"])
