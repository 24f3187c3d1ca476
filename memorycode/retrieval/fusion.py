"""Several rankings made into one by reciprocal rank fusion (Cormack et al., SIGIR 2009)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from memorycode.protocols import Hit

RANK_CONSTANT = 60
"""The k of the paper: how little the first ranks count more than the next."""

FUSED_DEPTH = 10_000
"""So many ranks of each query count: all units of a dialogue, so that how many are taken in the
end never changes their order."""


def fused(rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """The best `k` units over all rankings; a unit's score is the sum of 1 / (60 + its rank).

    Ties go to the unit added earlier.
    """
    scores: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.position] += 1 / (RANK_CONSTANT + rank)
    best = sorted(scores, key=lambda position: (-scores[position], position))
    return [Hit(position=position, score=scores[position]) for position in best[: max(k, 0)]]


Search = Callable[[str, int], Sequence[Hit]]
"""A retriever's `search`."""


def search(find: Search, queries: Sequence[str], k: int) -> Sequence[Hit]:
    """The best `k` units; several queries are fused by their ranks."""
    if k < 1:
        return ()
    if len(queries) == 1:
        return find(queries[0], k)
    return fused([find(query, max(k, FUSED_DEPTH)) for query in queries], k)
