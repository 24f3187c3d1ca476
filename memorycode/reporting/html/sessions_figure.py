"""The figure of the score by the number of sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memorycode.reporting.html.data_table import Cell, Column, data_table, interval_cell
from memorycode.reporting.html.markup import Node, element, untrusted
from memorycode.reporting.html.report_rows import ReportRows
from memorycode.reporting.html.svg import (
    PERCENT_TICKS,
    Axis,
    Point,
    band,
    dot,
    drawing,
    figure,
    line,
    path,
    text,
)
from memorycode.results.intervals import session_intervals
from memorycode.results.statistics import Interval


def sessions_figure(rows: ReportRows) -> Node | None:
    """A panel per row, the others grey behind it; None where all dialogues are equally long."""
    curves = {
        rows.label(named): session_intervals(named.row.scores["strict"])
        for named in rows
        if named.row.scores["strict"].by_sessions
    }
    lengths = sorted({length for curve in curves.values() for length in curve})
    if len(lengths) < 2:
        return None
    panels = element("div", class_="panels")
    for label, curve in curves.items():
        others = [other for name, other in curves.items() if name != label]
        panels.append(_panel(label, curve, others, lengths))
    table = data_table(
        "Strict history score by number of sessions, with 95 % intervals",
        [Column("strategy", is_number=False), *(Column(str(length)) for length in lengths)],
        [
            [Cell(untrusted(label), label), *(interval_cell(curve.get(n)) for n in lengths)]
            for label, curve in curves.items()
        ],
    )
    note = (
        "Strict score at the last session, mean over the dialogues of that length; the band is the "
        "95 % interval, left out below 10 dialogues. Grey: the other strategies."
    )
    title = "Score by number of sessions"
    return figure(title, note, [panels], table, id_="figure-sessions")


def _panel(
    label: str,
    curve: Mapping[int, Interval],
    others: Sequence[Mapping[int, Interval]],
    lengths: Sequence[int],
) -> Node:
    x = Axis(lengths[0], lengths[-1], 34, 250, log=True)
    y = Axis(0, 1, 120, 10)
    parts = [
        mark
        for tick in PERCENT_TICKS
        for mark in (
            line((34, y.at(tick / 100)), (250, y.at(tick / 100)), "grid"),
            text((29, y.at(tick / 100) + 3), str(tick), "tick", "end"),
        )
    ]
    parts += [text((x.at(n), 134), str(n), "tick") for n in _apart(lengths, x)]
    parts += [path(_line(other, x, y), "other") for other in others]
    told = [(n, i) for n, i in curve.items() if i.low is not None and i.high is not None]
    if len(told) > 1:
        lower = [(x.at(n), y.at(i.low or 0)) for n, i in told]
        upper = [(x.at(n), y.at(i.high or 0)) for n, i in told]
        parts.append(band(lower, upper, "band"))
    points = _line(curve, x, y)
    parts += [path(points, "main"), *(dot(point, "main-dot", 2.5) for point in points)]
    scores = "; ".join(
        f"{n} sessions {100 * i.mean:.0f}" for n, i in curve.items() if i.mean is not None
    )
    picture = drawing(260, 140, f"{label}: {scores} per cent", *parts)
    return element("div", element("h4", untrusted(label)), picture, class_="panel")


def _line(curve: Mapping[int, Interval], x: Axis, y: Axis) -> list[Point]:
    return [(x.at(n), y.at(i.mean)) for n, i in curve.items() if i.mean is not None]


def _apart(lengths: Sequence[int], axis: Axis) -> Iterator[int]:
    """Those whose labels have room beside each other, the last one always."""
    taken = axis.at(lengths[-1])
    kept = [lengths[-1]]
    left = -100.0
    for length in lengths[:-1]:
        if axis.at(length) - left >= 20 and taken - axis.at(length) >= 22:
            kept.append(length)
            left = axis.at(length)
    yield from sorted(kept)
