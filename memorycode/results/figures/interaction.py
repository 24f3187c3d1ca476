"""Interaction of rules: which pairs hurt each other. The paper left this open (section 6.4)."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from memorycode.results.answers import Answer
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.family_names import family_name
from memorycode.results.figures.series import Drawing, Layout, Series, Value
from memorycode.results.statistics import ENOUGH, generator, holm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RESAMPLES = 500
_Z = statistics.NormalDist().inv_cdf(0.975)
_ALPHA = 0.05
_MOST_DRAWN = 12

COLUMNS = (
    *("label", "pair", "change", "low", "high", "p_holm"),
    *("together", "apart", "dialogues_together", "dialogues_apart", "finding"),
)


def interaction(evidence: Evidence) -> Series:
    """How much less two instructions are followed where both are in force.

    `change` is the difference between how often a rule is followed with the other in force and
    without it, the mean of both ways round; below 0 the two hurt each other. Compared are dialogues
    with as many sessions and about as many rules in force (half of them with more than the median,
    half with no more), so that a pair is not blamed for the crowd; the differences are averaged
    with weights that grow with both groups (Mantel and Haenszel). The standard error is by
    bootstrap over the dialogues of each such stratum, and no less than one contrary dialogue would
    make it; interval and p-value are the normal distribution's, p-values of a model's pairs
    corrected by Holm. With fewer than 10 dialogues on either side it is too few to tell. Official
    verdicts after the last session: under them some pairs can hold together for no name.
    """
    rows: list[tuple[Value, ...]] = []
    by_label: dict[str, list[Answer]] = defaultdict(list)
    for row in evidence.answers:
        if row.ends_history:
            by_label[evidence.label(row)].append(row)
    for label, asked in by_label.items():
        rows += [(label, *cells) for cells in _pairs(asked)]
    return Series(
        name="interaction",
        title="Which instructions hurt each other",
        columns=COLUMNS,
        rows=tuple(rows),
        layout=Layout(
            index=("label", "pair", "finding"), across="", value="change", low="low", high="high"
        ),
        drawing=Drawing(
            kind="dots",
            x="pair",
            y="change",
            low="low",
            high="high",
            by="finding",
            panel="label",
            x_label="",
            y_label="change in following",
            most=_MOST_DRAWN,
            reference=0.0,
            whole=False,
        ),
        notes=(
            "Official verdicts. change: how much less often (below 0) the two are followed when "
            "both are in force, at equal number of sessions and about equal number of rules. 95 % "
            "intervals by bootstrap over dialogues; findings after Holm's correction over all "
            "pairs of a model. The pairs that change most come first.",
            *evidence.notes(),
        ),
    )


class _Measured(NamedTuple):
    """A pair: the change with its error, how often followed, dialogues on either side."""

    pair: str
    change: float
    error: float
    together: float
    apart: float
    n_together: int
    n_apart: int


def _pairs(asked: list[Answer]) -> Iterator[tuple[Value, ...]]:
    """A model's pairs, those that hurt most first, those too few to tell last."""
    measured = list(_measure(_Table(asked)))
    enough = [min(one.n_together, one.n_apart) >= ENOUGH for one in measured]
    tested = zip(measured, enough, strict=True)
    p_values = holm([_p(one) if is_enough else None for one, is_enough in tested])
    found = sorted(
        zip(measured, enough, p_values, strict=True),
        key=lambda one: (
            not one[1],
            one[2] is None or one[2] >= _ALPHA,
            one[0].change,
            one[0].pair,
        ),
    )
    for one, is_enough, p in found:
        low = one.change - _Z * one.error if is_enough else None
        high = one.change + _Z * one.error if is_enough else None
        sides = (one.together, one.apart, one.n_together, one.n_apart)
        yield one.pair, one.change, low, high, p, *sides, _finding(one.change, p)


def _p(one: _Measured) -> float:
    return math.erfc(abs(one.change) / one.error / math.sqrt(2))


def _finding(change: float, p: float | None) -> str:
    if p is None:
        return "too few to tell"
    if p >= _ALPHA:
        return "no sign"
    return "hurt" if change < 0 else "help"


