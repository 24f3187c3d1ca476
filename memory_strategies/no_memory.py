"""Recalls nothing: the control that every memory has to beat."""

from __future__ import annotations

from memorycode.dialogue import AskAfter, SessionView
from memorycode.protocols import Recall, StrategyContext


class NoMemory:
    """Nothing: the control."""

    oracle: bool = False
    ask_after: AskAfter = "last"
    variant: str = ""
    note: str = ""
    recalls_nothing = True  # so that `memorycode check` expects nothing

    def __init__(self, context: StrategyContext) -> None:
        del context  # nothing to set up

    def observe(self, session: SessionView) -> None:
        """Take no notice."""

    def recall(self, query: str) -> Recall:
        """Nothing, whatever the query."""
        del query
        return Recall()
