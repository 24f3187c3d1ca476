"""A run stops where it was told to, in good order, and goes on from there."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.errors import ModelUnavailable, UsageError
from memorycode.evaluation import evaluate
from memorycode.results.read import report_run
from memorycode.running.execution import Execution
from memorycode.running.folder import RunFolder

PRICES = "[models.writing]\ninput = 10_000\ncached_input = 10_000\noutput = 0\n"
"""A call of the test model, 100 tokens, costs a dollar."""


@pytest.fixture
def dialogues(small_dialogue: Dialogue) -> list[Dialogue]:
    """With two questions each."""
    return [small_dialogue.model_copy(update={"number": n}) for n in range(1, 11)]


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    file = tmp_path / "prices.toml"
    file.write_text(PRICES)
    return file


def _answers(folder: Path) -> dict[str, str]:
    return {record.id: record.answer for record in RunFolder(folder).records()}


@pytest.mark.parametrize("concurrency", [1, 6])
def test_max_calls_is_exact_and_the_run_goes_on(
    dialogues: list[Dialogue], tmp_path: Path, concurrency: int
) -> None:
    import plugins  # type: ignore[import-not-found]

    def run(most: int | None, out: str, strategies: tuple[str, ...]) -> str:
        report = evaluate(
            dialogues,
            strategies=strategies,
            models=["plugins:Writing"],
            out=tmp_path / out,
            concurrency=concurrency,
            cache=False,
            max_calls=most,
        )
        return report.stopped

    strategies = ("no_memory", "plugins:Diary")
    plugins.Writing.asked.clear()
    assert "--max-calls 7 is reached" in run(7, "run", strategies)
    assert len(plugins.Writing.asked) == 7
    assert len(_answers(tmp_path / "run")) == 7
    assert run(7, "run", strategies)  # what was sent before counts
    assert len(plugins.Writing.asked) == 7
    assert "--max-calls 20" in run(20, "run", strategies)
    assert len(plugins.Writing.asked) == 20
    assert run(None, "run", strategies) == ""
    assert len(plugins.Writing.asked) == 40
    run(None, "whole", strategies)
    assert _answers(tmp_path / "run") == _answers(tmp_path / "whole")
    assert not report_run(tmp_path / "run").has_failures


@pytest.mark.parametrize("strategy", ["Writer", "Failing", "Searcher"])
def test_a_memory_that_was_not_let_finish_is_not_asked(
    dialogues: list[Dialogue], tmp_path: Path, strategy: str
) -> None:
    """Though the strategy catches what stops its call."""
    for most in (1, 2, 3, 4, 5, 13, None):
        report = evaluate(
            dialogues[:3],
            strategies=[f"plugins:{strategy}"],
            models=["plugins:Writing"],
            out=tmp_path / "run",
            cache=False,
            max_calls=most,
        )
        assert all(not record.failed for record in RunFolder(tmp_path / "run").records())
        assert bool(report.stopped) is (most is not None)
    (row,) = report.rows
    assert row.answered == 6
    assert not row.memory.failures


def test_max_cost_stops_when_it_is_spent(
    dialogues: list[Dialogue], tmp_path: Path, prices: Path
) -> None:
    def run(most: float | None) -> str:
        report = evaluate(
            dialogues,
            strategies=["no_memory"],
            models=["plugins:Writing"],
            out=tmp_path / "run",
            cache=False,
            max_cost=most,
            prices=prices,
        )
        (row,) = report.rows
        assert row.spending.dollars == pytest.approx(len(_answers(tmp_path / "run")))
        return report.stopped

    # How much of it is spent when it says so depends on which answers are still under way.
    assert re.search(r"--max-cost 5 is reached \(\$[0-5]\.0000 spent so far\)", run(5))
    assert len(_answers(tmp_path / "run")) == 5
    run(12)
    assert len(_answers(tmp_path / "run")) == 12
    assert run(None) == ""
    assert len(_answers(tmp_path / "run")) == 20


def test_a_limit_of_dollars_needs_a_price(dialogues: list[Dialogue], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nobody knows what writing costs"):
        evaluate(dialogues, models=["plugins:Writing"], max_cost=1, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_an_endpoint_that_is_not_there_is_told_once(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    import plugins

    plugins.Unreachable.calls = 0
    report = evaluate(dialogues, models=["plugins:Unreachable"], out=tmp_path, concurrency=1)
    assert plugins.Unreachable.calls == 5
    assert report.stopped.count("connection refused") == 1
    assert "--retry-failed" in report.stopped
    assert len(_answers(tmp_path)) == 5


def test_a_model_that_says_it_cannot_be_used_is_asked_nothing(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    import plugins

    plugins.Probed.asked.clear()
    with pytest.raises(ModelUnavailable, match="no such model"):
        evaluate(dialogues, models=["plugins:Probed"], out=tmp_path)
    assert plugins.Probed.asked == []
    assert list(RunFolder(tmp_path).records()) == []


def test_what_was_spent_is_not_forgotten_when_a_run_is_taken_up_again(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    """Nor thinned out by answers that are at hand the second time."""
    import plugins

    strategies = ["plugins:Writer", "plugins:Failing"]
    models = ["plugins:Counting"]
    plugins.Counting.asked.clear()
    for most in (9, 17, 33, None):
        report = evaluate(
            dialogues,
            strategies=strategies,
            models=models,
            out=tmp_path / "parts",
            max_calls=most,
            concurrency=3,
        )
    asked = plugins.Counting.asked
    failed = [kind for kind in asked if kind]
    assert sum(row.spending.calls for row in report.rows) == len(asked)
    counted = sum(sum(row.spending.failed_calls.values()) for row in report.rows)
    assert counted == len(failed) > 0
    whole = evaluate(dialogues, strategies=strategies, models=models, out=tmp_path / "whole")
    for row, expected in zip(report.rows, whole.rows, strict=True):
        assert (row.questions, row.failed) == (expected.questions, expected.failed)
        assert row.scores == expected.scores


def test_a_failure_that_was_repaired_stays_in_the_count_of_calls(
    dialogues: list[Dialogue], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memorycode.evaluation import run_experiment
    from memorycode.experiment import make_experiment

    monkeypatch.delenv("ENDPOINT_IS_UP", raising=False)
    experiment = make_experiment(
        {"strategies": ("no_memory",), "models": ("plugins:Recovering",), "dataset": "x"}
    )
    run_experiment(experiment, dialogues[:2], Execution(out=tmp_path))
    monkeypatch.setenv("ENDPOINT_IS_UP", "1")
    report = run_experiment(experiment, dialogues[:2], Execution(out=tmp_path, retry_failed=True))
    (row,) = report.rows
    assert (row.answered, row.failed) == (4, {})
    # Four failed; of the answers one prompt's came twice, and the second time from the cache.
    assert row.spending.failed_calls == {"connection": 4}
    assert row.spending.calls + row.spending.cached_answers == 8


def test_the_log_says_how_it_went_without_any_text(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    run = partial(evaluate, dialogues, models=["plugins:Moody"], out=tmp_path, cache=False)
    run(max_calls=6)
    run()
    log = (tmp_path / "run.log").read_text()
    lines = [line.split(" ", 1)[1] for line in log.splitlines()]
    assert lines[0].startswith("start setting history, 10 dialogues")
    assert any(line.startswith("failed server_error 1/3/0/no_memory/moody") for line in lines)
    assert any(line.startswith("stopped early (max_calls); in all 6 calls") for line in lines)
    assert any(line.startswith("resumed 6 questions were there") for line in lines)
    assert lines[-1].startswith("done; in all")
    assert "503" not in log
    assert "Welcome" not in log
