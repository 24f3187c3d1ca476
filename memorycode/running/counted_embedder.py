"""The run's embedder as a strategy sees it: what it embeds is counted as the memory's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memorycode.errors import NotInstalled
from memorycode.protocols import Embedder, KeepsVectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CountedEmbedder:
    """Passes texts on. `texts` and `tokens` count all that it gave vectors for, which depends on
    the strategy alone; `embedded_texts` and `embedded_tokens` what had to be embedded for that,
    `cached_texts` those whose vectors were at hand. Where nobody can tell, all were embedded.

    `gone` is the error that says that the embedder's packages are missing, if it was asked without
    them: no strategy that embeds can go on, whatever it makes of the error.
    """

    def __init__(self, embedder: Embedder, count_tokens: Callable[[str], int]) -> None:
        self.name = embedder.name
        self.texts = self.tokens = 0
        self.embedded_texts = self.embedded_tokens = self.cached_texts = 0
        self.gone: NotInstalled | None = None
        self._embedder, self._count_tokens = embedder, count_tokens

    def pieces(self, text: str) -> list[str]:
        with self._noted():
            return self._embedder.pieces(text)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._noted():
            if isinstance(self._embedder, KeepsVectors):
                vectors, new = self._embedder.embed_new(texts)
            else:
                vectors, new = self._embedder.embed(texts), texts
        lengths = {text: self._count_tokens(text) for text in dict.fromkeys(texts)}
        self.texts += len(texts)
        self.tokens += sum(lengths[text] for text in texts)
        self.embedded_texts += len(new)
        self.embedded_tokens += sum(lengths.get(text, 0) for text in new)
        self.cached_texts += len(texts) - len(new)
        return vectors

    @property
    def counts(self) -> dict[str, int]:
        """The fields of a `MemoryCost` that are about texts."""
        return {
            "embedded_texts": self.embedded_texts,
            "embedded_tokens": self.embedded_tokens,
            "cached_texts": self.cached_texts,
        }

    @contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except NotInstalled as error:
            self.gone = error
            raise
