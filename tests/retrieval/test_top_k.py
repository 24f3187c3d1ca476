"""Each policy takes as many as it says, and never more than there are."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycode.errors import UsageError
from memorycode.protocols import Hit
from memorycode.retrieval.top_k import TOOK_ALL, Candidates, said_of_all, top_k


def hits(*scores: float) -> list[Hit]:
    return [Hit(position=place, score=score) for place, score in enumerate(scores)]


def candidates(units: int = 10, budget: int | None = None, gold: int = 0) -> Candidates:
    return Candidates(units, lambda position: 10 + position, budget, gold)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (3, 3),
        ("3", 3),
        ("9", 5),
        ("25%", 3),
        ("100%", 5),
        ("dynamic", 2),
        ("21tokens", 2),
        ("9tokens", 0),
        ("budget", 3),
        ("cliff", 4),
    ],
)
def test_how_many_are_taken(text: str | int, count: int) -> None:
    assert top_k(text)(hits(9, 8.5, 8, 7, 1), candidates(budget=35, gold=2)) == count


@pytest.mark.parametrize(
    ("scores", "count"),
    [
        ((9, 7, 5), 1),  # of two falls alike the first
        ((9, 8, 6, 4, 3), 2),
        ((5, 5, 5), 1),
        ((5,), 1),
        ((), 0),
        ((*[50.0] * 49, 49.0, 0.0), 49),  # the steeper fall is behind the best fifty
    ],
)
def test_a_cliff_is_the_first_of_the_steepest_falls(scores: tuple[float, ...], count: int) -> None:
    assert top_k("cliff")(hits(*scores), candidates(len(scores))) == count


@pytest.mark.parametrize(
    ("text", "units", "depth"),
    [("20%", 1000, 200), ("50%", 1000, 500), ("99.9%", 1000, 999), ("28%", 25, 7), ("28%", 26, 8)],
)
def test_a_share_is_of_hundred_and_rounded_up(text: str, units: int, depth: int) -> None:
    assert top_k(text).depth(candidates(units)) == depth


def test_what_nobody_said_is_no_session_with_instructions() -> None:
    known = Candidates(5, lambda position: 1)
    assert top_k("dynamic").depth(known) == 0
    assert top_k("dynamic")(hits(2, 1), known) == 0


@pytest.mark.parametrize("text", ["3", "25%", "dynamic", "21tokens", "cliff"])
def test_policies_are_values(text: str) -> None:
    """Those of one text are one: they can be keys, and nobody changes them."""
    assert {top_k(text), top_k(f" {text} ")} == {top_k(text)}


def test_what_is_known_of_candidates_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        candidates().units = 3  # type: ignore[misc]


def test_only_the_gold_derived_one_is_an_oracle() -> None:
    forms = ("3", "25%", "dynamic", "21tokens", "budget", "cliff")
    assert [form for form in forms if top_k(form).is_oracle] == ["dynamic"]


def test_without_a_budget_all_are_taken() -> None:
    assert top_k("budget")(hits(3, 2, 1), candidates()) == 3


@pytest.mark.parametrize(
    "text", ["0", "-1", "nan", "1e3", "\u0663", "many", "", "2.5", "5 tokens", "0tokens"]
)
def test_what_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"k is .* whole number from 1 on, a share"):
        top_k(text)


@pytest.mark.parametrize(
    "text", ["101%", "100.001%", "0%", "0.0%", "-5%", "nan%", "inf%", "1e1%", "%", "20.12345%"]
)
def test_a_share_that_is_none_is_told_the_range(text: str) -> None:
    with pytest.raises(UsageError, match=r"k is .*; a share is above 0% and at most 100%"):
        top_k(text)


def test_the_whole_is_a_share() -> None:
    assert top_k("100%").depth(candidates(7)) == top_k("100.0%").depth(candidates(7)) == 7


def test_that_all_was_taken_is_said_where_there_is_something_to_take() -> None:
    assert [said_of_all(taken, units) for taken, units in ((2, 3), (0, 0))] == [{}, {}]
    assert said_of_all(3, 3) == said_of_all(4, 3) == {TOOK_ALL: True}


@given(
    st.lists(st.floats(-5, 5), max_size=12),
    st.sampled_from(["1", "7", "40%", "dynamic", "budget", "33tokens", "cliff"]),
)
def test_never_more_than_there_are(scores: list[float], text: str) -> None:
    ranked, store = hits(*sorted(scores, reverse=True)), candidates(len(scores), 25, 3)
    policy = top_k(text)
    assert 0 <= policy(ranked, store) <= policy.depth(store) <= len(scores)
