"""Recalls the newest sessions verbatim: the sliding window of most chat applications."""

from __future__ import annotations

from collections import deque

from memory_strategies.query_free import QueryFreeMemory
from memorycode.dialogue import SessionView
from memorycode.errors import UsageError
from memorycode.protocols import Passage, Recall, StrategyContext


class RecentSessions(QueryFreeMemory):
    """The last `n` sessions, or without `n` as many as the run's budget holds.

    Without either that is the whole history.
    """

    def __init__(self, context: StrategyContext, *, n: int | None = None) -> None:
        if n is not None and n < 1:
            raise UsageError(f"recent_sessions: n is a number of sessions from 1 on, not {n}")
        self._n = n
        self._budget = context.token_budget
        self._cost = context.cost
        self._tokens = 0
        self._kept: deque[tuple[Passage, int]] = deque()

    def _take_in(self, session: SessionView) -> None:
        passage = Passage(text=session.text, session=session.index)
        cost = self._cost(passage) if self._budget is not None else 0
        self._kept.append((passage, cost))
        self._tokens += cost
        while len(self._kept) > 1 and self._is_too_much():
            self._tokens -= self._kept.popleft()[1]

    def _is_too_much(self) -> bool:
        too_many = self._n is not None and len(self._kept) > self._n
        return too_many or (self._budget is not None and self._tokens > self._budget)

    def _remembered(self) -> Recall:
        return Recall(passages=tuple(passage for passage, _ in self._kept))
