"""The kinds of drawing: lines with bands, bars, stacked bars, dots, scatter.

Each draws rows of a series as its `Drawing` says: what is drawn is what stands in the CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from memorycode.figures.marks import Point, band, bar, line, mark, segment
from memorycode.figures.scale import Scale
from memorycode.figures.style import Look
from memorycode.markup import Node
from memorycode.results.figures.series import Drawing, Kind, Value

Row = Mapping[str, Value]
Rows = list[dict[str, Value]]

_RADIUS, _SMALL = 1.8, 1.3
_MANY = 6
"""More lines than these have small marks."""
_MOST_WITH_BANDS = 4
"""More lines than these leave no room for bands."""
_BAR_SHARE = 0.8
"""Of the room for a category, what its bars take."""


@dataclass(frozen=True)
class Plot:
    """Where the values of a panel stand. `names` are all that is compared, in any panel; `places`
    say where the values of the axis of categories stand on its scale; `name` is the drawing's."""

    name: str
    drawing: Drawing
    x: Scale
    y: Scale
    looks: Mapping[Value, Look]
    places: Mapping[Value, float]
    as_percent: bool

    def told(self, row: Row) -> str:
        """What a mark says on hovering."""
        drawing = self.drawing
        value = self.number(row, drawing.y)
        parts = [f"{row[drawing.by]}", f"{row[drawing.x]}: {value}"]
        if is_sure(row, drawing):
            low, high = (self.number(row, column) for column in (drawing.low, drawing.high))
            parts[1] += f" ({low} to {high})"
        return ", ".join(dict.fromkeys(parts))

    def number(self, row: Row, column: str) -> str:
        """A value as people read it."""
        value = as_number(row[column])
        return f"{100 * value:.1f} %" if self.as_percent else f"{value:,g}"

    def category(self, row: Row) -> float:
        return self.places[row[self.drawing.x]]


def lines(plot: Plot, rows: Rows) -> Iterator[Node]:
    """A line with marks per thing compared, its interval as a band, or no bands for many lines.

    Points of too few dialogues for an interval are hollow, and no line leads to them, unless no
    point has one.
    """
    drawing, names = plot.drawing, distinct(rows, plot.drawing.by)
    has_intervals = any(is_sure(row, drawing) for row in rows)
    radius = _SMALL if len(plot.looks) > _MANY else _RADIUS
    own = {name: _points(plot, rows, name) for name in names}
    sure = {
        name: [row for row in points if not has_intervals or is_sure(row, drawing)]
        for name, points in own.items()
    }
    if has_intervals and len(plot.looks) <= _MOST_WITH_BANDS:
        for name in names:  # behind all lines
            lower, upper = (_along(plot, sure[name], end) for end in (drawing.low, drawing.high))
            yield band(lower, upper, plot.looks[name].color)
    for name in names:
        look = plot.looks[name]
        # The line breaks where there is no number to be sure of.
        for piece in _unbroken(own[name], sure[name]):
            yield line(_along(plot, piece, drawing.y), f"{look.color} {look.dashes}")
        for row, place in zip(own[name], _along(plot, own[name], drawing.y), strict=True):
            yield mark(place, look, radius, plot.told(row), hollow=row not in sure[name])


def _points(plot: Plot, rows: Rows, name: Value) -> Rows:
    """What a line leads through, from left to right."""
    drawing = plot.drawing
    own = [row for row in rows if row[drawing.by] == name and row[drawing.y] is not None]
    return sorted(own, key=plot.category)


def bars(plot: Plot, rows: Rows) -> Iterator[Node]:
    """Groups of bars, one group per category, with their intervals."""
    drawing, names = plot.drawing, list(plot.looks)
    width = _BAR_SHARE / len(names)
    base = plot.y.at(0)
    for row in _with_values(rows, drawing):
        number = names.index(row[drawing.by])
        left = plot.category(row) + number * width - _BAR_SHARE / 2
        x, end, top = plot.x.at(left), plot.x.at(left + width), plot.y.at(as_number(row[drawing.y]))
        look = plot.looks[row[drawing.by]]
        yield from bar((x, top), (end - x, base - top), look, plot.told(row), plot.name)
        yield from _upright_interval(plot, row, (x + end) / 2, "axis")


