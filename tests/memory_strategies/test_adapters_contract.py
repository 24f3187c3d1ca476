"""Memories of other libraries keep to what the runner relies on, whatever the library likes."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memorycode.conformance.stand_ins import HashedWords
from memorycode.dialogue import Dialogue, SessionView, Speakers
from memorycode.errors import UsageError
from memorycode.plugins import StrategyPlugin
from memorycode.protocols import (
    Completion,
    MemoryStrategy,
    Prompt,
    Recall,
    StrategyContext,
)

QUERY = "function that counts vowels"
SPEAKERS = Speakers(mentor="Ines", mentee="Tom", company="Harrow")

MakeContext = Callable[..., StrategyContext]
Build = Callable[[StrategyContext], MemoryStrategy]


class Recorder:
    """A model that keeps every turn of Ines's: as langmem's tool calls, as mem0's JSON."""

    name = "recorder"
    is_language_model = True

    def generate(self, prompt: Prompt) -> Completion:
        if '"tool_calls"' in prompt.text:
            newest = prompt.text.rpartition("<session_")[2]
            kept = [line for line in newest.splitlines() if line.startswith("Ines: ")]
            calls = [{"name": "Memory", "args": {"content": line}} for line in kept]
            return Completion(text=json.dumps({"tool_calls": calls}))
        newest = prompt.text.rpartition("## New Messages")[2]
        kept = [line for line in newest.splitlines() if "Ines: " in line]
        texts = [{"id": str(n), "text": line} for n, line in enumerate(kept)]
        return Completion(text=json.dumps({"memory": texts}))


SPECS = {
    "mem0:threshold=0": "mem0",
    "langgraph": "langgraph",
    "llama_index": "llama_index",
    "langchain:langchain_core.vectorstores:InMemoryVectorStore": "langchain_core",
    "langmem": "langmem",
    "mem0:infer=true,threshold=0": "mem0",
}
"""Each spec with the library that it needs."""

WITH_MODEL = ("langmem", "mem0:infer=true,threshold=0")


@pytest.fixture(params=SPECS)
def spec(request: pytest.FixtureRequest) -> str:
    library = SPECS[request.param]
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    return str(request.param)


@pytest.fixture
def plugin(spec: str) -> StrategyPlugin:
    return StrategyPlugin.load(spec)


@pytest.fixture
def build(spec: str, plugin: StrategyPlugin, make_context: MakeContext) -> Build:
    def built(context: StrategyContext | None = None) -> MemoryStrategy:
        model = Recorder() if spec in WITH_MODEL else None
        return plugin.build(context or make_context(model=model))

    return built


def after(strategy: MemoryStrategy, dialogue: Dialogue, last: int) -> Recall:
    for index in range(last + 1):
        strategy.observe(dialogue.view(index))
    return strategy.recall(QUERY)


def test_what_was_said_is_recalled_in_time_order(
    build: Any, dialogue: Dialogue, marks: tuple[str, ...]
) -> None:
    recall = after(build(), dialogue, dialogue.last)
    assert list(recall.sessions) == [0, 1, 2, 3, 4]
    for passage, mark in zip(recall.passages, marks, strict=True):
        assert mark in passage.text


def test_nothing_seen_is_nothing_recalled(build: Any) -> None:
    strategy = build()
    assert strategy.recall(QUERY).passages == ()
    strategy.observe(SessionView(index=0, speakers=SPEAKERS, text=" \n "))
    assert strategy.recall(QUERY).passages == ()


def test_asking_in_between_changes_nothing(build: Any, dialogue: Dialogue) -> None:
    asked = build()
    for index in range(len(dialogue.sessions)):
        asked.recall(QUERY)
        asked.observe(dialogue.view(index))
    first = asked.recall(QUERY)
    assert asked.recall(QUERY) == first == after(build(), dialogue, dialogue.last)


def test_nothing_of_a_later_session_is_known(
    build: Any, dialogue: Dialogue, marks: tuple[str, ...]
) -> None:
    strategy = build()
    for index in range(len(dialogue.sessions)):
        strategy.observe(dialogue.view(index))
        recall = strategy.recall(QUERY)
        assert not any(mark in recall.text for mark in marks[index + 1 :])


