"""Drawing in the page: plain SVG whose colours are the page's, light or dark.

Colours and fonts are classes of ``page.css``: the page's policy admits no style of an element's
own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from memorycode.markup import Child, Node, element

Point = tuple[float, float]

PERCENT_TICKS = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class Axis:
    """From values to places along one side of a figure; `log` gives room to what is small."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = map(self._scaled, (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 1)

    def _scaled(self, value: float) -> float:
        return math.log10(1 + value) if self.log else value


def figure(title: str, note: str, drawings: Sequence[Child], table: Node, *, id_: str) -> Node:
    """A figure with its title, what one has to know, and its numbers as a table."""
    return element(
        "figure",
        element("figcaption", element("h3", title), element("p", note, class_="note")),
        *drawings,
        element("details", element("summary", f"Numbers of “{title}” as a table"), table),
        id=id_,
    )


def drawing(width: float, height: float, label: str, *parts: Node, class_: str = "") -> Node:
    """A picture to a screen reader, which hears `label`."""
    return element(
        "svg",
        element("title", label),
        *parts,
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=label,
        class_=class_ or None,
    )


def path(points: Sequence[Point], class_: str) -> Node:
    return element("path", d=_steps(points), class_=class_)


def band(lower: Sequence[Point], upper: Sequence[Point], class_: str) -> Node:
    """The area between two lines."""
    return element("path", d=f"{_steps([*lower, *reversed(upper)])} Z", class_=class_)


def _steps(points: Sequence[Point]) -> str:
    return " ".join(f"{'L' if n else 'M'}{x:g} {y:g}" for n, (x, y) in enumerate(points))


def line(start: Point, end: Point, class_: str) -> Node:
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], class_=class_)


def dot(place: Point, class_: str, radius: float = 3) -> Node:
    return element("circle", cx=place[0], cy=place[1], r=radius, class_=class_)


def text(place: Point, words: str, class_: str, anchor: str = "middle") -> Node:
    return element("text", words, x=place[0], y=place[1], text_anchor=anchor, class_=class_)
