"""How sure a mean is, and whether two strategies differ: intervals, paired tests, effect sizes.

The unit is the dialogue: questions of one dialogue go together, so that it is dialogues that are
drawn again (Efron and Tibshirani 1993), and the same dialogues that two strategies are compared on.
The same numbers, in any order, and the same generator give the same results. docs/statistics.md
says what was chosen, why, and how often the intervals hold the truth.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from memorycode.frozen import Frozen
from memorycode.results.means import mean

if TYPE_CHECKING:
    import numpy as np

Key = TypeVar("Key")

CONFIDENCE = 0.95

ENOUGH = 10
"""With fewer dialogues it is too few to tell: no interval, no test and no effect size."""

RESAMPLES = 2_000
"""How often dialogues are drawn again for an interval."""

PERMUTATIONS = 9_999
"""How many ways to swap the pairs a test tries; all ways where there are no more."""

SEED = 0
"""Of the generator that reports draw with: the same records give everybody the same intervals."""

_BATCH = 1_000
"""So many resamples at once, to keep them small in memory."""

_DIGITS = 12
"""Differences in later digits come from the order of a sum, not from the scores."""


class Interval(Frozen):
    """A mean over `n` dialogues with its 95 % bootstrap interval.

    `mean` is None for no dialogue; `low` and `high` are None where there are too few to tell.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def is_told(self) -> bool:
        """Whether there is an interval; otherwise there are too few dialogues to tell."""
        return self.low is not None

    @property
    def is_constant(self) -> bool:
        """Whether all values are alike: the interval then has no width, which is no certainty."""
        return self.is_told and self.low == self.high


class Comparison(Frozen):
    """The second of two strategies against the first, on the dialogues that both have a score for.

    `difference` is the mean of second - first with its interval. `p` is the two-sided p-value of
    the paired permutation test, None where there are too few dialogues or none differs. `d_z` is
    Cohen's for paired data, the mean of the differences by their standard deviation, None where
    they do not vary; `rank_biserial` is the matched-pairs correlation, from -1 to 1 (Kerby 2014),
    None where none differs. In so many dialogues the second wins, loses or ties.
    """

    difference: Interval
    p: float | None
    d_z: float | None
    rank_biserial: float | None
    wins: int
    losses: int
    ties: int

    @property
    def n(self) -> int:
        return self.difference.n


def generator() -> np.random.Generator:
    """The generator that reports draw with, at its beginning."""
    import numpy as np

    return np.random.default_rng(SEED)


def bootstrap_mean(values: Sequence[float], rng: np.random.Generator) -> Interval:
    """The mean of the dialogues' scores with its 95 % interval.

    The expanded percentile interval (Hesterberg 2015): percentiles of the means of dialogues drawn
    again, so far out as makes up for a small sample, whose spread is too small and whose quantiles
    should be Student's. Unlike BCa it holds where scores heap at 0 and 1 and where all are alike.
    """
    center, n = mean(values), len(values)
    if center is None or n < ENOUGH:
        return Interval(mean=center, low=None, high=None, n=n)
    if min(values) == max(values):
        return Interval(mean=center, low=center, high=center, n=n)
    import numpy as np

    low, high = _percentiles((np.sort(values),), np.mean, rng)
    return Interval(mean=center, low=low, high=high, n=n)


def bootstrap_share(
    parts: Sequence[float], wholes: Sequence[float], rng: np.random.Generator
) -> Interval:
    """The sum of the dialogues' parts by the sum of their wholes, as of all rules those followed.

    The same interval of dialogues drawn again, each with all that is in it: its questions and rules
    are not independent. `n` counts dialogues, which may differ in size.
    """
    n, whole = len(wholes), math.fsum(wholes)
    share = math.fsum(parts) / whole if whole else None
    if share is None or n < ENOUGH:
        return Interval(mean=share, low=None, high=None, n=n)
    if len({part / whole for part, whole in zip(parts, wholes, strict=True)}) == 1:
        return Interval(mean=share, low=share, high=share, n=n)
    import numpy as np

    pairs = np.array(sorted(zip(parts, wholes, strict=True)), dtype=float)
    low, high = _percentiles((pairs[:, 0], pairs[:, 1]), _share, rng)
    return Interval(mean=share, low=low, high=high, n=n)


