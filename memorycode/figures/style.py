"""What all figures look like: fit for a two-column paper, and for eyes that see colours otherwise.

Lines differ by colour, marker and dashes, bars by colour and pattern, so that they can be told
apart in grey too. A drawing has classes alone; a style sheet gives them colours, one for files and
two for the page, by day and by night.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

Name = TypeVar("Name")

COLUMN_WIDTH = 3.3
"""Inches: a column of a two-column paper (ACL's is 3.03, NeurIPS' figure in half a page 2.75)."""

POINTS = 72
"""Units of a drawing in an inch: fonts and lines have their sizes in points."""

DPI = 300

TEXT, SMALL = 8, 7
"""Sizes of fonts, in units: axes and titles; ticks and legend."""

FONT = "'Liberation Sans', Arial, Helvetica, 'DejaVu Sans', sans-serif"

SHADES = 12


Colors = Mapping[str, str]
"""By class or part of a drawing, its colour."""


def _colors(
    ink: str, grid: str, ground: str, things: Sequence[str], shades: Sequence[str]
) -> Colors:
    """`things` are the colours of what is compared; `shades` are stops, equally far apart, of those
    of what has an order."""
    return {
        "ink": ink,
        "grid": grid,
        "ground": ground,
        **{f"c{n}": color for n, color in enumerate(things)},
        **{f"s{n}": _shade(shades, n) for n in range(SHADES)},
    }


def _shade(stops: Sequence[str], place: int) -> str:
    """A colour between the stops."""
    share = place / (SHADES - 1) * (len(stops) - 1)
    first = min(int(share), len(stops) - 2)
    ends = zip(_parts(stops[first]), _parts(stops[first + 1]), strict=True)
    parts = (round(low + (high - low) * (share - first)) for low, high in ends)
    return "#" + "".join(f"{part:02x}" for part in parts)


def _parts(color: str) -> tuple[int, int, int]:
    """Red, green and blue."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


# Okabe and Ito (2008), darkest first; their yellow is too pale for lines. The shades are of
# cividis, made to look the same to all (Nuñez, Anderton and Renslow 2018), without its palest end.
DAY = _colors(
    ink="#222222",
    grid="#dddddd",
    ground="#ffffff",
    things=("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#000000"),
    shades=("#00224e", "#35456c", "#666970", "#948e77", "#c8b866"),
)
NIGHT = _colors(
    ink="#d8d8d8",
    grid="#3d3d3d",
    ground="#14171c",
    things=("#56B4E9", "#F0894E", "#35C79B", "#E69F00", "#DD9CC0", "#9AD0F2", "#FFFFFF"),
    shades=("#5b7bb5", "#7d8ba0", "#9c9c98", "#bdb184", "#e8d76f"),
)
DAY_OR_NIGHT = {name: f"light-dark({DAY[name]}, {NIGHT[name]})" for name in DAY}

THINGS = 7
MARKERS = 7
DASHES = ("", "4 1.5", "1 1", "4 1 1 1", "7 2")
HATCHES = ("", "M0 4 L4 0", "M1 1 h.8 M3 3 h.8", "M0 0 L4 4 M0 4 L4 0", "M0 0 L4 4", "M2 0 V4")
"""What is drawn in a square of four units, again and again."""


class Look(NamedTuple):
    """How one line, bar or kind of point looks: a class for its colour and one for its dashes, and
    the numbers of its marker and its pattern."""

    color: str
    dashes: str
    marker: int
    hatch: int


def looks(names: Sequence[Name]) -> dict[Name, Look]:
    """A look for each thing compared; numbers, which have an order, get shades."""
    ordered = are_numbers(names) and len(names) > 2
    last = max(1, len(names) - 1)
    return {
        name: Look(
            f"s{round((SHADES - 1) * place / last)}" if ordered else f"c{place % THINGS}",
            f"d{place % len(DASHES)}",
            place % MARKERS,
            place % len(HATCHES),
        )
        for place, name in enumerate(names)
    }


def are_numbers(names: Sequence[object]) -> bool:
    """Whether what is compared has an order of its own."""
    return all(isinstance(name, int | float) for name in names)


def style_sheet(colors: Colors, scope: str = "") -> str:
    """The rules of CSS that give a drawing its colours, all below `scope`."""
    rules = {
        "text": f"font-family:{FONT};font-size:{SMALL}px;fill:{colors['ink']}",
        ".sign": f"fill:{colors['ink']}",
        ".title": f"font-size:{TEXT}px",
        ".grid": f"stroke:{colors['grid']};stroke-width:.5",
        ".axis": f"stroke:{colors['ink']};stroke-width:.6",
        ".line": "fill:none;stroke:currentColor;stroke-width:1.2",
        ".mark": "fill:currentColor;stroke:currentColor;stroke-width:.6",
        ".hollow": f"fill:{colors['ground']}",
        ".band": "fill:currentColor;fill-opacity:.18",
        ".whisker": "stroke:currentColor;stroke-width:.8",
        ".bar": f"fill:currentColor;stroke:{colors['ground']};stroke-width:.4",
        ".hatch": f"fill:none;stroke:{colors['ground']};stroke-width:.7",
        ".frontier": f"color:{colors['ink']};stroke-width:.7",
        **{f".c{n}": f"color:{colors[f'c{n}']}" for n in range(THINGS)},
        **{f".s{n}": f"color:{colors[f's{n}']}" for n in range(SHADES)},
        **{f".d{n}": f"stroke-dasharray:{dash}" for n, dash in enumerate(DASHES) if dash},
    }
    return "".join(f"{scope} {name}{{{rule}}}".lstrip() for name, rule in rules.items())
