"""Our embedder as LangChain's `Embeddings`: for its vector stores, LangGraph's store and mem0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langchain_core.embeddings import Embeddings

from memorycode.bridges.vectors import vectors_of
from memorycode.protocols import Embedder


class LangChainEmbeddings(Embeddings):
    """Vectors of the run's embedder.

    Libraries like to ask for one text at a time, which is slow: `prepare` embeds many at once, and
    they are then handed out. One instance belongs to one memory.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._prepared: dict[str, list[float]] = {}

    def prepare(self, texts: Iterable[str]) -> int:
        """Embed texts that are about to be asked for; says how many dimensions vectors have.

        What was prepared before is forgotten. There must be one text at least.
        """
        distinct = list(dict.fromkeys(texts))
        vectors = vectors_of(self._embedder, distinct)
        self._prepared = dict(zip(distinct, vectors, strict=True))
        return len(vectors[0])

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length one per text."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._prepared))
        vectors = vectors_of(self._embedder, missing)
        found = self._prepared | dict(zip(missing, vectors, strict=True))
        return [found[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query, which is embedded as any other text."""
        return self.embed_documents([text])[0]
