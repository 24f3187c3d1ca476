"""What memories have in common that recall the same whatever is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod

from memorycode.dialogue import AskAfter, SessionView
from memorycode.protocols import Recall


class QueryFreeMemory(ABC):
    """A memory whose recall does not depend on the query: made once per state, so that what a
    reader of many prompts has worked out of it serves all of them."""

    oracle: bool = False
    ask_after: AskAfter = "last"

    _recall: Recall | None = None

    def observe(self, session: SessionView) -> None:
        """Take in one session."""
        self._recall = None
        self._take_in(session)

    def recall(self, query: str) -> Recall:
        """What is remembered, whatever the query."""
        del query
        if self._recall is None:
            self._recall = self._remembered()
        return self._recall

    @abstractmethod
    def _take_in(self, session: SessionView) -> None: ...

    @abstractmethod
    def _remembered(self) -> Recall: ...
