"""What recalled contexts had of the rules they were recalled for, whatever the model made of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memorycode.frozen import Frozen
from memorycode.results.metrics import Column, Estimate, estimate, mean
from memorycode.scoring.attribution import RulesFound


class FoundAt(NamedTuple):
    """What the recall of one question had; `column` is the one of Table 4 it counts in."""

    column: Column
    dialogue: int
    found: RulesFound


class RecalledRules(Frozen):
    """Means over dialogues, each the mean of its questions at the last checkpoint.

    `current` is the share of the active rules that the context has, `stale` the share that it has
    in an older version alone.
    """

    current: Mapping[Column, Estimate]
    stale: Mapping[Column, Estimate]


def recalled_rules(found: Iterable[FoundAt]) -> RecalledRules:
    """Reduce what was found; a question without active rules is left out."""
    current: dict[Column, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    stale: dict[Column, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for column, dialogue, rules in found:
        if rules.active:
            current[column][dialogue].append(rules.current / rules.active)
            stale[column][dialogue].append(rules.stale / rules.active)
    return RecalledRules(current=_by_column(current), stale=_by_column(stale))


def _by_column(shares: Mapping[Column, Mapping[int, list[float]]]) -> dict[Column, Estimate]:
    return {column: estimate(map(mean, rows.values())) for column, rows in shares.items()}
