"""How far numbers lie apart."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence


def spread(values: Iterable[float | None]) -> float | None:
    """The sample standard deviation of the values that are not None; None for fewer than two."""
    present = [value for value in values if value is not None]
    return statistics.stdev(present) if len(present) > 1 else None


def quantile(values: Sequence[float], share: float) -> float | None:
    """The smallest of the values that so large a share of them does not exceed; None for none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
