"""The BM25 retriever: bm25s's own scores, in an order that never depends on chance."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import bm25s
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.bm25 import BM25
from memorycode.errors import UsageError
from memorycode.protocols import Retriever, Unit

TEXTS = (
    "The heron stands in the shallow water and waits.",
    "A kingfisher dives; the heron does not dive.",
    "Trains leave for the coast every hour.",
    "Heron, heron, heron: nothing but the heron.",
)


def filled(texts: Sequence[str]) -> BM25:
    retriever = BM25()
    retriever.add([Unit(text=text, session=i) for i, text in enumerate(texts)])
    return retriever


def direct_scores(texts: Sequence[str], query: str) -> list[float]:
    """What bm25s itself says, by its own tokenisation and vocabulary."""
    index = bm25s.BM25()
    index.index(bm25s.tokenize(list(texts), show_progress=False), show_progress=False)
    tokens = bm25s.tokenize([query], return_ids=False, show_progress=False)[0]
    return [float(score) for score in index.get_scores(tokens)]


def positions(retriever: BM25, query: str, k: int) -> list[int]:
    return [hit.position for hit in retriever.search(query, k)]


def test_it_is_a_retriever() -> None:
    assert isinstance(BM25(), Retriever)


@pytest.mark.parametrize(
    ("setting", "value"),
    [(name, wrong) for name in ("k1", "b") for wrong in (-0.1, math.nan, math.inf)] + [("b", 1.1)],
)
def test_a_setting_that_no_formula_has_is_refused(setting: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"bm25: {setting} is a number from 0 .*not"):
        BM25(**{setting: value})


def test_the_ends_of_the_settings_are_allowed() -> None:
    for k1, b in ((0.0, 0.0), (0.0, 1.0), (20.0, 1.0)):
        retriever = BM25(k1=k1, b=b)
        retriever.add([Unit(text=text, session=0) for text in TEXTS])
        assert retriever.search("coast", 1)[0].position == 2


@pytest.mark.parametrize("query", ["heron", "where does a kingfisher dive", "coast heron coast"])
def test_scores_are_those_of_bm25s(query: str) -> None:
    hits = filled(TEXTS).search(query, len(TEXTS))
    scores = direct_scores(TEXTS, query)
    assert {hit.position: hit.score for hit in hits} == pytest.approx(dict(enumerate(scores)))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@given(
    documents=st.lists(
        st.lists(st.sampled_from(["ash", "oak", "elm", "the"]), max_size=4), max_size=8
    ),
    query=st.lists(st.sampled_from(["ash", "oak", "fir"]), max_size=3),
    k=st.integers(0, 10),
)
def test_order_is_by_score_and_then_by_position(
    documents: list[list[str]], query: list[str], k: int
) -> None:
    retriever = filled([" ".join(words) for words in documents])
    everything = retriever.search(" ".join(query), len(documents))
    assert everything == sorted(everything, key=lambda hit: (-hit.score, hit.position))
    assert sorted(hit.position for hit in everything) == list(range(len(documents)))
    assert retriever.search(" ".join(query), k) == everything[:k]


def test_ties_go_to_the_earlier_unit() -> None:
    texts = ["oak tree", "ash tree", "oak tree", "oak tree", "ash tree"]
    assert positions(filled(texts), "oak", 5) == [0, 2, 3, 1, 4]
    assert positions(filled(texts), "oak", 2) == [0, 2]


@pytest.mark.parametrize("query", ["", "the of and", "zeppelin", "a ?!"])
def test_a_query_without_a_known_word_gives_the_first_units(query: str) -> None:
    hits = filled(TEXTS).search(query, 2)
    assert [(hit.position, hit.score) for hit in hits] == [(0, 0.0), (1, 0.0)]


def test_k_beyond_the_units_gives_all_and_none_gives_none() -> None:
    assert len(filled(TEXTS).search("heron", 99)) == len(TEXTS)
    assert filled(TEXTS).search("heron", 0) == []
    assert filled(TEXTS).search("heron", -1) == []
    assert BM25().search("heron", 3) == []


def test_units_without_a_word_can_be_searched() -> None:
    assert positions(filled(["", "the"]), "heron", 2) == [0, 1]
    assert positions(filled(["", "heron", "?"]), "heron", 3) == [1, 0, 2]


def test_adding_piece_by_piece_equals_adding_at_once() -> None:
    """The index is built again after an add, though it was searched before."""
    grown = BM25()
    for i, text in enumerate(TEXTS):
        grown.add([Unit(text=text, session=i)])
        grown.search("heron", 1)
    assert grown.search("heron dives", 4) == filled(TEXTS).search("heron dives", 4)


def test_each_unit_is_tokenised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    real = bm25s.tokenize

    def spy(texts: list[str], **options: object) -> object:
        seen.extend(texts)
        return real(texts, **options)

    monkeypatch.setattr(bm25s, "tokenize", spy)
    retriever = filled(TEXTS[:2])
    retriever.search("heron", 1)
    retriever.add([Unit(text=TEXTS[2], session=2)])
    retriever.search("heron", 1)
    assert seen == [TEXTS[0], TEXTS[1], "heron", TEXTS[2], "heron"]


def test_instances_do_not_disturb_each_other_in_threads() -> None:
    def work(shift: int) -> list[list[int]]:
        texts = TEXTS[shift:] + TEXTS[:shift]
        retriever = BM25()
        found = []
        for text in texts * 5:
            retriever.add([Unit(text=text, session=0)])
            found.append(positions(retriever, "heron kingfisher", 10))
        return found

    shifts = [0, 1, 2, 3] * 4
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, shifts)) == [work(shift) for shift in shifts]


def test_no_log_record_gets_out(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """bm25s puts its logger at DEBUG, past the level that the user chose."""
    logging.getLogger("bm25s").setLevel(logging.DEBUG)
    filled(TEXTS).search("heron", 1)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_every_progress_bar_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """bm25s draws them wherever tqdm is installed, which it need not be here."""
    off: list[object] = []

    def bar(items: object, *, disable: object = False, **options: object) -> object:
        off.append(disable)
        return items

    for module in (bm25s, bm25s.tokenization, bm25s.scoring):
        monkeypatch.setattr(module, "tqdm", bar)
    filled(TEXTS).search("heron", 1)
    assert off
    assert all(off)
