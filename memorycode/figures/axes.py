"""The two axes of a panel: what they run over, their ticks, labels and grid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from memorycode.figures.kinds import UPRIGHT, Plot, Rows, as_number
from memorycode.figures.marks import segment, text
from memorycode.figures.scale import Scale, apart
from memorycode.figures.style import SMALL
from memorycode.figures.text import text_width, wrapped
from memorycode.markup import Node
from memorycode.results.figures.series import Drawing, Series, Value

LINE = 9.0
"""The height of a line of text."""

_GAP = 3.0
"""Between an axis and its labels."""

_PADDING = 0.04
"""Of the range of values, on either side."""

_TURNED = 30
"""Degrees, of labels that have no room beside each other."""

_WHOLE_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def value_range(drawing: Drawing, rows: Rows) -> tuple[float, float]:
    """What the axis of numbers runs over: 0 to 1, or what is drawn with some room about it."""
    if drawing.whole:
        return (0.0, 1.03) if drawing.kind in ("bars", "stacked") else (-0.03, 1.03)
    columns = filter(None, (drawing.y, drawing.low, drawing.high))
    values = [as_number(row[c]) for c in columns for row in rows if row[c] is not None]
    return _padded([*values, *filter(None, [drawing.reference])], zero=drawing.kind == "stacked")


def category_range(drawing: Drawing, places: Mapping[Value, float]) -> tuple[float, float]:
    """What the other axis runs over."""
    if drawing.x_scale == "category" or drawing.kind not in UPRIGHT:
        return -0.5, len(places) - 0.5
    values = list(places.values())
    if drawing.x_scale == "linear":
        return _padded(values)
    positive = [value for value in values if value > 0] or [1.0]
    room = max(1.1, (max(positive) / min(positive)) ** _PADDING)
    return min(positive) / room, max(positive) * room


def places_of(series: Series, drawing: Drawing, rows: Rows) -> dict[Value, float]:
    """Where the values of the axis of categories stand on it: numbers for themselves, categories in
    a row. The same in all panels where the axis is below; else each panel has its own."""
    if drawing.kind not in UPRIGHT:
        return {
            value: float(at) for at, value in enumerate(dict.fromkeys(r[drawing.x] for r in rows))
        }
    values = series.distinct(drawing.x)
    if drawing.x_scale == "category":
        return {value: float(at) for at, value in enumerate(values)}
    return {value: as_number(value) for value in values}


def value_ticks(drawing: Drawing, scale: Scale, as_percent: bool) -> list[tuple[float, str]]:
    """The ticks of the axis of numbers, with their labels."""
    ticks = _WHOLE_TICKS if drawing.whole else scale.ticks(6)
    return [(tick, f"{100 * tick:g}" if as_percent else f"{tick:g}") for tick in ticks]


def value_title(drawing: Drawing, as_percent: bool) -> str:
    """What the numbers are."""
    return f"{drawing.y_label}, per cent" if as_percent else drawing.y_label


class BottomLabels:
    """The labels below a panel: those of categories are turned where they have no room."""

    def __init__(self, drawing: Drawing, scale: Scale, places: Mapping[Value, float]) -> None:
        if drawing.kind == "scatter":
            labels = {tick: f"{tick:,.0f}" for tick in scale.ticks(7)}
        else:
            labels = {place: _label(value) for value, place in places.items()}
        self._scale = scale
        self._labels = dict(sorted(labels.items()))
        widths = [text_width(label, SMALL) for label in self._labels.values()]
        steps = [scale.at(place) for place in self._labels]
        room = min((b - a for a, b in pairwise(steps)), default=math.inf)
        self._is_turned = drawing.x_scale == "category" and max(widths, default=0) > room - 3
        self._shown = list(range(len(steps))) if self._is_turned else apart(steps, widths, 4)
        widest = max(widths, default=0)
        self.height = LINE + (widest * math.sin(math.radians(_TURNED)) if self._is_turned else 0)

    def parts(self, y: float) -> Iterator[Node]:
        """The labels below `y`."""
        ticks = list(self._labels.items())
        for number in self._shown:
            place, label = ticks[number]
            x = self._scale.at(place)
            if self._is_turned:
                yield text((x + 2, y + _GAP + SMALL), label, anchor="end", turned=-_TURNED)
            else:
                yield text((x, y + _GAP + SMALL), label)

    def ticks(self) -> list[float]:
        ticks = list(self._labels)
        return [self._scale.at(ticks[number]) for number in self._shown]


def grid(plot: Plot, left: float, right: float, top: float, bottom: float) -> Iterator[Node]:
    """The lines behind a panel, at its numbers; its axes; and where it says so, a reference."""
    drawing, upright = plot.drawing, plot.drawing.kind in UPRIGHT
    scale = plot.y if upright else plot.x
    for tick, _ in value_ticks(drawing, scale, plot.as_percent):
        at = scale.at(tick)
        ends = ((left, at), (right, at)) if upright else ((at, top), (at, bottom))
        yield segment(*ends, "grid")
    if drawing.reference is not None:
        at = scale.at(drawing.reference)
        ends = ((left, at), (right, at)) if upright else ((at, top), (at, bottom))
        yield segment(*ends, "axis")
    yield segment((left, top), (left, bottom), "axis")
    yield segment((left, bottom), (right, bottom), "axis")


def left_labels(plot: Plot, left: float, room: float) -> Iterator[Node]:
    """Numbers, or the names of categories, on the left of a panel, no wider than `room`."""
    x = left - _GAP
    if plot.drawing.kind in UPRIGHT:
        for tick, label in value_ticks(plot.drawing, plot.y, plot.as_percent):
            yield text((x, plot.y.at(tick) + SMALL * 0.35), label, anchor="end")
        return
    for value, place in plot.places.items():
        lines = wrapped(_label(value), room, SMALL)
        first = plot.y.at(place) + SMALL * 0.35 - (len(lines) - 1) * LINE / 2
        for number, words in enumerate(lines):
            yield text((x, first + number * LINE), words, anchor="end")


def bottom_numbers(plot: Plot, bottom: float) -> Iterator[Node]:
    """The numbers below a panel whose numbers run to the right."""
    for tick, label in value_ticks(plot.drawing, plot.x, plot.as_percent):
        yield text((plot.x.at(tick), bottom + _GAP + SMALL), label)


def width_of_left(drawing: Drawing, rows: Rows, as_percent: bool, most: float) -> float:
    """The room that labels on the left take, `most` at the most."""
    if drawing.kind in UPRIGHT:
        scale = Scale(*value_range(drawing, rows), 0, 1)
        labels: Sequence[str] = [label for _, label in value_ticks(drawing, scale, as_percent)]
    else:
        values = dict.fromkeys(row[drawing.x] for row in rows)
        labels = [words for value in values for words in wrapped(_label(value), most, SMALL)]
    return max((text_width(label, SMALL) for label in labels), default=0) + _GAP


def _label(value: Value) -> str:
    return f"{value:,g}" if isinstance(value, float) else str(value)


def _padded(values: Sequence[float], *, zero: bool = False) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    room = (high - low) * _PADDING
    return (min(0.0, low) if zero else low - room), high + room
