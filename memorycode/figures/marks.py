"""The parts that drawings are made of: lines, bands, bars, marks, texts.

Colours are classes (`memorycode.figures.style`), for the page's policy admits no style of an
element's own. A mark has what it stands for as its title, which browsers show on hovering.
"""

from __future__ import annotations

from collections.abc import Sequence

from memorycode.figures.style import HATCHES, SMALL, TEXT, Look
from memorycode.figures.text import printable
from memorycode.markup import Node, element

Point = tuple[float, float]

_ORACLE = "◆"
"""Drawn and not written: one sign that a font lacks makes some viewers take another font for all
of its line."""

_SHAPES: tuple[tuple[Point, ...], ...] = (
    (),  # a circle
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
    ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    ((0, 1.2), (1.15, -0.9), (-1.15, -0.9)),
    (
        *((-1.3, -0.4), (-0.4, -0.4), (-0.4, -1.3), (0.4, -1.3), (0.4, -0.4), (1.3, -0.4)),
        *((1.3, 0.4), (0.4, 0.4), (0.4, 1.3), (-0.4, 1.3), (-0.4, 0.4), (-1.3, 0.4)),
    ),
    ((1.2, 0), (-0.9, 1.15), (-0.9, -1.15)),
)
"""Corners of a mark about its middle, in parts of its radius."""


def mark(place: Point, look: Look, radius: float, told: str = "", *, hollow: bool = False) -> Node:
    """A point that stands for a number; `told` says which."""
    shape = f"mark {look.color}{' hollow' if hollow else ''}"
    title = element("title", printable(told)) if told else None
    x, y = place
    corners = _SHAPES[look.marker]
    if not corners:
        return element("circle", title, cx=f"{x:g}", cy=f"{y:g}", r=f"{radius:g}", class_=shape)
    points = [(x + dx * radius, y + dy * radius) for dx, dy in corners]
    return element("path", title, d=f"{_steps(points)} Z", class_=shape)


def line(points: Sequence[Point], class_: str) -> Node:
    """A line through the points."""
    return element("path", d=_steps(points), class_=f"line {class_}")


def segment(start: Point, end: Point, class_: str) -> Node:
    """A straight line: a grid's, an axis', an interval's."""
    return element("path", d=_steps([start, end]), class_=class_)


def band(lower: Sequence[Point], upper: Sequence[Point], class_: str) -> Node:
    """The area between two lines."""
    outline = _steps([*lower, *reversed(upper)]) + " Z" * bool(lower)
    return element("path", d=outline, class_=f"band {class_}")


def bar(corner: Point, size: Point, look: Look, told: str, name: str) -> list[Node]:
    """A rectangle from its upper left corner, with its pattern on it; `name` is the drawing's."""
    place = {
        "x": f"{corner[0]:g}",
        "y": f"{corner[1]:g}",
        "width": f"{max(size[0], 0):g}",
        "height": f"{max(size[1], 0):g}",
    }
    plain = element("rect", element("title", printable(told)), **place, class_=f"bar {look.color}")
    if not look.hatch:
        return [plain]
    return [plain, element("rect", **place, fill=f"url(#{_hatch_id(name, look.hatch)})")]


def hatches(name: str) -> Node:
    """The patterns that a drawing's bars refer to; `name` keeps two drawings in one page apart."""
    patterns = (
        element(
            "pattern",
            element("path", d=path, class_="hatch"),
            id=_hatch_id(name, number),
            patternUnits="userSpaceOnUse",
            width="4",
            height="4",
        )
        for number, path in enumerate(HATCHES)
        if path
    )
    return element("defs", *patterns)


def text(
    place: Point, words: str, class_: str = "", *, anchor: str = "middle", turned: float = 0
) -> Node:
    """A line of text; `turned` about its place, in degrees. The mark of an oracle at its end is
    drawn, before it or, where the text ends at its place, behind it."""
    x, y = (f"{value:g}" for value in place)
    turn = f"rotate({turned:g} {x} {y})" if turned else None
    words = printable(words)
    if not words.endswith(_ORACLE):
        return element(
            "text", words, x=x, y=y, text_anchor=anchor, transform=turn, class_=class_ or None
        )
    # Where a text begins or ends is known; how wide it comes out is not.
    size = TEXT if class_ else SMALL
    side = -1 if anchor == "end" else 1
    sign = _diamond(place[0] + side * size * 0.28, place[1] - size * 0.34, size * 0.28)
    beside = place[0] + side * size * 0.85, place[1]
    words = words.removesuffix(_ORACLE).rstrip()
    return element("g", sign, text(beside, words, class_, anchor=anchor), transform=turn)


def _diamond(x: float, y: float, radius: float) -> Node:
    corners = [(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)]
    return element("path", element("title", "oracle"), d=f"{_steps(corners)} Z", class_="sign")


def _hatch_id(name: str, number: int) -> str:
    return f"{name}-hatch-{number}"


def _steps(points: Sequence[Point]) -> str:
    return " ".join(f"{'L' if n else 'M'}{x:.6g} {y:.6g}" for n, (x, y) in enumerate(points))