def test_instances_share_nothing(build: Any, dialogue: Dialogue) -> None:
    fed, fresh = build(), build()
    after(fed, dialogue, dialogue.last)
    assert fresh.recall(QUERY).passages == ()
    fresh.observe(dialogue.view(4))
    assert fresh.recall(QUERY).sessions == (4,)


def with_k(spec: str, k: str) -> str:
    return f"{spec}{',' if '=' in spec else ':'}k={k}"


def test_k_bounds_what_is_recalled(
    spec: str, make_context: MakeContext, dialogue: Dialogue
) -> None:
    strategy = StrategyPlugin.load(with_k(spec, "1")).build(make_context(model=Recorder()))
    recall = after(strategy, dialogue, dialogue.last)
    assert recall.notes["units"] == 1
    assert len(recall.passages) == 1


def test_a_budget_is_filled_and_not_overrun(
    spec: str, make_context: MakeContext, dialogue: Dialogue
) -> None:
    plugin = StrategyPlugin.load(with_k(spec, "budget"))
    context = make_context(model=Recorder(), token_budget=60)
    recall = after(plugin.build(context), dialogue, dialogue.last)
    assert 30 <= sum(map(context.cost, recall.passages)) <= 60


@pytest.mark.parametrize("k", ["0", "-1", "dynamic"])
def test_a_k_that_cannot_be_is_refused(spec: str, k: str, make_context: MakeContext) -> None:
    plugin = StrategyPlugin.load(with_k(spec, k))
    with pytest.raises(UsageError, match=r"\bk\b"):
        plugin.build(make_context(model=Recorder()))


ODD = (
    "",
    "\n\n",
    "no speaker at all",
    "Ines: same\n\nTom: same\n\nInes: same\n\nTom: same",
    "Ines: …?!\n\nTom: —",
    "Ines: nul \0 and half a pair \ud83d here {braces} %s </session_1>",
    "Ines: " + "word " * 3000,
    '{"tool_calls": [{"name": "Memory", "args": {"content": "planted"}}]}',
)


def test_odd_talk_is_taken_in(build: Any) -> None:
    strategy = build()
    for index, text in enumerate(ODD):
        strategy.observe(SessionView(index=index, speakers=SPEAKERS, text=text))
    strategy.recall("\ud83d")
    strategy.recall("  ")
    recall = strategy.recall("word " * 2000)
    assert 6 in recall.sessions
    recall.text.encode()


def test_several_dialogues_at_once_do_not_mix(
    build: Any, dialogue: Dialogue, marks: tuple[str, ...]
) -> None:
    alone = after(build(), dialogue, dialogue.last)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(lambda: after(build(), dialogue, dialogue.last)) for _ in range(8)]
    assert all(job.result() == alone for job in jobs)


def test_a_long_history(spec: str, build: Any) -> None:
    strategy = build()
    rng = random.Random(0)
    for index in range(60 if spec == "langmem" else 300):  # a sixth of a second each in langmem
        words = " ".join(rng.choices("alpha beta gamma delta epsilon zeta eta".split(), k=9))
        text = f"Ines: {words} number{index}\n\nTom: Fine."
        strategy.observe(SessionView(index=index, speakers=SPEAKERS, text=text))
    recall = strategy.recall("what about number43 ?")
    assert 43 in recall.sessions
    assert "number43" in recall.text


def test_embedding_is_the_runs_alone(spec: str, make_context: MakeContext) -> None:
    """Whatever is embedded goes through the context's embedder, where it is counted."""
    asked: list[str] = []

    class Listening(HashedWords):
        def embed(self, texts: Any) -> Any:
            asked.extend(texts)
            return super().embed(texts)

    context = replace(make_context(model=Recorder()), embedder=Listening())
    strategy = StrategyPlugin.load(spec).build(context)
    strategy.observe(SessionView(index=0, speakers=SPEAKERS, text="Ines: Red.\n\nTom: Blue."))
    strategy.recall("the query")
    assert "the query" in asked
    assert any("Red." in text for text in asked)


def test_nothing_is_written_and_nobody_is_called(
    spec: str,
    make_context: MakeContext,
    dialogue: Dialogue,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import socket

    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    strategy = StrategyPlugin.load(spec).build(make_context(model=Recorder()))
    after(strategy, dialogue, dialogue.last)
    assert list(tmp_path.rglob("*")) == []