class _Table:
    """Dialogues × families: the share of questions on which each family's rule was followed, NaN
    where it was not in force or never had its object; and which were in force."""

    def __init__(self, asked: list[Answer]) -> None:
        import numpy as np

        names = sorted({family_name(r.rule) for row in asked for r in row.rules if r is not None})
        place = {name: n for n, name in enumerate(names)}
        numbers = sorted({row.dialogue for row in asked})
        at = {number: n for n, number in enumerate(numbers)}
        total = np.zeros((len(numbers), len(names)))
        count, in_force = np.zeros_like(total), np.zeros_like(total)
        sessions = [0] * len(numbers)
        for row in asked:
            line = at[row.dialogue]
            sessions[line] = row.sessions
            for rule in row.rules:
                if rule is not None:
                    in_force[line, place[family_name(rule.rule)]] = 1
            for verdict in row.judged("official"):
                total[line, place[family_name(verdict.rule.rule)]] += verdict.score
                count[line, place[family_name(verdict.rule.rule)]] += 1
        self.names = names
        self.in_force = in_force
        self.judged = (count > 0).astype(float)
        self.followed = total / np.maximum(count, 1)
        self.strata = _strata(sessions, in_force.sum(axis=1).tolist())


def _strata(sessions: list[int], rules: list[float]) -> list[list[int]]:
    """Dialogues with as many sessions and about as many rules, by their places."""
    strata: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for length in sorted(set(sessions)):
        places = [place for place, one in enumerate(sessions) if one == length]
        median = statistics.median(rules[place] for place in places)
        for place in places:
            strata[length, rules[place] > median].append(place)
    return list(strata.values())


def _measure(table: _Table) -> Iterator[_Measured]:
    import numpy as np

    n = len(table.names)
    ones = [np.ones(len(stratum)) for stratum in table.strata]
    here = _change(table, ones)
    rng = generator()
    sums, squares = np.zeros((n, n)), np.zeros((n, n))
    times = np.zeros((n, n))
    for _ in range(_RESAMPLES):
        drawn = [
            rng.multinomial(len(stratum), np.full(len(stratum), 1 / len(stratum))).astype(float)
            for stratum in table.strata
        ]
        again = _change(table, drawn).change
        is_there = ~np.isnan(again)
        values = np.where(is_there, again, 0)
        sums, squares, times = sums + values, squares + values**2, times + is_there
    times = np.maximum(times, 1)
    errors = np.sqrt(np.maximum(squares / times - (sums / times) ** 2, 0))
    for first, second in combinations(range(n), 2):
        change = float(here.change[first, second])
        n_together = int(min(here.n_with[first, second], here.n_with[second, first]))
        n_apart = int(min(here.n_without[first, second], here.n_without[second, first]))
        if math.isnan(change):
            continue
        yield _Measured(
            pair=f"{table.names[first]} + {table.names[second]}",
            change=change,
            error=max(float(errors[first, second]), _least_error(n_together, n_apart)),
            together=float(here.with_other[first, second] + here.with_other[second, first]) / 2,
            apart=float(here.without[first, second] + here.without[second, first]) / 2,
            n_together=n_together,
            n_apart=n_apart,
        )


def _least_error(n_with: int, n_without: int) -> float:
    """The standard error if one dialogue more on either side said the contrary (the rule of
    succession), of the mean of two differences."""
    return math.sqrt(sum((n + 1) / (n + 2) ** 2 / n for n in (n_with, n_without)) / 2)


class _Changes(NamedTuple):
    """Families × families: of the first, how often it is followed with the second in force and
    without it, each a mean over strata; `change` is symmetric."""

    change: NDArray[np.float64]
    with_other: NDArray[np.float64]
    without: NDArray[np.float64]
    n_with: NDArray[np.float64]
    n_without: NDArray[np.float64]


def _change(table: _Table, weights: list[NDArray[np.float64]]) -> _Changes:
    import numpy as np

    n = len(table.names)
    total_weight = np.zeros((n, n))
    with_other, without, n_with, n_without = (np.zeros((n, n)) for _ in range(4))
    for stratum, weight in zip(table.strata, weights, strict=True):
        judged = table.judged[stratum].T * weight
        followed = judged * table.followed[stratum].T
        other = table.in_force[stratum]
        n1, n0 = judged @ other, judged @ (1 - other)
        both = (n1 > 0) & (n0 > 0)
        pooled = np.where(both, n1 * n0 / np.maximum(n1 + n0, 1), 0)
        with_other += pooled * (followed @ other) / np.maximum(n1, 1)
        without += pooled * (followed @ (1 - other)) / np.maximum(n0, 1)
        total_weight += pooled
        n_with += np.where(both, n1, 0)
        n_without += np.where(both, n0, 0)
    with np.errstate(invalid="ignore"):
        with_other, without = with_other / total_weight, without / total_weight
    change = with_other - without
    return _Changes((change + change.T) / 2, with_other, without, n_with, n_without)
