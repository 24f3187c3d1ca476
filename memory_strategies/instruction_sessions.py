"""Recalls just the sessions that carry instructions, verbatim; an oracle.

The first rung of the ladder below the whole history: irrelevant sessions are gone, the talk
around the rules is not.
"""

from __future__ import annotations

from memory_strategies.gold import gold_of
from memory_strategies.query_free import QueryFreeMemory
from memorycode.dialogue import SessionView
from memorycode.protocols import Passage, Recall, StrategyContext


class InstructionSessions(QueryFreeMemory):
    """The sessions with instructions, verbatim and in time order, and no other."""

    oracle: bool = True
    variant: str = ""
    note: str = ""

    def __init__(self, context: StrategyContext) -> None:
        del context  # the transcript needs nothing
        self._passages: list[Passage] = []

    def _take_in(self, session: SessionView) -> None:
        """Raises `PluginError` for a view without gold."""
        if gold_of(session, "instruction_sessions"):
            self._passages.append(Passage(text=session.text, session=session.index))

    def _remembered(self) -> Recall:
        return Recall(passages=tuple(self._passages))
