"""What recalled contexts had of the rules they were recalled for, whatever the model made of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from memorycode.frozen import Frozen
from memorycode.results.answers import Answer, Column
from memorycode.results.means import Estimate, estimate, mean


class RecalledRules(Frozen):
    """Means over dialogues, each the mean of its questions at the last checkpoint.

    `current` is the share of the active rules that the context has, `stale` the share that it has
    in an older version alone.
    """

    current: Mapping[Column, Estimate]
    stale: Mapping[Column, Estimate]


def recalled_rules(answers: Iterable[Answer]) -> RecalledRules:
    """Reduce what was recalled for the questions that were answered; one without active rules is
    left out."""
    current: dict[Column, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    stale: dict[Column, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for answer in answers:
        rules = answer.recalled
        if answer.failure or not answer.is_last_checkpoint or rules is None or not rules.active:
            continue
        current[answer.column][answer.dialogue].append(rules.current / rules.active)
        stale[answer.column][answer.dialogue].append(rules.stale / rules.active)
    return RecalledRules(current=_by_column(current), stale=_by_column(stale))


def _by_column(shares: Mapping[Column, Mapping[int, list[float]]]) -> dict[Column, Estimate]:
    return {column: estimate(map(mean, rows.values())) for column, rows in shares.items()}
