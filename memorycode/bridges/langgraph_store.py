"""LangGraph's `InMemoryStore` with semantic search, over the run's embedder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from langgraph.store.memory import InMemoryStore

from memorycode.bridges.langchain_embeddings import LangChainEmbeddings
from memorycode.protocols import Embedder, Hit

_NAMESPACE = ("dialogue",)


class LangGraphStore:
    """Texts by number, in a store of their own."""

    def __init__(self, embedder: Embedder) -> None:
        self._embeddings = LangChainEmbeddings(embedder)
        self._store: InMemoryStore | None = None

    def put(self, texts: Mapping[int, str]) -> None:
        """Store texts, one at least."""
        dimensions = self._embeddings.prepare(texts.values())
        if self._store is None:
            self._store = InMemoryStore(
                index={"embed": self._embeddings, "dims": dimensions, "fields": ["text"]}
            )
        for number, text in texts.items():
            # One by one: the store refuses a batch in which two texts are the same.
            self._store.put(_NAMESPACE, str(number), {"text": text})

    def delete(self, numbers: Iterable[int]) -> None:
        """Take texts out again; all of them must be there."""
        for number in numbers:
            if self._store is not None:
                self._store.delete(_NAMESPACE, str(number))

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` texts by their numbers, best first; none for a blank query."""
        if self._store is None or not query.strip():
            return []
        found = self._store.search(_NAMESPACE, query=query, limit=k)
        return [Hit(position=int(item.key), score=item.score) for item in found]