def stacked(plot: Plot, rows: Rows) -> Iterator[Node]:
    """A bar per category, one below the other, made of what is compared."""
    drawing = plot.drawing
    ends: dict[Value, float] = {}
    for row in _with_values(rows, drawing):
        start = ends.get(row[drawing.x], 0.0)
        end = ends[row[drawing.x]] = start + as_number(row[drawing.y])
        if end > start:
            middle = plot.category(row)
            top, below = plot.y.at(middle - 0.37), plot.y.at(middle + 0.37)
            corner, size = (plot.x.at(start), top), (plot.x.at(end) - plot.x.at(start), below - top)
            yield from bar(corner, size, plot.looks[row[drawing.by]], plot.told(row), plot.name)


def dots(plot: Plot, rows: Rows) -> Iterator[Node]:
    """A line per category, one below the other, with a dot for each thing compared."""
    drawing, names = plot.drawing, list(plot.looks)
    # Where a category has several dots, they stand a little below one another.
    room = 0.5 if len(distinct(rows, drawing.x)) < len(rows) else 0.0
    for row in _with_values(rows, drawing):
        look = plot.looks[row[drawing.by]]
        shift = room * ((names.index(row[drawing.by]) + 0.5) / len(names) - 0.5)
        y = plot.y.at(plot.category(row) + shift)
        if is_sure(row, drawing):
            low, high = (plot.x.at(as_number(row[c])) for c in (drawing.low, drawing.high))
            yield segment((low, y), (high, y), f"whisker {look.color}")
        yield mark((plot.x.at(as_number(row[drawing.y])), y), look, 1.6, plot.told(row))


def scatter(plot: Plot, rows: Rows) -> Iterator[Node]:
    """A point per row; those that are marked are joined by a stepped line and drawn full."""
    drawing = plot.drawing
    rows = list(_with_values(rows, drawing))
    marked = [row for row in rows if drawing.marked and row[drawing.marked]]
    marked.sort(key=lambda row: as_number(row[drawing.x]))
    corners: list[Point] = []
    for row in marked:
        x, y = plot.x.at(as_number(row[drawing.x])), plot.y.at(as_number(row[drawing.y]))
        corners += [(x, corners[-1][1]), (x, y)] if corners else [(x, y)]
    if len(corners) > 1:
        yield line(corners, "frontier")
    for row in rows:
        x, look = plot.x.at(as_number(row[drawing.x])), plot.looks[row[drawing.by]]
        yield from _upright_interval(plot, row, x, f"whisker {look.color}")
        place = x, plot.y.at(as_number(row[drawing.y]))
        is_hollow = bool(drawing.marked) and row not in marked
        yield mark(place, look, 2.3, plot.told(row), hollow=is_hollow)


KINDS: Mapping[Kind, Callable[[Plot, Rows], Iterator[Node]]] = {
    "lines": lines,
    "bars": bars,
    "stacked": stacked,
    "dots": dots,
    "scatter": scatter,
}

UPRIGHT: frozenset[Kind] = frozenset({"lines", "bars", "scatter"})
"""Kinds whose numbers run upwards; in the others they run to the right."""


def distinct(rows: Rows, column: str) -> list[Value]:
    """The values of a column: numbers in order, others as they come."""
    found = list(dict.fromkeys(row[column] for row in rows))
    if all(isinstance(value, int | float) for value in found):
        return sorted(found, key=as_number)
    return found


def is_sure(row: Row, drawing: Drawing) -> bool:
    """Whether there were enough dialogues for an interval."""
    return bool(drawing.low) and row[drawing.low] is not None and row[drawing.high] is not None


def as_number(value: Value) -> float:
    return float(value or 0)


def _with_values(rows: Rows, drawing: Drawing) -> Iterator[dict[str, Value]]:
    return (row for row in rows if row[drawing.y] is not None)


def _along(plot: Plot, rows: Rows, column: str) -> list[Point]:
    return [(plot.x.at(plot.category(row)), plot.y.at(as_number(row[column]))) for row in rows]


def _unbroken(own: Rows, sure: Rows) -> Iterator[Rows]:
    """Runs of neighbours that are all sure, of two or more."""
    run: Rows = []
    for row in [*own, None]:
        if row is not None and row in sure:
            run.append(row)
            continue
        if len(run) > 1:
            yield run
        run = []


def _upright_interval(plot: Plot, row: Row, x: float, class_: str) -> Iterator[Node]:
    if is_sure(row, plot.drawing):
        low, high = (plot.y.at(as_number(row[c])) for c in (plot.drawing.low, plot.drawing.high))
        yield segment((x, low), (x, high), class_)
