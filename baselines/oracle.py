"""Perfect retrieval by the gold labels: how far any retriever could get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from memorycode.dialogue import OracleView
from memorycode.protocols import Hit, Unit


class Oracle:
    """The units of gold sessions first, newest first, then the others.

    `which` is ``instructions`` (sessions with instructions) or ``active`` (sessions one of whose
    instructions still holds).
    """

    oracle = True

    def __init__(self, *, which: Literal["instructions", "active"] = "instructions") -> None:
        self._which = which
        self._sessions: list[int] = []
        self._gold: set[int] = set()
        self._latest: dict[int, int] = {}  # by family, the session that told it last

    def label(self, session: OracleView) -> None:
        """Take in the gold labels of a session."""
        if session.instructions:
            self._gold.add(session.index)
        for instruction in session.instructions:
            self._latest[instruction.family] = session.index

    def add(self, units: Sequence[Unit]) -> None:
        """Count the units; what counts is their session."""
        self._sessions += [unit.session for unit in units]

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units, whatever the query; the score is 1 for gold and 0 for others."""
        del query
        gold = self._gold if self._which == "instructions" else set(self._latest.values())
        scores = [float(session in gold) for session in self._sessions]
        best = sorted(range(len(scores)), key=lambda place: (-scores[place], -place))
        return [Hit(position=place, score=scores[place]) for place in best[: max(k, 0)]]
