"""Lays a figure out: its panels one below the other, and one legend for all."""

from __future__ import annotations

import math
from itertools import pairwise

from memorycode.figures import axes
from memorycode.figures.axes import LINE, BottomLabels
from memorycode.figures.kinds import KINDS, UPRIGHT, Plot, Rows, distinct
from memorycode.figures.legend import Legend
from memorycode.figures.marks import hatches, text
from memorycode.figures.scale import Scale
from memorycode.figures.style import COLUMN_WIDTH, POINTS, SMALL, TEXT, looks
from memorycode.figures.text import printable, wrapped
from memorycode.markup import Node, element
from memorycode.results.figures.series import Series, Value

PAPER_WIDTH = COLUMN_WIDTH * POINTS

_BODY, _LOW_BODY = 112.0, 78.0
"""The height of a panel; the low one where there are more than two."""

_EDGE = 4.0

_LABELS = 0.5
"""Of the width, what names on the left may take."""


def draw(series: Series, width: float = PAPER_WIDTH) -> Node:
    """The figure of a series as SVG, `width` points wide: a paper's column, unless told otherwise.

    Raises `ValueError` for a series that is a table alone.
    """
    return _Figure(series, width).svg()


class _Figure:
    def __init__(self, series: Series, width: float) -> None:
        if series.drawing is None:
            raise ValueError(f"{series.name} is a table and no figure")
        self._series, self._drawing, self._width = series, series.drawing, width
        self._panels = series.shown()
        self._rows = [row for panel in self._panels.values() for row in panel]
        self._looks = looks(distinct(self._rows, self._drawing.by))
        self._as_percent = series.layout.as_percent
        self._is_upright = self._drawing.kind in UPRIGHT
        title = LINE if self._is_upright else 0
        most = _LABELS * width
        labels = axes.width_of_left(self._drawing, self._rows, self._as_percent, most)
        self._room = min(labels, most)
        self._left = _EDGE + title + self._room + _EDGE
        self._right = width - 2 * _EDGE

    def svg(self) -> Node:
        """All of it."""
        key = Legend(self._series.name, self._drawing, self._looks, self._width)
        parts, y = [hatches(self._series.name)], _EDGE
        for number, (title, rows) in enumerate(self._panels.items()):
            y = self._panel(parts, y, title, rows, is_last=number == len(self._panels) - 1)
        parts += key.parts(y)
        height = y + key.height + _EDGE
        return element(
            "svg",
            element("title", printable(self._series.title)),
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {self._width:g} {height:g}",
            # A browser takes a point for four thirds of a unit.
            width=f"{self._width * 4 / 3:g}",
            height=f"{height * 4 / 3:g}",
            role="img",
            aria_label=printable(self._series.title),
            class_="drawn",
        )

    def _panel(
        self, parts: list[Node], y: float, title: Value, rows: Rows, *, is_last: bool
    ) -> float:
        """Add a panel from `y` on, and say where it ends."""
        # Where names take up the left, a title has the whole width.
        left = self._left if self._is_upright else _EDGE
        for words in [] if title in (None, "") else wrapped(str(title), self._right - left, TEXT):
            y += LINE
            parts.append(text((left, y), words, "title", anchor="start"))
        top, bottom = y + _EDGE, y + _EDGE + self._body(rows)
        plot = self._plot(rows, top, bottom)
        parts += axes.grid(plot, self._left, self._right, top, bottom)
        parts += KINDS[self._drawing.kind](plot, rows)
        parts += axes.left_labels(plot, self._left, self._room)
        if self._is_upright:
            return self._below_upright(parts, plot, (top, bottom), is_last=is_last)
        parts += axes.bottom_numbers(plot, bottom)
        words = axes.value_title(self._drawing, self._as_percent) if is_last else ""
        return self._below(parts, bottom + LINE + 2, words)

    def _below_upright(
        self, parts: list[Node], plot: Plot, ends: tuple[float, float], *, is_last: bool
    ) -> float:
        """What stands beside and below a panel whose numbers run upwards."""
        top, bottom = ends
        words = axes.value_title(self._drawing, self._as_percent)
        place = _EDGE + TEXT - 1, (top + bottom) / 2
        parts.append(text(place, words, "title", turned=-90))
        if not is_last:
            return bottom + _EDGE
        labels = BottomLabels(self._drawing, plot.x, plot.places)
        parts += labels.parts(bottom)
        return self._below(parts, bottom + labels.height + 2, self._drawing.x_label)

    def _below(self, parts: list[Node], y: float, words: str) -> float:
        if not words:
            return y + _EDGE
        parts.append(text(((self._left + self._right) / 2, y + LINE), words, "title"))
        return y + LINE + _EDGE

    def _plot(self, rows: Rows, top: float, bottom: float) -> Plot:
        places = axes.places_of(self._series, self._drawing, rows)
        values = axes.value_range(self._drawing, self._rows)
        others = axes.category_range(self._drawing, places)
        is_log = self._drawing.x_scale == "log"
        if self._is_upright:
            x = Scale(*others, self._left, self._right, log=is_log)
            y = Scale(*values, bottom, top)
        else:
            x = Scale(*values, self._left, self._right)
            y = Scale(*others, top, bottom)
        return Plot(
            name=self._series.name,
            drawing=self._drawing,
            x=x,
            y=y,
            looks=self._looks,
            places=places,
            as_percent=self._as_percent,
        )

    def _body(self, rows: Rows) -> float:
        if self._is_upright:
            return _BODY if len(self._panels) < 3 else _LOW_BODY
        names = distinct(rows, self._drawing.x)
        lines = [len(wrapped(str(name), self._room, SMALL)) for name in names]
        between = (math.ceil((a + b) / 2) for a, b in pairwise(lines))
        return LINE * max(3, len(names) * max(between, default=max(lines, default=1))) + 2
