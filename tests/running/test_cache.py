"""Answers that are at hand are not asked for, are marked, and are told apart in every count."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.evaluation import evaluate
from memorycode.reporting.tables import report_text
from memorycode.results.summary import RunReport
from memorycode.running.folder import RunFolder


@pytest.fixture
def dialogues(small_dialogue: Dialogue) -> list[Dialogue]:
    return [small_dialogue.model_copy(update={"number": n}) for n in (1, 2)]


def _run(
    dialogues: list[Dialogue], out: Path, *, cache: bool | Path = True, strategy: str = "no_memory"
) -> tuple[RunReport, int]:
    """The report, and how often the model was asked."""
    import plugins  # type: ignore[import-not-found]

    plugins.Writing.asked.clear()
    report = evaluate(
        dialogues,
        strategies=[strategy],
        models=["plugins:Writing"],
        out=out,
        cache=cache,
        concurrency=1,
    )
    return report, len(plugins.Writing.asked)


def test_equal_prompts_are_asked_once_and_marked(dialogues: list[Dialogue], tmp_path: Path) -> None:
    report, asked = _run(dialogues, tmp_path)
    records = list(RunFolder(tmp_path).records())
    assert asked == 2
    assert [record.cached for record in records] == [False, False, True, True]
    spending = report.rows.__next__().spending
    assert (spending.calls, spending.cached_answers) == (2, 2)
    assert (spending.prompt_tokens, spending.completion_tokens) == (200, 20)
    assert "2 answers came from the cache" in report_text(report)
    # Latencies are those of the two that were waited for.
    assert spending.latency_median == spending.latency_p95 == 0.25
    assert spending.endpoint_cached_share == pytest.approx(0.4)


def test_without_a_cache_every_question_is_asked(dialogues: list[Dialogue], tmp_path: Path) -> None:
    report, asked = _run(dialogues, tmp_path, cache=False)
    assert asked == 4
    assert "came from the cache" not in report_text(report)
    assert '"cached":true' not in (tmp_path / "asked.jsonl").read_text()
    assert not (tmp_path / "cache.sqlite").exists()


def test_runs_may_share_a_cache(dialogues: list[Dialogue], tmp_path: Path) -> None:
    shared = tmp_path / "answers.sqlite"
    _run(dialogues, tmp_path / "one", cache=shared)
    report, asked = _run(dialogues, tmp_path / "two", cache=shared)
    assert asked == 0
    (row,) = report.rows
    assert row.spending.cached_answers == 4
    assert row.spending.latency_median is None
    first, second = (
        [record.model_dump(exclude={"cached", "latency"}) for record in RunFolder(folder).records()]
        for folder in (tmp_path / "one", tmp_path / "two")
    )
    assert first == second


def test_what_the_memory_asks_goes_through_it_too(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    report, asked = _run(dialogues, tmp_path, strategy="plugins:Writer")
    (row,) = report.rows
    # Four sessions of two equal dialogues: the second one's notes are at hand, as its answers are.
    assert (row.memory.calls, row.memory.cached_calls) == (8, 4)
    assert row.memory.spent.prompt_tokens == 400
    assert (row.spending.calls, row.spending.cached_calls) == (asked, 4) == (6, 4)


def test_what_the_endpoint_had_cached_of_the_memory_s_prompts_is_counted(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    """Forty tokens of each prompt that was sent, none of those that the run's cache answered."""
    (row,) = _run(dialogues, tmp_path / "kept", strategy="plugins:Writer")[0].rows
    assert (row.memory.calls, row.memory.cached_calls) == (8, 4)
    assert row.memory.cached_tokens == row.memory.spent.cached_tokens == 4 * 40
    (row,) = _run(dialogues, tmp_path / "sent", strategy="plugins:Writer", cache=False)[0].rows
    assert row.memory.cached_tokens == row.memory.spent.cached_tokens == 8 * 40


def test_a_stand_in_is_not_cached(dialogues: list[Dialogue], tmp_path: Path) -> None:
    evaluate(dialogues, strategies=["no_memory"], out=tmp_path)
    assert not (tmp_path / "cache.sqlite").exists()
    assert not any(record.cached for record in RunFolder(tmp_path).records())
