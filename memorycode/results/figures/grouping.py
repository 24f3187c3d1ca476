"""Means over dialogues by group, with intervals: what nearly every figure reduces to.

The mean of a dialogue's values comes first, then the mean of the dialogues, as in the paper's
scores; the interval draws dialogues again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from memorycode.results.answers import Answer, RuleVerdict
from memorycode.results.figures.evidence import Evidence
from memorycode.results.means import mean
from memorycode.results.statistics import Interval, bootstrap_mean, generator

K = TypeVar("K", bound=Hashable)

GROUPS = ("new, short", "new, long", "updated, short", "updated, long")
"""Rules told once and rules that have replaced a version, in dialogues of up to 15 sessions and in
longer ones: long dialogues have more updates, and longer waits, so that neither may stand for the
other."""

ESTIMATE = ("mean", "low", "high", "dialogues")
"""The columns of an interval."""

EstimateCells = tuple[float | None, float | None, float | None, int]
"""What stands in them."""

TOO_FEW = "Fewer than 10 dialogues are too few to tell: no interval, and a hollow point."
INTERVALS = "Means over dialogues with 95 % bootstrap intervals, dialogues drawn again. " + TOO_FEW


def by_dialogue(values: Iterable[tuple[K, int, float]]) -> dict[K, dict[int, float]]:
    """Of values with a group and a dialogue each, the mean of each dialogue by group.

    Groups come in the order in which they are met, dialogues by number, so that the order in which
    a run's records were written decides nothing.
    """
    collected: dict[K, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for group, dialogue, value in values:
        collected[group][dialogue].append(value)
    return {
        group: {
            number: found for number in sorted(rows) if (found := mean(rows[number])) is not None
        }
        for group, rows in collected.items()
    }


def length_of(row: Answer) -> str:
    """Whether a question is of a short dialogue or a long one."""
    return "short" if row.is_short else "long"


def strict_by_group(
    evidence: Evidence, rows: Iterable[Answer], place: Callable[[Answer, RuleVerdict], int]
) -> list[tuple[str, str, int, *EstimateCells]]:
    """Strict scores of rules by label, by group of `GROUPS` and by a place on the figure's axis, in
    that order."""
    found = by_dialogue(
        (
            (evidence.label(row), _group_of(row, verdict), place(row, verdict)),
            row.dialogue,
            verdict.score,
        )
        for row in rows
        for verdict in row.judged("strict")
    )
    labels = evidence.label_order
    keys = sorted(found, key=lambda key: (labels.index(key[0]), GROUPS.index(key[1]), key[2]))
    return [(*key, *estimate_cells(found[key])) for key in keys]


def _group_of(row: Answer, verdict: RuleVerdict) -> str:
    """Which of `GROUPS` a rule of a question is in."""
    return f"{'updated' if verdict.rule.rank else 'new'}, {length_of(row)}"


def interval(dialogues: Mapping[int, float]) -> Interval:
    """The mean of dialogues with its interval, drawn by a generator of its own: what else a figure
    shows does not move it."""
    return bootstrap_mean(list(dialogues.values()), generator())


def estimate_cells(dialogues: Mapping[int, float]) -> EstimateCells:
    """The values of the columns `ESTIMATE`."""
    found = interval(dialogues)
    return found.mean, found.low, found.high, found.n
