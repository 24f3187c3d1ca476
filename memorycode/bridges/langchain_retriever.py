"""Our `Retriever` as LangChain's `BaseRetriever`: to use one of ours in a chain there."""

from __future__ import annotations

from collections.abc import Iterable

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import PrivateAttr

from memorycode.protocols import Retriever, Unit


class AsLangChainRetriever(BaseRetriever):
    """The best `k` documents that a retriever of ours finds; each hit's score in its metadata."""

    k: int = 4

    _retriever: Retriever = PrivateAttr()
    _documents: list[Document] = PrivateAttr(default_factory=list)

    def __init__(self, retriever: Retriever, *, k: int = 4) -> None:
        """`retriever` must be a fresh one."""
        super().__init__(k=k)
        self._retriever = retriever

    def add_documents(self, documents: Iterable[Document]) -> None:
        """Add documents; their metadata `session`, where it is a number, is the unit's."""
        added = list(documents)
        self._retriever.add([_unit(document) for document in added])
        self._documents += added

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        return [
            Document(
                page_content=self._documents[hit.position].page_content,
                metadata={**self._documents[hit.position].metadata, "score": hit.score},
            )
            for hit in self._retriever.search(query, self.k)
        ]


def _unit(document: Document) -> Unit:
    session = document.metadata.get("session", 0)
    return Unit(text=document.page_content, session=session if isinstance(session, int) else 0)
