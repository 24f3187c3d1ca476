"""The kinds of drawing: lines with bands, bars, stacked bars, dots, scatter.

Each draws rows of a series as its `Drawing` says: what is drawn is what stands in the CSV.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memorycode.figures.panels import Rows, distinct, has_bands, legend_label, wrapped
from memorycode.figures.style import Look
from memorycode.results.figures.series import Drawing, Kind, Value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Looks = Mapping[object, Look]
Places = Mapping[Value, float]
"""Where the values of the horizontal axis stand, the same in all panels."""

_LONG_LABEL = 6
"""Category labels longer than this are turned."""

_MANY, _SMALL = 6, 2.6
"""More lines than these have small markers."""


def lines(axes: Axes, rows: Rows, drawing: Drawing, looks: Looks, places: Places) -> None:
    """A line with markers per thing compared, its interval as a band, or no bands for many lines.

    Points of too few dialogues for an interval are hollow, and no line leads to them, unless no
    point has one.
    """
    has_intervals = any(_is_sure(row, drawing) for row in rows)
    for name in distinct(rows, drawing.by):
        own = [row for row in rows if row[drawing.by] == name and row[drawing.y] is not None]
        own.sort(key=lambda row: places[row[drawing.x]])
        sure = [row for row in own if _is_sure(row, drawing)] if has_intervals else own
        look = looks[name]
        size = _SMALL if len(looks) > _MANY else None
        axes.plot(
            [places[row[drawing.x]] for row in own],
            # The line breaks where there is no number.
            [_number(row[drawing.y]) if row in sure else math.nan for row in own],
            color=look.color,
            marker=look.marker,
            markersize=size,
            linestyle=look.dashes,
            label=legend_label(name),
        )
        unsure = [row for row in own if row not in sure]
        axes.plot(
            [places[row[drawing.x]] for row in unsure],
            [_number(row[drawing.y]) for row in unsure],
            color=look.color,
            marker=look.marker,
            markersize=size,
            markerfacecolor="none",
            markeredgewidth=0.6,
            linestyle="none",
        )
        if sure and has_intervals and has_bands(looks):
            axes.fill_between(
                [places[row[drawing.x]] for row in sure],
                [_number(row[drawing.low]) for row in sure],
                [_number(row[drawing.high]) for row in sure],
                color=look.color,
                alpha=0.18,
                linewidth=0,
            )
    _label_x(axes, drawing, places)
    _finish_y(axes, drawing)


def bars(axes: Axes, rows: Rows, drawing: Drawing, looks: Looks, places: Places) -> None:
    """Groups of bars, one group per category, with their intervals."""
    names = distinct(rows, drawing.by)
    width = 0.8 / len(names)
    for n, name in enumerate(names):
        own = [row for row in rows if row[drawing.by] == name and row[drawing.y] is not None]
        x = [places[row[drawing.x]] + (n - (len(names) - 1) / 2) * width for row in own]
        look = looks[name]
        axes.bar(
            x,
            [_number(row[drawing.y]) for row in own],
            width,
            yerr=_errors(own, drawing),
            color=look.color,
            edgecolor="white",
            hatch=look.hatch,
            linewidth=0.4,
            error_kw={"linewidth": 0.8, "ecolor": "#333333"},
            label=legend_label(name),
        )
    _label_x(axes, drawing, places)
    axes.grid(False, axis="x")
    _finish_y(axes, drawing)


def stacked(axes: Axes, rows: Rows, drawing: Drawing, looks: Looks, _: Places) -> None:
    """A bar per category, one below the other, made of what is compared."""
    categories = distinct(rows, drawing.x)
    ends = dict.fromkeys(categories, 0.0)
    for name in distinct(rows, drawing.by):
        own = [row for row in rows if row[drawing.by] == name]
        look = looks[name]
        axes.barh(
            [categories.index(row[drawing.x]) for row in own],
            [_number(row[drawing.y]) for row in own],
            0.75,
            left=[ends[row[drawing.x]] for row in own],
            color=look.color,
            edgecolor="white",
            hatch=look.hatch,
            linewidth=0.3,
            label=legend_label(name),
        )
        for row in own:
            ends[row[drawing.x]] += _number(row[drawing.y])
    _label_categories(axes, categories)
    _finish_x(axes, drawing)


def dots(axes: Axes, rows: Rows, drawing: Drawing, looks: Looks, _: Places) -> None:
    """A line per category, one below the other, with a dot for each thing compared."""
    categories, names = distinct(rows, drawing.x), list(looks)
    spread = 0.5 if len(distinct(rows, drawing.x)) < len(rows) else 0.0
    for name in distinct(rows, drawing.by):
        own = [row for row in rows if row[drawing.by] == name and row[drawing.y] is not None]
        shift = spread * ((names.index(name) + 0.5) / len(names) - 0.5)
        look = looks[name]
        axes.errorbar(
            [_number(row[drawing.y]) for row in own],
            [categories.index(row[drawing.x]) + shift for row in own],
            xerr=_errors(own, drawing),
            fmt=look.marker,
            color=look.color,
            markersize=2.8,
            elinewidth=0.6,
            label=legend_label(name),
        )
    if drawing.reference is not None:
        axes.axvline(drawing.reference, color="#333333", linewidth=0.6)
    _label_categories(axes, categories)
    _finish_x(axes, drawing)


def scatter(axes: Axes, rows: Rows, drawing: Drawing, looks: Looks, _: Places) -> None:
    """A point per row; those that are marked are joined by a stepped line and drawn full."""
    rows = [row for row in rows if row[drawing.y] is not None]
    marked = [row for row in rows if drawing.marked and row[drawing.marked]]
    marked.sort(key=lambda row: _number(row[drawing.x]))
    axes.step(
        [_number(row[drawing.x]) for row in marked],
        [_number(row[drawing.y]) for row in marked],
        where="post",
        color="#888888",
        linewidth=0.8,
        zorder=1,
    )
    for row in rows:
        look = looks[row[drawing.by]]
        axes.errorbar(
            [_number(row[drawing.x])],
            [_number(row[drawing.y])],
            yerr=_errors([row], drawing),
            fmt=look.marker,
            color=look.color,
            markerfacecolor=look.color if row in marked else "white",
            markersize=4.5,
            elinewidth=0.6,
            label=legend_label(row[drawing.by]),
        )
    if drawing.x_scale == "log":
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel(drawing.x_label)
    _finish_y(axes, drawing)


KINDS: Mapping[Kind, Callable[[Axes, Rows, Drawing, Looks, Places], None]] = {
    "lines": lines,
    "bars": bars,
    "stacked": stacked,
    "dots": dots,
    "scatter": scatter,
}

# ── axes ──────────────────────────────────────────────────────────────────────────────────────


def _label_x(axes: Axes, drawing: Drawing, places: Places) -> None:
    values = list(places)
    if drawing.x_scale == "log":
        axes.set_xscale("log")
        axes.minorticks_off()
    shown = _apart(values, places) if drawing.x_scale == "log" else values
    axes.set_xticks([places[value] for value in shown])
    labels = [str(value) for value in shown]
    turned = drawing.x_scale == "category" and sum(map(len, labels)) > 8 * _LONG_LABEL
    axes.set_xticklabels(labels, rotation=30 if turned else 0, ha="right" if turned else "center")
    axes.set_xlabel(drawing.x_label)


def _apart(values: list[Value], places: Places) -> list[Value]:
    """The values that have room for a label on a logarithmic axis; the last always has."""
    shown: list[Value] = []
    for value in reversed(values):
        if not shown or places[shown[-1]] / places[value] >= 1.26:
            shown.append(value)
    return shown[::-1]


def _finish_y(axes: Axes, drawing: Drawing) -> None:
    axes.set_ylabel(drawing.y_label)
    if drawing.whole:
        axes.set_ylim(0 if drawing.kind == "bars" else -0.03, 1.04)


def _finish_x(axes: Axes, drawing: Drawing) -> None:
    axes.set_xlabel(drawing.y_label, loc="right")
    axes.grid(drawing.kind == "dots", axis="y")
    if drawing.whole:
        axes.set_xlim(-0.03 if drawing.kind == "dots" else 0, 1.03)


def _label_categories(axes: Axes, categories: list[Value]) -> None:
    axes.set_yticks(range(len(categories)))
    axes.set_yticklabels([wrapped(str(category)) for category in categories])
    axes.set_ylim(len(categories) - 0.4, -0.6)


def _is_sure(row: Mapping[str, Value], drawing: Drawing) -> bool:
    """Whether there were enough dialogues for an interval."""
    return bool(drawing.low) and row[drawing.low] is not None


def _errors(rows: Rows, drawing: Drawing) -> Any:
    """How far the intervals reach below and above, nothing where there is none."""
    if not drawing.low or not rows:
        return None
    below, above = [], []
    for row in rows:
        y, low, high = row[drawing.y], row[drawing.low], row[drawing.high]
        below.append(0.0 if low is None else max(0.0, _number(y) - _number(low)))
        above.append(0.0 if high is None else max(0.0, _number(high) - _number(y)))
    return [below, above]


def _number(value: Value) -> float:
    return float(value or 0)
