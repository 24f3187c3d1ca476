"""LlamaIndex is asked by what it is handed, never by its global settings."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest

from memory_strategies.llama_index_memory import LlamaIndexMemory
from memorycode.dialogue import Dialogue
from memorycode.protocols import StrategyContext

if importlib.util.find_spec("llama_index") is None:
    pytest.skip("llama-index-core is not installed", allow_module_level=True)

MakeContext = Callable[..., StrategyContext]


def test_global_settings_are_neither_read_nor_written(
    make_context: MakeContext, dialogue: Dialogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its settings make an OpenAI client where somebody reads them."""
    from llama_index.core import Settings

    before = dict(vars(Settings))

    def refuse(self: object) -> None:
        raise AssertionError("the global settings were read")

    for name in ("llm", "embed_model", "node_parser", "transformations", "tokenizer"):
        monkeypatch.setattr(type(Settings), name, property(refuse))
    strategy = LlamaIndexMemory(make_context())
    for index in range(len(dialogue.sessions)):
        strategy.observe(dialogue.view(index))
    assert strategy.recall("the harbour").passages
    monkeypatch.undo()
    assert dict(vars(Settings)) == before


def test_the_unit_may_be_the_session(make_context: MakeContext, dialogue: Dialogue) -> None:
    strategy = LlamaIndexMemory(make_context(), k=1, unit="session")
    for index in range(len(dialogue.sessions)):
        strategy.observe(dialogue.view(index))
    recall = strategy.recall("'_zz' on functions, the volcano trip")
    assert [p.text for p in recall.passages] == [dialogue.sessions[3].text]
