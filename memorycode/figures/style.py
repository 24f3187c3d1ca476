"""What all figures look like: fit for a two-column paper, and for eyes that see colours otherwise.

Lines differ by colour, marker and dashes, so that they can be told apart in grey too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

COLUMN_WIDTH = 3.3
"""Inches: a column of a two-column paper (ACL's is 3.03, NeurIPS' figure in half a page 2.75)."""

DPI = 300

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#000000")
"""The palette of Okabe and Ito (2008), darkest first; their yellow is too pale for lines."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)), (0, (7, 2)))
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "||||")

SEQUENTIAL = "cividis"
"""For lines that have an order; made to look the same to all (Nuñez, Anderton and Renslow 2018)."""

RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "hatch.linewidth": 0.4,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # text stays text: journals refuse Type 3
    "text.parse_math": False,  # a model's name may have dollars in it
}
"""What matplotlib is told while a figure is made; its own settings are as before afterwards."""


@contextmanager
def house_style() -> Iterator[None]:
    """matplotlib's defaults and ours on them, whatever the user has set, until the block ends."""
    import matplotlib as mpl

    settings: Any = {**mpl.rcParamsDefault, **RC}
    with mpl.rc_context(settings):
        yield


class Look(NamedTuple):
    """How one line, bar or kind of point looks."""

    color: Any
    marker: str
    dashes: Any
    hatch: str


def looks(names: Sequence[object]) -> dict[object, Look]:
    """A look for each thing compared; numbers, which have an order, get shades."""
    colors = _shades(len(names)) if _are_numbers(names) and len(names) > 2 else OKABE_ITO
    return {
        name: Look(
            colors[place % len(colors)],
            MARKERS[place % len(MARKERS)],
            DASHES[place % len(DASHES)],
            HATCHES[place % len(HATCHES)],
        )
        for place, name in enumerate(names)
    }


def _are_numbers(names: Sequence[object]) -> bool:
    return all(isinstance(name, int | float) for name in names)


def _shades(count: int) -> list[Any]:
    from matplotlib import colormaps

    # The palest end is hard to see on white.
    return [colormaps[SEQUENTIAL](0.88 * place / (count - 1)) for place in range(count)]
