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
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("20 of 20 questions, ")
    for part in (" a second, ", "10 strategy_error, ", "1.1k tokens, ", "$10.00, ", "0:00:00 left"):
        assert part in last


def test_a_run_that_is_taken_up_again_says_what_is_there(
    small_dialogue: Dialogue, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = make_experiment({"strategies": ("no_memory",)})
    for _ in range(2):
        with RunProgress() as progress:
            run_experiment(experiment, [small_dialogue], Execution(out=tmp_path), progress)
    assert "resumed: 2 of 2 questions were there already" in capsys.readouterr().err
