"""From values to places along one side of a drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` stand from `start` to `end`; `log` gives each tenfold the same
    room."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Where the value stands."""
        low, high, value = map(self._scaled, (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self, most: int) -> list[float]:
        """Round values within the scale, no more than `most` of them where that can be."""
        return _log_ticks(self.low, self.high, most) if self.log else self._linear_ticks(most)

    def _scaled(self, value: float) -> float:
        """Nought, which has no logarithm, stands at the low end."""
        return math.log10(max(value, self.low)) if self.log else value

    def _linear_ticks(self, most: int) -> list[float]:
        step = round_step((self.high - self.low) / max(1, most - 1))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(number * step, 10) for number in range(first, last + 1)]


def round_step(least: float) -> float:
    """The smallest of 1, 2, 2.5 and 5 times a power of ten that is no less than `least`."""
    if least <= 0 or not math.isfinite(least):
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next((n * power for n in (1, 2, 2.5, 5) if n * power >= least * (1 - 1e-9)), 10 * power)


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of ten, with twos and fives between them where there are few."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)

    def within(steps: Sequence[int]) -> list[float]:
        values = [step * 10.0**exponent for exponent in exponents for step in steps]
        return [value for value in values if low <= value <= high]

    for steps in ((1, 2, 5), (1, 3), (1,)):
        if len(found := within(steps)) <= most:
            return found or [low, high]
    return within((1,))


def apart(places: Sequence[float], widths: Sequence[float], gap: float) -> list[int]:
    """Which labels, by their numbers, have room beside each other; the last one always has."""
    shown: list[int] = []
    for number in reversed(range(len(places))):
        if not shown:
            shown.append(number)
            continue
        right = shown[-1]
        needed = (widths[number] + widths[right]) / 2 + gap
        if places[right] - places[number] >= needed:
            shown.append(number)
    return shown[::-1]
