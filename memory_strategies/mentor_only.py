"""Recalls all that the mentor said: rules are the mentor's to state, so half the talk can go."""

from __future__ import annotations

from memory_strategies.query_free import QueryFreeMemory
from memorycode.dialogue import SessionView
from memorycode.protocols import Passage, Recall, StrategyContext
from memorycode.transcripts import joined, turns_of


class MentorOnly(QueryFreeMemory):
    """The mentor's turns alone, session by session."""

    variant: str = ""
    note: str = ""

    def __init__(self, context: StrategyContext) -> None:
        del context  # the turns need nothing
        self._passages: list[Passage] = []

    def _take_in(self, session: SessionView) -> None:
        said = [turn.text for turn in turns_of(session) if turn.by_mentor]
        if said:
            self._passages.append(Passage(text=joined(said), session=session.index))

    def _remembered(self) -> Recall:
        return Recall(passages=tuple(self._passages))
