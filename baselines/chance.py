"""Retrieval by chance: the control of every retrieval table."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memorycode.protocols import Hit, Unit


class Chance:
    """Units in a random order that depends on `seed`, the query and the unit alone.

    Hence the same for the same question, whatever else was asked. The run's seed has no part in it.
    """

    def __init__(self, *, seed: int = 0) -> None:
        self._seed = seed
        self._texts: list[str] = []

    def add(self, units: Sequence[Unit]) -> None:
        """Keep the units' texts: they decide their scores."""
        self._texts += [f"{unit.session} {unit.text}" for unit in units]

    def search(self, query: str, k: int) -> list[Hit]:
        """The `k` units with the highest scores, which are uniform between 0 and 1."""
        scores = [self._score(query, position) for position in range(len(self._texts))]
        best = sorted(range(len(scores)), key=lambda position: (-scores[position], position))
        return [Hit(position=position, score=scores[position]) for position in best[: max(k, 0)]]

    def _score(self, query: str, position: int) -> float:
        text = f"{self._seed}\0{query}\0{position}\0{self._texts[position]}"
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") / 2**64
