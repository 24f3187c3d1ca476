"""Recalls every session verbatim, in time order: the paper's HISTORY setting."""

from __future__ import annotations

from memory_strategies.query_free import QueryFreeMemory
from memorycode.dialogue import SessionView
from memorycode.protocols import Passage, Recall, StrategyContext


class FullHistory(QueryFreeMemory):
    """All sessions verbatim, in time order (arXiv 2502.13791, HISTORY)."""

    variant: str = ""
    note: str = ""

    def __init__(self, context: StrategyContext) -> None:
        del context  # the transcript needs nothing
        self._passages: list[Passage] = []

    def _take_in(self, session: SessionView) -> None:
        self._passages.append(Passage(text=session.text, session=session.index))

    def _remembered(self) -> Recall:
        return Recall(passages=tuple(self._passages))
