"""Retrieval of sessions: what the retriever is asked, and what is made of its hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memory_strategies.rag import Rag
from memorycode.dialogue import Dialogue
from memorycode.errors import PluginError, UsageError
from memorycode.protocols import Hit, StrategyContext, Unit

MakeContext = Callable[..., StrategyContext]


class Scripted:
    """Returns the positions it was given, the best first, and notes what it was asked."""

    def __init__(self, *positions: int) -> None:
        self._positions = positions
        self.units: list[Unit] = []
        self.asked: list[tuple[str, int]] = []

    def add(self, units: Sequence[Unit]) -> None:
        self.units += units

    def search(self, query: str, k: int) -> list[Hit]:
        self.asked.append((query, k))
        known = [p for p in self._positions if p < len(self.units)]
        return [Hit(position=p, score=-float(rank)) for rank, p in enumerate(known[:k])]


def test_units_are_whole_sessions(make_context: MakeContext, dialogue: Dialogue) -> None:
    retriever = Scripted()
    strategy = Rag(make_context(), retriever=retriever, k=1)
    for session in dialogue.sessions:
        strategy.observe(dialogue.view(session.index))
    assert retriever.units == [Unit(text=s.text, session=s.index) for s in dialogue.sessions]


def test_the_best_hits_come_in_time_order(make_context: MakeContext, dialogue: Dialogue) -> None:
    retriever = Scripted(4, 0, 3, 1, 2)
    strategy = Rag(make_context(), retriever=retriever, k=3)
    for session in dialogue.sessions:
        strategy.observe(dialogue.view(session.index))
    recall = strategy.recall("the query")
    assert retriever.asked == [("the query", 3)]
    assert recall.sessions == (0, 3, 4)
    assert [p.text for p in recall.passages] == [dialogue.sessions[i].text for i in (0, 3, 4)]
    assert recall.notes == {"k": 3, "queries": ["the query"]}


def test_dynamic_k_counts_the_sessions_with_instructions_so_far(
    make_context: MakeContext, dialogue: Dialogue
) -> None:
    """Session 3 carries two instructions and is still one session."""
    retriever = Scripted(3, 1, 0)
    strategy = Rag(make_context(), retriever=retriever)
    ks = []
    for session in dialogue.sessions:
        strategy.observe(dialogue.oracle_view(session.index))
        ks.append(strategy.recall("query").notes["k"])
    assert ks == [0, 1, 1, 2, 2]
    assert strategy.recall("query").sessions == (1, 3)


def test_no_instruction_session_recalls_nothing(
    make_context: MakeContext, dialogue: Dialogue
) -> None:
    strategy = Rag(make_context(), retriever=Scripted(0))
    strategy.observe(dialogue.oracle_view(0))
    assert strategy.recall("query").passages == ()


def test_only_a_dynamic_k_is_an_oracle(make_context: MakeContext, dialogue: Dialogue) -> None:
    assert Rag(make_context(), retriever=Scripted()).oracle
    assert not Rag(make_context(), retriever=Scripted(), k=5).oracle


def test_a_dynamic_k_says_that_it_needs_gold(make_context: MakeContext, dialogue: Dialogue) -> None:
    retriever = Scripted()
    with pytest.raises(PluginError, match=r"gold.*session 0"):
        Rag(make_context(), retriever=retriever).observe(dialogue.view(0))
    assert retriever.units == []


@pytest.mark.parametrize("k", [0, -1, "all", 2.5])
def test_a_k_that_means_nothing_is_refused(make_context: MakeContext, k: Any) -> None:
    with pytest.raises(UsageError, match="whole number from 1 on"):
        Rag(make_context(), retriever=Scripted(), k=k)


@pytest.mark.parametrize("position", [1, -1])
def test_a_hit_that_was_never_added_is_the_retrievers_fault(
    make_context: MakeContext, dialogue: Dialogue, position: int
) -> None:
    class Wrong(Scripted):
        def search(self, query: str, k: int) -> list[Hit]:
            return [Hit(position=position, score=1.0)]

    strategy = Rag(make_context(), retriever=Wrong(), k=1)
    strategy.observe(dialogue.view(0))
    with pytest.raises(PluginError, match=f"Wrong found unit {position}, but 1 were added"):
        strategy.recall("query")
