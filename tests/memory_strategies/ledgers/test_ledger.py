"""The ledger as such: an update replaces one entry, and the bounds hold whatever comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_strategies.ledgers.ledger import MAX_CHARACTERS, MAX_ENTRIES, Ledger
from memorycode.protocols import Passage


def words(passage: Passage) -> int:
    return len(passage.text.split())


def said(text: str, session: int = 0) -> Passage:
    return Passage(text=text, session=session)


KEYS = st.integers(0, 5)
TEXTS = st.lists(st.sampled_from(["start", "names", "with", "x_"]), min_size=1, max_size=8).map(
    " ".join
)
STEPS = st.lists(st.tuples(KEYS, st.none() | TEXTS), max_size=30)
"""Keys with what is written under them; None takes the entry out."""


@given(STEPS)
def test_it_holds_the_last_wording_of_each_key_in_the_order_written(
    steps: list[tuple[int, str | None]],
) -> None:
    ledger = Ledger(words, None)
    expected: dict[int, Passage] = {}
    for number, (key, text) in enumerate(steps):
        expected.pop(key, None)
        if text is None:
            ledger.withdraw(key)
        else:
            expected[key] = said(text, number)
            ledger.write(key, expected[key])
        assert dict(ledger) == expected
        assert ledger.passages == tuple(expected.values())
    assert ledger.dropped == 0


@given(STEPS, KEYS, TEXTS)
def test_an_update_replaces_exactly_one_entry(
    steps: list[tuple[int, str | None]], key: int, text: str
) -> None:
    ledger = Ledger(words, None)
    for number, (other, written) in enumerate(steps):
        if written is not None:
            ledger.write(other, said(written, number))
    before = dict(ledger)
    ledger.write(key, said(text, 99))
    assert dict(ledger) == before | {key: said(text, 99)}
    assert ledger.withdraw(key)
    assert not ledger.withdraw(key)
    assert dict(ledger) == {other: kept for other, kept in before.items() if other != key}


@given(STEPS, st.integers(1, 12))
def test_the_bound_holds_and_the_oldest_go_first(
    steps: list[tuple[int, str | None]], limit: int
) -> None:
    ledger = Ledger(words, limit)
    for number, (key, text) in enumerate(steps):
        before = [entry for entry in ledger if entry[0] != key]
        if text is None:
            ledger.withdraw(key)
            continue
        ledger.write(key, said(text, number))
        kept = list(ledger)
        assert sum(map(words, ledger.passages)) <= limit
        everything = [*before, (key, said(text, number))]
        assert kept == everything[len(everything) - len(kept) :]


def test_what_stands_under_two_keys_is_told_and_counted_once() -> None:
    ledger = Ledger(words, 4)
    both = said("end names with _q")
    ledger.write("variable", both)
    ledger.write("attribute", both)
    assert ledger.passages == (both,)
    assert ledger.dropped == 0
    ledger.write("variable", said("new"))
    assert ledger.passages == (said("new"),)
    assert ledger.dropped == 1


def test_entries_are_bounded_in_number_and_length() -> None:
    ledger = Ledger(words, None)
    for number in range(MAX_ENTRIES + 7):
        ledger.write(number, said(str(number)))
    assert len(ledger.passages) == MAX_ENTRIES
    assert ledger.dropped == 7
    assert 6 not in ledger
    assert 7 in ledger
    with pytest.raises(ValueError, match="at most"):
        ledger.write("long", said("x" * (MAX_CHARACTERS + 1)))
