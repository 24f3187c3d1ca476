"""Dense retrieval: units and query as vectors of the run's embedder, in a faiss index.

By default all-MiniLM-L6-v2 (Reimers and Gurevych, arXiv 1908.10084), which reads 256 tokens. A
longer unit is embedded in pieces and counts by its best piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from memorycode.extras import Needs, needed
from memorycode.protocols import Embedder, Hit, Unit


class Dense:
    """Cosine similarity of the best piece of each unit, by faiss.

    Each piece is embedded once, when it is added.
    """

    needs: ClassVar[Needs] = {"dense": ("faiss",)}

    def __init__(self, *, embedder: Embedder) -> None:
        self._embedder = embedder
        self._index: Any = None
        self._owners: list[int] = []  # the unit of each piece
        self._units = 0

    def add(self, units: Sequence[Unit]) -> None:
        """Embed the units' pieces and put them behind those already there."""
        pieces: list[str] = []
        for unit in units:
            found = self._embedder.pieces(unit.text) or [unit.text]
            pieces += found
            self._owners += [self._units] * len(found)
            self._units += 1
        if pieces:
            vectors = self._embedder.embed(pieces)
            if self._index is None:
                self._index = _new_index(vectors.shape[1])
            self._index.add(vectors)

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units by their best piece."""
        if k < 1 or self._index is None:
            return []
        found, pieces = self._index.search(self._embedder.embed([query]), len(self._owners))
        scores = np.full(self._units, -np.inf, np.float32)
        np.maximum.at(scores, np.asarray(self._owners)[pieces[0]], found[0])
        best = np.argsort(-scores, kind="stable")[:k]
        return [Hit(position=int(place), score=float(scores[place])) for place in best]


def _new_index(dimensions: int) -> Any:
    needed("dense", "faiss")
    import faiss

    return faiss.IndexFlatIP(dimensions)
