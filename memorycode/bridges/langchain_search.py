"""Any LangChain vector store or retriever as our `Retriever`.

It is built by a factory: a class or a function whose parameters may be `embedding` or `embeddings`
(it is handed the run's) and `documents` (what is built from all documents at once, as most
retrievers are, is built again by the first search after an add).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

from memorycode.bridges.langchain_embeddings import LangChainEmbeddings
from memorycode.errors import PluginError
from memorycode.extras import check_installed
from memorycode.messages import without_half_pairs
from memorycode.plugin_faults import optional
from memorycode.protocols import Embedder, Hit, Unit

_EMBEDDINGS = ("embedding", "embeddings")
_DOCUMENTS = "documents"

POSITION = "position"
"""The metadata of a document by which a hit is known again; `session` stands beside it."""


class LangChainSearch:
    """What a factory builds, as a `Retriever`. `name` is the factory's, for errors."""

    def __init__(self, name: str, factory: Callable[..., Any], embedder: Embedder) -> None:
        """Raises `PluginError` where the factory builds something else, or cannot be told."""
        self._name, self._factory = name, factory
        parameters = _parameters(name, factory)
        embeddings = LangChainEmbeddings(embedder)
        self._given = {key: embeddings for key in _EMBEDDINGS if key in parameters}
        if self._given:
            check_installed({name: optional(embedder, "needs", {})})
        self._is_built_anew = _DOCUMENTS in parameters
        self._documents: list[Document] = []
        self._found: VectorStore | BaseRetriever | None = None
        if not self._is_built_anew:
            self._found = self._built()

    def add(self, units: Sequence[Unit]) -> None:
        """Add units as documents with their position and session as metadata."""
        first = len(self._documents)
        documents = [
            Document(
                page_content=without_half_pairs(unit.text),
                metadata={POSITION: first + number, "session": unit.session},
            )
            for number, unit in enumerate(units)
        ]
        self._documents += documents
        if self._is_built_anew:
            self._found = None
        elif documents:
            self._put(self._found, documents)

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units, best first; a retriever that has a number of its own may find
        fewer."""
        if k < 1 or not self._documents:
            return []
        if self._found is None:
            self._found = self._built(documents=list(self._documents))
        if isinstance(self._found, VectorStore):
            return self._most_alike(self._found, query, k)
        documents = _asking_for(self._found, k).invoke(query)
        places = list(dict.fromkeys(map(self._position, documents)))[:k]
        return [Hit(position=place, score=-float(rank)) for rank, place in enumerate(places)]

    def _built(self, **documents: list[Document]) -> VectorStore | BaseRetriever:
        built = self._factory(**self._given, **documents)
        if not isinstance(built, VectorStore | BaseRetriever):
            raise PluginError(
                f"{self._name}: {type(built).__name__} is no LangChain vector store or retriever"
            )
        return built

    def _put(self, found: Any, documents: list[Document]) -> None:
        if isinstance(found, VectorStoreRetriever):
            found = found.vectorstore
        if isinstance(found, VectorStore):
            found.add_texts([d.page_content for d in documents], [d.metadata for d in documents])
        elif hasattr(found, "add_documents"):
            found.add_documents(documents)
        else:
            raise PluginError(
                f"{self._name}: nothing can be added to a {type(found).__name__}; give the factory "
                "a parameter `documents` and let it build the retriever from them"
            )

    def _most_alike(self, store: VectorStore, query: str, k: int) -> list[Hit]:
        """Asks for more than k while the last of them ties with the next."""
        wanted = k + 1
        while True:
            hits = self._scored(store, query, wanted)
            ties = len(hits) > k and hits[k - 1].score == hits[-1].score
            if not ties or len(hits) < wanted or wanted >= len(self._documents):
                break
            wanted *= 2
        best = {hit.position: hit for hit in reversed(hits)}.values()
        return sorted(best, key=lambda hit: (-hit.score, hit.position))[:k]

    def _scored(self, store: VectorStore, query: str, wanted: int) -> list[Hit]:
        try:
            pairs = store.similarity_search_with_score(query, k=wanted)
        except NotImplementedError:
            found = store.similarity_search(query, k=wanted)
            pairs = [(document, -float(rank)) for rank, document in enumerate(found)]
        scores = _higher_is_better([float(score) for _, score in pairs])
        places = [self._position(document) for document, _ in pairs]
        return [Hit(position=p, score=s) for p, s in zip(places, scores, strict=True)]

    def _position(self, document: Document) -> int:
        position = document.metadata.get(POSITION)
        if not isinstance(position, int | float | str) or not str(position).isdecimal():
            raise PluginError(
                f"{self._name}: found a document with the metadata {document.metadata!r}; "
                f"those handed to it have {POSITION!r} there, which has to be kept"
            )
        return int(position)


def _parameters(name: str, factory: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(factory).parameters)
    except (TypeError, ValueError) as error:
        raise PluginError(f"{name}: its signature cannot be read: {error}") from error


def _higher_is_better(scores: Sequence[float]) -> list[float]:
    """Similarities as they are and distances with the other sign: best first are both.

    Scores that go up and down count as ranks.
    """
    pairs = list(pairwise(scores))
    if all(first >= second for first, second in pairs):
        return list(scores)
    if all(first <= second for first, second in pairs):
        return [-score for score in scores]
    return [-float(rank) for rank in range(len(scores))]


def _asking_for(retriever: BaseRetriever, k: int) -> BaseRetriever:
    """The retriever with `k` as its number of results, where it has one to set."""
    if isinstance(retriever, VectorStoreRetriever):
        return retriever.model_copy(update={"search_kwargs": {**retriever.search_kwargs, "k": k}})
    if "k" in type(retriever).model_fields:
        return retriever.model_copy(update={"k": k})
    return retriever
