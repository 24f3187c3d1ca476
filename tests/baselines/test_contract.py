"""What every retriever owes: order, ties, numbers, and no state but its units."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from baselines.bm25 import BM25
from baselines.chance import Chance
from baselines.dense import Dense
from baselines.hybrid import Hybrid
from baselines.oracle import Oracle
from baselines.recency import Recency
from baselines.rerank import Rerank
from memorycode.conformance.stand_ins import HashedWords
from memorycode.plugins import installed
from memorycode.protocols import Hit, Retriever, Unit

TEXTS = (
    "the heron dives",
    "oak tree",
    "",
    "ash tree oak tree",
    "oak tree",
    "heron heron heron",
    "half \ud83d a pair",
    "oak tree",
)
QUERIES = ("oak", "heron dives", "", "zeppelin", "\ud83d")

Make = Callable[[], Retriever]


def units(texts: Sequence[str] = TEXTS) -> list[Unit]:
    return [Unit(text=text, session=place // 2) for place, text in enumerate(texts)]


@pytest.fixture(params=["bm25", "chance", "dense", "hybrid", "oracle", "recency", "rerank"])
def make(request: pytest.FixtureRequest) -> Make:
    name = request.param
    if name in ("dense", "hybrid") and importlib.util.find_spec("faiss") is None:
        pytest.skip("faiss is not installed")
    if name == "rerank":
        model = request.getfixturevalue("cross_encoder")
        return lambda: Rerank(first=BM25(), model=model, depth=4)
    makers: dict[str, Make] = {
        "bm25": BM25,
        "chance": Chance,
        "dense": lambda: Dense(embedder=HashedWords()),
        "hybrid": lambda: Hybrid(embedder=HashedWords()),
        "oracle": Oracle,
        "recency": Recency,
    }
    return makers[name]


def filled(make: Make, texts: Sequence[str] = TEXTS) -> Retriever:
    retriever = make()
    retriever.add(units(texts))
    return retriever


def test_all_installed_ones_are_tested() -> None:
    """`kept` and `langchain` have tests of their own: they do not rank."""
    tested = {"bm25", "chance", "dense", "hybrid", "oracle", "recency", "rerank"}
    assert set(installed("retrievers")) == tested | {"kept", "langchain"}


def test_it_is_a_retriever(make: Make) -> None:
    assert isinstance(make(), Retriever)


@pytest.mark.parametrize("query", QUERIES)
def test_the_best_come_first_each_once(make: Make, query: str) -> None:
    hits = filled(make).search(query, len(TEXTS))
    assert sorted(hit.position for hit in hits) == list(range(len(TEXTS)))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(type(hit.position) is int and type(hit.score) is float for hit in hits)


def test_fewer_are_the_first_of_more(make: Make) -> None:
    """`rerank` judges at least `depth`; beyond that the first retriever's order stands."""
    retriever = filled(make)
    every = retriever.search("oak", 99)
    assert len(every) == len(TEXTS)
    for k in range(len(TEXTS)):
        assert [h.position for h in retriever.search("oak", k)] == [h.position for h in every[:k]]
    assert retriever.search("oak", -1) == []


def test_nothing_added_finds_nothing(make: Make) -> None:
    retriever = make()
    assert retriever.search("oak", 3) == []
    retriever.add([])
    assert retriever.search("oak", 3) == []
    retriever.add(units(["oak"]))
    retriever.add([])
    assert [hit.position for hit in retriever.search("oak", 3)] == [0]


def test_units_without_text_are_found_too(make: Make) -> None:
    assert len(filled(make, ["", "", ""]).search("oak", 3)) == 3


def test_one_step_or_many(make: Make) -> None:
    grown = make()
    for unit in units():
        grown.add([unit])
        grown.search("oak", 2)
    for query in QUERIES:
        steps, at_once = grown.search(query, 8), filled(make).search(query, 8)
        assert [hit.position for hit in steps] == [hit.position for hit in at_once]
        assert [hit.score for hit in steps] == pytest.approx([hit.score for hit in at_once])


def test_a_search_leaves_no_trace(make: Make) -> None:
    retriever = filled(make)
    first = [retriever.search(query, 8) for query in QUERIES]
    assert [retriever.search(query, 8) for query in QUERIES] == first


def test_threads_get_the_same(make: Make) -> None:
    retriever = filled(make)
    alone = [retriever.search(query, 8) for query in QUERIES * 4]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda query: retriever.search(query, 8), QUERIES * 4))
    assert together == alone


def test_ties_go_to_the_earlier_unit(make: Make) -> None:
    """Equal texts of one session are equal to all but age and chance."""
    if type(make()) in (Chance, Recency, Oracle):
        pytest.skip("it goes by the units' places")
    retriever = make()
    retriever.add([Unit(text, 0) for text in ("oak tree", "ash", "oak tree", "oak tree", "ash")])
    places = [hit.position for hit in retriever.search("oak", 5)]
    assert [place for place in places if place in (0, 2, 3)] == [0, 2, 3]
    assert places.index(1) < places.index(4)


def test_hits_are_plain_numbers_in_json(make: Make) -> None:
    import json

    hits: list[Hit] = filled(make).search("oak", 8)
    assert json.loads(json.dumps(hits)) == [[hit.position, hit.score] for hit in hits]
