"""Retrieval by age alone: what any search has to beat that is said to find what matters."""

from __future__ import annotations

from collections.abc import Sequence

from memorycode.protocols import Hit, Unit


class Recency:
    """The newest units first, whatever the query."""

    def __init__(self) -> None:
        self._units = 0

    def add(self, units: Sequence[Unit]) -> None:
        """Count the units; their text does not matter."""
        self._units += len(units)

    def search(self, query: str, k: int) -> list[Hit]:
        """The newest `k` units; the score is the position."""
        del query
        newest = range(self._units - 1, -1, -1)[: max(k, 0)]
        return [Hit(position=position, score=float(position)) for position in newest]
