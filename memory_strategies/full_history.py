"""Recalls every session verbatim, in time order: the paper's HISTORY setting."""

from __future__ import annotations

from memorycode.dialogue import Checkpoints, SessionView
from memorycode.protocols import Passage, Recall, StrategyContext


class FullHistory:
    """All sessions verbatim, in time order.

    The recall is built once per state, not once per question.
    """

    oracle: bool = False
    checkpoints: Checkpoints = "last"

    def __init__(self, context: StrategyContext) -> None:
        del context  # the transcript needs nothing
        self._passages: list[Passage] = []
        self._recall: Recall | None = None

    def observe(self, session: SessionView) -> None:
        """Append the session's text."""
        self._passages.append(Passage(text=session.text, session=session.index))
        self._recall = None

    def recall(self, query: str) -> Recall:
        """All sessions so far, whatever the query."""
        del query
        if self._recall is None:
            self._recall = Recall(passages=tuple(self._passages))
        return self._recall
