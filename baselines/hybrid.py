"""Hybrid retrieval: sparse and dense rankings fused by their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from baselines.bm25 import BM25
from baselines.dense import Dense
from memorycode.extras import Needs
from memorycode.protocols import Embedder, Hit, Unit
from memorycode.retrieval.fusion import fused


class Hybrid:
    """BM25 and dense by reciprocal rank fusion (Cormack et al., SIGIR 2009)."""

    needs: ClassVar[Needs] = Dense.needs

    def __init__(self, *, embedder: Embedder) -> None:
        self._retrievers = (BM25(), Dense(embedder=embedder))
        self._units = 0

    def add(self, units: Sequence[Unit]) -> None:
        """Add the units to both."""
        self._units += len(units)
        for retriever in self._retrievers:
            retriever.add(units)

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units over both rankings, each of all units."""
        if k < 1:
            return []
        return fused([retriever.search(query, self._units) for retriever in self._retrievers], k)
