"""Lays a figure out: its panels one below the other, and one legend for all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memorycode.figures.style import COLUMN_WIDTH, looks
from memorycode.results.figures.series import Drawing, Series, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = list[dict[str, Value]]

_PANEL_HEIGHT, _LOW_PANEL_HEIGHT = 1.9, 1.4
"""Inches; the low ones where there are more than two."""
_LINE_HEIGHT = 0.125
"""Inches of a category in a plot that has them below one another."""
_LEGEND_LINE = 0.14
_LEGEND_WIDTH = 58
"""Characters."""
_LINE, _MOST_LINES = 48, 4
"""Characters of a label's line, and how many lines it may have: no name may crowd out the plot."""
_MOST_LINES_WITH_BANDS = 4


def draw(series: Series) -> Figure:
    """The figure of a series that has one. Call it with the house style in place."""
    from matplotlib.figure import Figure

    from memorycode.figures.kinds import KINDS

    drawing = _drawing(series)
    panels = series.shown()
    shown = [row for panel in panels.values() for row in panel]
    names, places = distinct(shown, drawing.by), _places(series, drawing)
    columns = _legend_columns(names)
    lines = _legend_lines(names, columns)
    heights = [_height(drawing, panel, len(panels)) for panel in panels.values()]
    total = sum(heights) + _LEGEND_LINE * lines + 0.15
    figure = Figure(figsize=(COLUMN_WIDTH, total), layout="constrained")
    grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
    look = looks(names)
    is_upright = drawing.kind not in ("dots", "stacked")
    first: Axes | None = None
    for place, (title, panel) in enumerate(panels.items()):
        axes = figure.add_subplot(grid[place, 0], sharex=first)
        first = first or axes
        KINDS[drawing.kind](axes, panel, drawing, look, places)
        if title not in (None, ""):
            # Where labels take up the left, there is room for a long title over them.
            axes.set_title(wrapped(str(title)), loc="left" if is_upright else "right")
        if place < len(panels) - 1:
            axes.set_xlabel("")
            axes.tick_params(labelbottom=not is_upright)
    if lines and first is not None:
        handles, labels = _handles(figure)
        figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=columns,
            title=drawing.by.replace("_", " ") if _are_numbers(names) else None,
            title_fontsize=7,
            handlelength=2.2,
            columnspacing=1.2,
        )
    return figure


def distinct(rows: Rows, column: str) -> list[Value]:
    """The values of a column: numbers in order, others as they come."""
    found = list(dict.fromkeys(row[column] for row in rows))
    return sorted(found, key=_number) if _are_numbers(found) else found


def _places(series: Series, drawing: Drawing) -> dict[Value, float]:
    """Where each value of the horizontal axis stands; categories stand in a row."""
    values = series.distinct(drawing.x)
    if drawing.x_scale != "category":
        return {value: _number(value) for value in values}
    return {value: float(place) for place, value in enumerate(values)}


def legend_label(name: object) -> str:
    """What the legend calls it: matplotlib leaves out what begins with an underscore."""
    return f" {name}" if str(name).startswith("_") else str(name)


def has_bands(names: Mapping[object, object]) -> bool:
    """Whether there is room for intervals about lines."""
    return len(names) <= _MOST_LINES_WITH_BANDS


def _drawing(series: Series) -> Drawing:
    if series.drawing is None:
        raise ValueError(f"{series.name} is a table and no figure")
    return series.drawing


def _height(drawing: Drawing, panel: Rows, panels: int) -> float:
    if drawing.kind in ("dots", "stacked"):
        labels = [wrapped(str(category)) for category in distinct(panel, drawing.x)]
        lines = max((label.count("\n") + 1 for label in labels), default=1)
        return 0.55 + _LINE_HEIGHT * max(3, len(labels) * lines)
    return _PANEL_HEIGHT if panels < 3 else _LOW_PANEL_HEIGHT


def _legend_columns(names: list[Value]) -> int:
    widest = max((len(str(name)) for name in names), default=1)
    return max(1, min(6, len(names), _LEGEND_WIDTH // (widest + 6)))


def _legend_lines(names: list[Value], columns: int) -> int:
    if len(names) < 2:
        return 0
    lines = [wrapped(str(name)).count("\n") + 1 for name in names]
    return sum(max(lines[at : at + columns]) for at in range(0, len(names), columns))


def wrapped(label: str) -> str:
    """A long spec or name on several lines, parted at its commas where it has some."""
    text = "".join(c if c.isprintable() else " " for c in label)
    lines = [""]
    for piece in re.findall(rf"[^,]{{1,{_LINE - 3}}},?|,", text):
        if lines[-1] and len(lines[-1]) + len(piece) > _LINE:
            lines.append("  ")
        lines[-1] += piece
    return "\n".join(lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "  …"])


def _handles(figure: Figure) -> tuple[list[Any], list[str]]:
    """One handle for each thing compared, whichever panel it is in."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            found.setdefault(wrapped(label), handle)
    return list(found.values()), list(found)


def _are_numbers(values: list[Value]) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _number(value: Value) -> float:
    return float(value or 0)