def _percentiles(
    columns: tuple[Any, ...], statistic: Callable[..., Any], rng: np.random.Generator
) -> tuple[float, float]:
    """The ends of the expanded percentile interval; a dialogue is drawn with all its columns."""
    from scipy import stats

    drawn = stats.bootstrap(
        columns,
        statistic,
        paired=len(columns) > 1,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=expanded_level(len(columns[0])),
        method="percentile",
        batch=_BATCH,
        rng=rng,
    ).confidence_interval
    return float(drawn.low), float(drawn.high)


def expanded_level(n: int) -> float:
    """The confidence level of the percentile interval that is as wide as Student's with n values
    (Hesterberg 2015, section 5.1): 0.9573 for 30, 0.9505 for 300."""
    from scipy import stats

    quantile = stats.t.ppf(0.5 + CONFIDENCE / 2, n - 1) * math.sqrt(n / (n - 1))
    return float(1 - 2 * stats.norm.sf(quantile))


def compare_paired(
    first: Mapping[Key, float], second: Mapping[Key, float], rng: np.random.Generator
) -> Comparison:
    """The second against the first, dialogue by dialogue, on the dialogues that both have."""
    return compare_differences(
        [second[key] - value for key, value in first.items() if key in second], rng
    )


def compare_differences(differences: Sequence[float], rng: np.random.Generator) -> Comparison:
    """One difference per dialogue, second - first; positive ones are wins."""
    rounded = [round(difference, _DIGITS) for difference in differences]
    moved = [difference for difference in rounded if difference]
    is_enough = len(rounded) >= ENOUGH
    wins = sum(difference > 0 for difference in moved)
    return Comparison(
        difference=bootstrap_mean(rounded, rng),
        p=permutation_p(moved, rng) if is_enough and moved else None,
        d_z=_d_z(rounded) if is_enough else None,
        rank_biserial=_rank_biserial(moved) if is_enough and moved else None,
        wins=wins,
        losses=len(moved) - wins,
        ties=len(rounded) - len(moved),
    )


def permutation_p(differences: Sequence[float], rng: np.random.Generator) -> float:
    """The two-sided p-value of the mean difference when each pair may be swapped.

    It asks about the mean, as the interval does, and minds neither ties nor heaps. Ties may be left
    out: to swap them changes nothing. Up to 13 differences all swaps are tried, and p is exact.
    """
    import numpy as np
    from scipy import stats

    values = np.sort(differences)
    if len(values) == 1:
        return 1.0  # swapped or not, it is as far from 0; scipy wants two or more
    if 2 ** len(values) <= PERMUTATIONS:
        exact = stats.permutation_test(
            (values, np.zeros(len(values))),
            _mean_difference,
            permutation_type="samples",
            vectorized=True,
            n_resamples=PERMUTATIONS,
        )
        return float(exact.pvalue)
    # To swap a pair is to flip a sign; drawn so, it takes a tenth of the time.
    drawn = stats.monte_carlo_test(
        values,
        lambda size: values * (2 * rng.integers(2, size=size) - 1),
        np.mean,
        vectorized=True,
        n_resamples=PERMUTATIONS,
        batch=_BATCH,
    )
    return float(drawn.pvalue)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values of one family of tests, adjusted so that with 95 % none of those below 0.05 is a
    mistake (Holm 1979). None is no test and stays None."""
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (p, place) in enumerate(tested):
        least = max(least, min(1.0, p * (len(tested) - rank)))
        adjusted[place] = least
    return adjusted


def _share(parts: Any, wholes: Any, axis: int) -> Any:
    return parts.sum(axis=axis) / wholes.sum(axis=axis)


def _mean_difference(first: Any, second: Any, axis: int) -> Any:
    return first.mean(axis=axis) - second.mean(axis=axis)


def _d_z(differences: Sequence[float]) -> float | None:
    deviation = statistics.stdev(differences)
    return statistics.fmean(differences) / deviation if deviation else None


def _rank_biserial(differences: Sequence[float]) -> float:
    from scipy import stats

    ranks = stats.rankdata([abs(difference) for difference in differences])
    signed = (math.copysign(rank, d) for rank, d in zip(ranks, differences, strict=True))
    return float(math.fsum(signed) / ranks.sum())
