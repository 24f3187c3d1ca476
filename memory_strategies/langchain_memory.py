"""Recalls what a LangChain retriever or vector store of your own finds.

``langchain:module:factory`` names a class or function that builds a `VectorStore` or a
`BaseRetriever` (LangChain, https://docs.langchain.com/oss/python/integrations/retrievers). A
parameter `embedding` or `embeddings` of it is handed the run's embedder, a parameter `documents`
all that was said so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from memory_strategies.found_units import DEFAULT_K, FoundUnits
from memorycode.dialogue import SessionView
from memorycode.extras import Needs, needed
from memorycode.plugins import Target
from memorycode.protocols import Hit, StrategyContext, Unit


class LangChainMemory(FoundUnits):
    """The best `k` units that the target finds.

    `k` is a number, or ``budget`` for as many as the run's budget holds; `unit` is ``turn``,
    ``exchange`` or ``session``. Needs the extra ``langchain``.
    """

    needs: ClassVar[Needs] = {"langchain": ("langchain_core",)}

    def __init__(
        self,
        context: StrategyContext,
        *,
        target: Target,
        k: int | str = DEFAULT_K,
        unit: str = "turn",
    ) -> None:
        super().__init__(context, "langchain", k, unit)
        needed("langchain", "langchain_core.vectorstores")
        from memorycode.bridges.langchain_search import LangChainSearch

        self._index = LangChainSearch(target.name, target.factory, context.embedder)

    def _store(self, session: SessionView, units: Sequence[Unit], first: int) -> Sequence[Unit]:
        del session, first  # positions count on by themselves
        self._index.add(units)
        return units

    def _search(self, query: str, k: int) -> Sequence[Hit]:
        return self._index.search(query, k)
