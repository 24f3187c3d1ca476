"""Recalls only the versions that hold now, one line each; an oracle.

The last rung of the ladder: no irrelevant session, no talk, no superseded version. What is left to
the reader is to follow many rules at once.
"""

from __future__ import annotations

from memory_strategies.gold import gold_of
from memory_strategies.query_free import QueryFreeMemory
from memorycode.dialogue import SessionView
from memorycode.protocols import Passage, Recall, StrategyContext
from memorycode.transcripts import labelled


class ActiveRules(QueryFreeMemory):
    """The latest version of every instruction, in the order in which those were told."""

    oracle: bool = True
    variant: str = ""
    note: str = ""

    def __init__(self, context: StrategyContext) -> None:
        self._mentor = context.speakers.mentor
        self._latest: dict[int, Passage] = {}

    def _take_in(self, session: SessionView) -> None:
        """Raises `PluginError` for a view without gold."""
        for instruction in gold_of(session, "active_rules"):
            self._latest.pop(instruction.family, None)  # so that the new version goes to the end
            self._latest[instruction.family] = Passage(
                text=labelled(self._mentor, instruction.text), session=session.index
            )

    def _remembered(self) -> Recall:
        return Recall(passages=tuple(self._latest.values()))
