"""Means that leave out what is not there, their standard errors, and how far numbers lie apart."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

from memorycode.frozen import Frozen


class Estimate(Frozen):
    """A mean over `n` dialogues with its standard error, the sample standard deviation / √n.

    `mean` is None for no dialogue, `se` for fewer than two.
    """

    mean: float | None
    se: float | None
    n: int


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None; None if there are none."""
    present = [value for value in values if value is not None]
    return math.fsum(present) / len(present) if present else None


def estimate(values: Iterable[float | None]) -> Estimate:
    """The mean of the values that are not None, with its standard error."""
    present = [value for value in values if value is not None]
    n, center = len(present), mean(present)
    if center is None or n < 2:
        return Estimate(mean=center, se=None, n=n)
    variance = math.fsum((value - center) ** 2 for value in present) / (n - 1)
    return Estimate(mean=center, se=math.sqrt(variance / n), n=n)


def standard_deviation(values: Iterable[float | None]) -> float | None:
    """That of a sample, of the values that are not None; None for fewer than two."""
    present = [value for value in values if value is not None]
    return statistics.stdev(present) if len(present) > 1 else None


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest of the values that so large a share of them does not exceed; None for none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
