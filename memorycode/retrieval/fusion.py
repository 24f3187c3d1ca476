"""Several rankings made into one by reciprocal rank fusion (Cormack et al., SIGIR 2009)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from memorycode.protocols import Hit, Retriever

RANK_CONSTANT = 60
"""The k of the paper: how little the first ranks count more than the next."""


def fused(rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """The best `k` units over all rankings; a unit's score is the sum of 1 / (60 + its rank).

    Ties go to the unit added earlier.
    """
    scores: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.position] += 1 / (RANK_CONSTANT + rank)
    best = sorted(scores, key=lambda position: (-scores[position], position))
    return [Hit(position=position, score=scores[position]) for position in best[:k]]


def search(retriever: Retriever, queries: Sequence[str], k: int) -> Sequence[Hit]:
    """The best `k` units; several queries are fused by their ranks."""
    if k < 1:
        return ()
    if len(queries) == 1:
        return retriever.search(queries[0], k)
    return fused([retriever.search(query, k) for query in queries], k)
