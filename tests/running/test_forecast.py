"""What a run would send is what it then sends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.evaluation import evaluate, prepare_job
from memorycode.experiment import make_experiment
from memorycode.prices import Price, PriceList
from memorycode.running.folder import RunFolder
from memorycode.running.forecast import ANSWER_TOKENS, MEMORY_TOKENS, Forecast, forecast
from tests.commands import run_command

PRICES = PriceList(models={"writing": Price(input=2, output=30)})


@pytest.fixture
def dialogues(small_dialogue: Dialogue) -> list[Dialogue]:
    return [small_dialogue.model_copy(update={"number": n}) for n in range(1, 4)]


def _forecasts(dialogues: list[Dialogue], **settings: Any) -> list[Forecast]:
    experiment = make_experiment({"dataset": "x", "models": ("plugins:Writing",)} | settings)
    job = prepare_job(experiment, dialogues)
    return list(forecast(job, PRICES, experiment))


def test_prompt_tokens_are_those_of_the_run(dialogues: list[Dialogue], tmp_path: Path) -> None:
    import plugins  # type: ignore[import-not-found]

    strategies = ("no_memory", "cumulative", "rag:k=2", "instruction_chain")
    plugins.Writing.asked.clear()
    found = _forecasts(dialogues, strategies=strategies, repeats=2, context_budget=70)
    assert plugins.Writing.asked == []
    evaluate(
        dialogues,
        strategies=strategies,
        models=["plugins:Writing"],
        repeats=2,
        context_budget=70,
        cache=False,
        out=tmp_path,
    )
    records = list(RunFolder(tmp_path).records())
    assert sum(one.calls for one in found) == len(records) == len(plugins.Writing.asked)
    for one in found:
        asked = [record for record in records if record.strategy == one.strategy]
        assert (one.questions, one.is_estimate) == (len(asked), False)
        assert one.prompt_tokens == sum(record.prompt_tokens for record in asked)
        assert one.answer_tokens == ANSWER_TOKENS * len(asked)
        assert one.dollars == pytest.approx((2 * one.prompt_tokens + 30 * one.answer_tokens) / 1e6)


def test_what_the_context_does_not_hold_is_not_counted(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    (one,) = _forecasts(dialogues, strategies=("full_history",), context_limit=100)
    assert (one.questions, one.unsent, one.calls, one.prompt_tokens) == (6, 6, 0, 0)


def test_what_bounds_an_answer_in_the_body_is_its_length(dialogues: list[Dialogue]) -> None:
    (one,) = _forecasts(
        dialogues,
        strategies=("no_memory",),
        max_tokens="none",
        body={"max_completion_tokens": 50},
    )
    assert one.answer_tokens == 50 * one.questions


def test_a_strategy_that_asks_is_estimated_by_its_sessions(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    (one,) = _forecasts(dialogues, strategies=("plugins:Writer",), max_tokens=50)
    assert one.is_estimate
    assert one.memory_calls == 3 * 4
    assert one.memory_completion_tokens == 12 * MEMORY_TOKENS
    assert one.answer_tokens == 6 * 50
    assert one.calls == 12 + 6
    report = evaluate(
        dialogues,
        strategies=["plugins:Writer"],
        models=["plugins:Writing"],
        cache=False,
        out=tmp_path,
    )
    (row,) = report.rows
    assert row.spending.calls == one.calls


def test_a_strategy_that_asks_while_recalling_is_estimated_by_its_questions(
    dialogues: list[Dialogue],
) -> None:
    (one,) = _forecasts(dialogues, strategies=("plugins:Searcher",), repeats=3)
    assert one.memory_calls == 6  # once for the repeats of a question
    assert one.calls == 6 + 18


def test_a_strategy_that_raises_is_told(dialogues: list[Dialogue]) -> None:
    (one,) = _forecasts(dialogues, strategies=("plugins:Breaking",))
    assert (one.broken, one.calls) == (6, 0)


def test_a_stand_in_costs_nothing(dialogues: list[Dialogue]) -> None:
    (one,) = _forecasts(dialogues, strategies=("no_memory",), models=("ideal-mentee",))
    assert (one.dollars, one.answer_tokens) == (None, 0)


def _dry_run(tmp_path: Path, dialogues: list[Dialogue], *options: str) -> str:
    write_dataset(dialogues, tmp_path / "data")
    done = run_command(
        *("run", "--dataset", tmp_path / "data"),
        *("--model", "openai/gpt-4o", "--base-url", "http://127.0.0.1:9/v1", "--dry-run"),
        *("--strategy", "full_history", "--strategy", "rolling_summary", *options),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    return done.stdout


def test_the_command_says_so_and_leaves_nothing_behind(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    text = " ".join(_dry_run(tmp_path, dialogues).split())
    assert "What a run with openai/gpt-4o would send" in text
    assert "12 of its calls are the memory's own" in text
    assert f"Answers: {ANSWER_TOKENS} tokens each are assumed" in text
    assert "at list prices (2025" in text


def test_the_command_has_numbers_for_machines(dialogues: list[Dialogue], tmp_path: Path) -> None:
    full, summary = json.loads(_dry_run(tmp_path, dialogues, "--json", "--max-tokens", "100"))
    assert (full["calls"], full["is_estimate"], full["answer_tokens"]) == (6, False, 600)
    assert (summary["calls"], summary["is_estimate"]) == (18, True)
