"""How good a retrieval is, without any model: what the taken units have of what was needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memorycode.ablation.corpus import Corpus
from memorycode.protocols import Hit

MEASURES: Mapping[str, str] = {
    "session_recall": "share of the sessions with instructions that are among those taken",
    "session_precision": "share of the sessions taken that have instructions",
    "rule_recall": "share of the rules in force that the taken units state",
    "needed_recall": "the same of the rules whose own question this is",
    "stale_share": "share of the rules in force that are there in an older version alone",
    "newest_first": "share of the updated rules whose newest wording ranks above every older one",
    "ndcg": "nDCG of the taken units; one is relevant if it states a rule in force",
    "mrr": "reciprocal rank of the first relevant unit taken",
    "units": "units taken",
    "took_all": "share of the questions for which all units there are were taken",
    "tokens": "their tokens, as they stand in the prompt",
    "milliseconds": "the search alone",
}
"""Each measure in a few words."""


def measures_of(corpus: Corpus, task: str, taken: Sequence[int]) -> dict[str, float | None]:
    """What the taken units (their positions) have; None where there is nothing to measure."""
    gold = corpus.gold
    sessions = {corpus.units[place].session for place in taken}
    found: frozenset[int] = frozenset().union(*(corpus.rules[place] for place in taken))
    needed, lost = gold.needed(task), gold.active_rules - found
    stale = sum(not found.isdisjoint(gold.older[rule]) for rule in lost)
    return {
        "session_recall": _share(len(sessions & gold.sessions), len(gold.sessions)),
        "session_precision": _share(len(sessions & gold.sessions), len(sessions)),
        "rule_recall": _share(len(gold.active_rules) - len(lost), len(gold.active_rules)),
        "needed_recall": _share(len(needed & found), len(needed)),
        "stale_share": _share(stale, len(gold.active_rules)),
    }


def newest_first(corpus: Corpus, ranked: Sequence[Hit]) -> float | None:
    """Of the rules whose newest wording and an older one are both ranked, the share whose newest
    ranks above all older ones; None where there is none."""
    first: dict[int, int] = {}
    for rank, hit in enumerate(ranked):
        for rule in corpus.rules[hit.position]:
            first.setdefault(rule, rank)
    pairs = [
        (first[rule], min(first[old] for old in older if old in first))
        for rule, older in corpus.gold.older.items()
        if rule in first and any(old in first for old in older)
    ]
    return _share(sum(newest < oldest for newest, oldest in pairs), len(pairs))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
