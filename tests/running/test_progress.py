"""Signs of life: what is done, what fails, what it takes, how long it will be."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.evaluation import run_experiment
from memorycode.experiment import make_experiment
from memorycode.reporting import progress as module
from memorycode.reporting.progress import RunProgress
from memorycode.running.execution import Execution


def test_a_line_has_rate_failures_tokens_dollars_and_time_left(
    small_dialogue: Dialogue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_LINES", -1)
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in range(1, 6)]
    experiment = make_experiment(
        {"strategies": ("plugins:Breaking", "no_memory"), "models": ("plugins:Writing",)}
    )
    prices = tmp_path / "prices.toml"
    prices.write_text("[models.writing]\ninput = 10_000\noutput = 0\n")
    with RunProgress() as progress:
        run_experiment(
            experiment,
            dialogues,
            Execution(out=tmp_path / "run", concurrency=1, cache=False, prices=prices),
            progress,
        )
    *_, before, last = capsys.readouterr().err.splitlines()
    for line in (before, last):
        assert line.startswith("20 of 20 questions, ")
        for part in (" a second, ", "10 strategy_error, ", "1.1k tokens, ", "$10.00"):
            assert part in line
    assert before.endswith(", 0:00:00 left")


def test_the_last_line_says_what_the_table_below_it_says(
    small_dialogue: Dialogue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And not what was spent when the time for a line had come."""
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in range(1, 6)]
    experiment = make_experiment({"strategies": ("no_memory",), "models": ("plugins:Writing",)})
    prices = tmp_path / "prices.toml"
    prices.write_text("[models.writing]\ninput = 10_000\noutput = 0\n")
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_LINES", -1)
    with RunProgress() as progress:
        monkeypatch.setattr(module, "_SECONDS_BETWEEN_LINES", 1e9)
        execution = Execution(out=tmp_path / "run", concurrency=1, cache=False, prices=prices)
        report = run_experiment(experiment, dialogues, execution, progress)
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("1 of 10 questions") and "$1.00" in first
    assert last.startswith("10 of 10 questions") and "$10.00" in last
    assert [row.spending.dollars for row in report.rows] == [10.0]


def test_a_run_that_is_taken_up_again_says_what_is_there(
    small_dialogue: Dialogue, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = make_experiment({"strategies": ("no_memory",)})
    for _ in range(2):
        with RunProgress() as progress:
            run_experiment(experiment, [small_dialogue], Execution(out=tmp_path), progress)
    assert "resumed: 2 of 2 questions were there already" in capsys.readouterr().err
