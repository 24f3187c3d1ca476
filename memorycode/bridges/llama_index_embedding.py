"""Our embedder as LlamaIndex's `BaseEmbedding`."""

from __future__ import annotations

from llama_index.core.embeddings import BaseEmbedding
from pydantic import PrivateAttr

from memorycode.bridges.vectors import vectors_of
from memorycode.protocols import Embedder

_BATCH = 512
"""Texts that LlamaIndex hands over at once; the embedder makes batches of its own."""


class LlamaIndexEmbedding(BaseEmbedding):
    """Vectors of the run's embedder; queries are embedded as any other text."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(model_name=embedder.name, embed_batch_size=_BATCH)
        self._embedder = embedder

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return vectors_of(self._embedder, texts)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embeddings([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)
