"""Any LangChain retriever or vector store as a retriever: ``langchain:module:factory``.

The factory is a class or function that builds a `VectorStore` or a `BaseRetriever` (LangChain,
https://docs.langchain.com/oss/python/integrations/retrievers).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from memorycode.extras import Needs, needed
from memorycode.plugins import Target
from memorycode.protocols import Embedder, Hit, Unit


class LangChainRetriever:
    """What the target builds. A parameter `embedding` or `embeddings` of it is handed the run's
    embedder, a parameter `documents` all units added so far. Needs the extra ``langchain``."""

    needs: ClassVar[Needs] = {"langchain": ("langchain_core",)}
    embeds: ClassVar[bool] = False  # not for certain: the search sees to it where the target does

    def __init__(self, target: Target, embedder: Embedder) -> None:
        needed("langchain", "langchain_core.vectorstores")
        from memorycode.bridges.langchain_search import LangChainSearch

        self._index = LangChainSearch(target.name, target.factory, embedder)

    def add(self, units: Sequence[Unit]) -> None:
        """Add units; positions count on from those already there."""
        self._index.add(units)

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units, best first."""
        return self._index.search(query, k)
