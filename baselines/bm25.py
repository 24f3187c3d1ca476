"""BM25 by the `bm25s` library: its default (Lucene's) formula, English stop words, no stemming.

Words in common, and nothing else: it stands in for the reranking endpoint of the paper's ablation
(arXiv 2502.13791, appendix D), for which `rerank` is there.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence

import bm25s
import numpy as np
from numpy.typing import NDArray

from memorycode.errors import UsageError
from memorycode.protocols import Hit, Unit


class BM25:
    """BM25 by bm25s, with its English stop words.

    `k1` says how much a word counts that comes again, `b` from 0 to 1 how much long units are held
    back. Each unit is tokenised once; the index is built again by the first search after an add.
    """

    def __init__(self, *, k1: float = 1.5, b: float = 0.75) -> None:
        """Raises `UsageError` for a number with which the formula ranks nothing by its words."""
        if not 0 <= k1 < math.inf:
            raise UsageError(f"bm25: k1 is a number from 0 on, not {k1}")
        if not 0 <= b <= 1:
            raise UsageError(f"bm25: b is a number from 0 to 1, not {b}")
        self._k1, self._b = k1, b
        self._vocabulary: dict[str, int] = {}
        self._units: list[list[int]] = []
        self._index: bm25s.BM25 | None = None

    def add(self, units: Sequence[Unit]) -> None:
        """Tokenise the units and put them behind those already there."""
        vocabulary = self._vocabulary
        for tokens in _tokenise([unit.text for unit in units]):
            self._units.append([vocabulary.setdefault(t, len(vocabulary)) for t in tokens])
        self._index = None

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units; a query without a known word scores 0 everywhere."""
        scores = self._scores(query)
        # All scores are sorted: picking the top k first would break ties at random.
        best = np.argsort(-scores, kind="stable")[: max(k, 0)]
        return [Hit(position=int(i), score=float(scores[i])) for i in best]

    def _scores(self, query: str) -> NDArray[np.float32]:
        known = [
            self._vocabulary[token] for token in _tokenise([query])[0] if token in self._vocabulary
        ]
        if not known:
            return np.zeros(len(self._units), dtype=np.float32)
        if self._index is None:
            self._index = self._built()
        scores: NDArray[np.float32] = self._index.get_scores(known)
        return scores

    def _built(self) -> bm25s.BM25:
        # bm25s sets its logger to DEBUG; this gives the choice of level back to the user.
        logging.getLogger("bm25s").setLevel(logging.NOTSET)
        index = bm25s.BM25(k1=self._k1, b=self._b, backend="numpy", csc_backend="numpy")
        corpus = (self._units, self._vocabulary)
        index.index(corpus, create_empty_token=False, show_progress=False)
        return index


def _tokenise(texts: list[str]) -> list[list[str]]:
    """Lower-case words of two characters or more, stop words left out; one list per text."""
    tokens: list[list[str]] = bm25s.tokenize(
        texts, stopwords="english", return_ids=False, show_progress=False
    )
    return tokens
