"""Reciprocal rank fusion: ranx's numbers, in an order that never depends on chance."""

from __future__ import annotations

import importlib.util
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycode.protocols import Hit
from memorycode.retrieval.fusion import fused, search


def ranking(*positions: int) -> list[Hit]:
    return [Hit(position=place, score=-float(rank)) for rank, place in enumerate(positions)]


orders = st.lists(
    st.permutations(range(12)).flatmap(
        lambda order: st.integers(1, 12).map(lambda count: list(order[:count]))
    ),
    min_size=1,
    max_size=4,
)


@settings(deadline=None)
@given(orders, st.integers(-2, 15))
def test_scores_are_the_sums_of_reciprocal_ranks(rankings: list[list[int]], k: int) -> None:
    expected = {
        place: math.fsum(1 / (61 + found.index(place)) for found in rankings if place in found)
        for found in rankings
        for place in found
    }
    every = fused([ranking(*found) for found in rankings], 12)
    assert {hit.position: hit.score for hit in every} == pytest.approx(expected)
    hits = fused([ranking(*found) for found in rankings], k)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.position))
    assert len(hits) == min(max(k, 0), len(expected))


def test_ranx_says_the_same() -> None:
    if importlib.util.find_spec("ranx") is None:
        pytest.skip("ranx is not installed")
    import random
    import warnings

    with warnings.catch_warnings():  # of numba's, where it is first loaded
        warnings.simplefilter("ignore")
        from ranx import Run
        from ranx import fuse as fused_by_ranx

        rng = random.Random(4)
        for _ in range(20):
            found = [rng.sample(range(30), 30) for _ in range(rng.randint(2, 4))]
            runs = [
                Run({"q": {f"{place:02}": 100.0 - rank for rank, place in enumerate(one)}})
                for one in found
            ]
            theirs = fused_by_ranx(runs=runs, norm=None, method="rrf", params={"k": 60})["q"]
            ours = fused([ranking(*one) for one in found], 30)
            assert {f"{hit.position:02}": hit.score for hit in ours} == pytest.approx(dict(theirs))


def test_one_query_is_asked_as_it_is() -> None:
    asked: list[tuple[str, int]] = []

    def find(query: str, k: int) -> list[Hit]:
        asked.append((query, k))
        return ranking(4, 2)

    assert search(find, ["one"], 2) == ranking(4, 2)
    assert asked == [("one", 2)]


def test_how_many_are_taken_does_not_change_their_order() -> None:
    """Fusing the first k alone would: what is third in both lists would be lost to a first."""
    found = {"a": ranking(0, 1, 2, 3, 4), "b": ranking(4, 3, 2, 1, 0)}
    every = search(lambda query, k: found[query][:k], ["a", "b"], 5)
    for k in range(6):
        hits = search(lambda query, k: found[query][:k], ["a", "b"], k)
        assert list(hits) == list(every[:k])


def test_nothing_wanted_is_not_searched_for() -> None:
    def find(query: str, k: int) -> list[Hit]:
        raise AssertionError(query)

    assert list(search(find, ["a", "b"], 0)) == []
