"""LangChain's retrievers and vector stores rank here as there, and ours there as here."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from baselines.bm25 import BM25
from memorycode.conformance.stand_ins import HashedWords
from memorycode.errors import PluginError, UsageError
from memorycode.plugins import RetrieverPlugin
from memorycode.protocols import Retriever, Unit

if importlib.util.find_spec("langchain_core") is None:
    pytest.skip("langchain-core is not installed", allow_module_level=True)

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from memorycode.bridges.langchain_retriever import AsLangChainRetriever
from memorycode.bridges.langchain_search import LangChainSearch

TEXTS = ("red apples", "green pears", "red pears", "red apples")
UNITS = [Unit(text=text, session=index) for index, text in enumerate(TEXTS)]


class Overlap(BaseRetriever):
    """As many retrievers do, it knows all its documents from the start and has a `k`."""

    documents: list[Document]
    k: int = 2

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        words = set(query.split())

        def alike(document: Document) -> int:
            return len(words & set(document.page_content.split()))

        return sorted(self.documents, key=alike, reverse=True)[: self.k]


class Distances(InMemoryVectorStore):
    """A store whose scores are distances: lower is better."""

    def similarity_search_with_score(self, *args: Any, **kwargs: Any) -> Any:
        return [(d, 1 - s) for d, s in super().similarity_search_with_score(*args, **kwargs)]


class Scoreless(InMemoryVectorStore):
    """A store that ranks and does not say how well."""

    def similarity_search_with_score(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [document for document, _ in super().similarity_search_with_score(query, k)]


class Frozen(BaseRetriever):
    """Nothing can be added."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return []


class Forgetful(Frozen):
    """Gives back documents without their metadata."""

    def add_documents(self, documents: list[Document]) -> None:
        pass

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(page_content="red")]


BUILT: list[int] = []


def overlap(documents: list[Document]) -> Overlap:
    BUILT.append(len(documents))
    return Overlap(documents=documents)


def store(embedding: Any) -> InMemoryVectorStore:
    return InMemoryVectorStore(embedding)


def through_store(embeddings: Any) -> BaseRetriever:
    return InMemoryVectorStore(embeddings).as_retriever()


def no_store() -> dict[str, int]:
    return {}


def both(documents: list[Document], embedding: Any) -> VectorStore:
    return InMemoryVectorStore.from_documents(documents, embedding)


def search(factory: Any) -> LangChainSearch:
    return LangChainSearch("mine:factory", factory, HashedWords())


@pytest.mark.parametrize("factory", [overlap, store, through_store, both, Distances, Scoreless])
def test_the_best_come_first_with_falling_scores(factory: Any) -> None:
    found = search(factory)
    found.add(UNITS[:2])
    found.add(UNITS[2:])
    hits = found.search("green pears", 3)
    assert len(hits) == 3
    assert [hit.position for hit in hits[:2]] == [1, 2]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("factory", [store, both, Distances])
def test_ties_go_to_the_unit_added_earlier(factory: Any) -> None:
    found = search(factory)
    found.add(UNITS)
    assert [hit.position for hit in found.search("red apples", 1)] == [0]
    assert [hit.position for hit in found.search("red apples", 2)] == [0, 3]
    many = search(factory)
    many.add([Unit(text="same words", session=index) for index in range(40)])
    assert [hit.position for hit in many.search("same words", 5)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("factory", [overlap, store, through_store, both])
def test_k_may_be_more_than_there_is_or_nothing(factory: Any) -> None:
    found = search(factory)
    assert found.search("red", 3) == []
    found.add(UNITS)
    assert sorted(hit.position for hit in found.search("red", 99)) == [0, 1, 2, 3]
    assert found.search("red", 0) == []


def test_what_is_built_from_documents_is_built_once_per_change() -> None:
    BUILT.clear()
    found = search(overlap)
    found.add(UNITS[:1])
    found.add(UNITS[1:3])
    found.search("red", 1)
    found.search("green", 1)
    found.add(UNITS[3:])
    found.search("red", 1)
    assert BUILT == [3, 4]


def test_a_store_that_takes_nothing_says_what_to_do() -> None:
    with pytest.raises(PluginError, match=r"nothing can be added to a Frozen; .* `documents`"):
        search(Frozen).add(UNITS)


def test_documents_without_their_position_are_a_fault() -> None:
    found = search(Forgetful)
    found.add(UNITS)
    with pytest.raises(PluginError, match="'position' there, which has to be kept"):
        found.search("red", 1)


def test_something_else_is_refused() -> None:
    with pytest.raises(PluginError, match="mine:factory: dict is no LangChain vector store"):
        search(no_store)
    with pytest.raises(PluginError, match="mine:factory: its signature cannot be read"):
        search(dict)


def test_it_is_found_by_a_spec() -> None:
    plugin = RetrieverPlugin.load("langchain:langchain_core.vectorstores:InMemoryVectorStore")
    retriever = plugin.build(HashedWords())
    assert isinstance(retriever, Retriever)
    retriever.add(UNITS)
    (hit,) = retriever.search("green pears", 1)
    assert hit.position == 1
    assert hit.score == pytest.approx(1.0)
    with pytest.raises(UsageError, match="say what to adapt: langchain:module:attribute"):
        RetrieverPlugin.load("langchain")


def test_ours_serves_as_a_langchain_retriever() -> None:
    retriever = AsLangChainRetriever(BM25(), k=2)
    texts = [*TEXTS, "blue plums", "blue skies", "grey rain"]
    retriever.add_documents(Document(page_content=t, metadata={"page": t[:3]}) for t in texts)
    found = retriever.invoke("green pears")
    assert [document.page_content for document in found] == ["green pears", "red pears"]
    assert found[0].metadata["page"] == "gre"
    assert found[0].metadata["score"] > found[1].metadata["score"]
