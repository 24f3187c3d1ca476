"""The run's embedder as a strategy sees it: what it embeds is counted as the memory's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memorycode.errors import NotInstalled
from memorycode.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CountedEmbedder:
    """Passes texts on and counts them and their tokens, also those that a cache answers: the cost
    is the strategy's and does not depend on what ran before.

    `gone` is the error that says that the embedder's packages are missing, if it was asked without
    them: no strategy that embeds can go on, whatever it makes of the error.
    """

    def __init__(self, embedder: Embedder, count_tokens: Callable[[str], int]) -> None:
        self.name = embedder.name
        self.texts = self.tokens = 0
        self.gone: NotInstalled | None = None
        self._embedder, self._count_tokens = embedder, count_tokens

    def pieces(self, text: str) -> list[str]:
        with self._noted():
            return self._embedder.pieces(text)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += len(texts)
        self.tokens += sum(map(self._count_tokens, texts))
        with self._noted():
            return self._embedder.embed(texts)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except NotInstalled as error:
            self.gone = error
            raise
