"""The figure of the score against what the memory puts into the prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memorycode.reporting.html.data_table import Column, data_table, decimal, interval_cell
from memorycode.reporting.html.markup import Node, element, untrusted
from memorycode.reporting.html.report_rows import NamedRow, ReportRows
from memorycode.reporting.html.svg import (
    PERCENT_TICKS,
    Axis,
    Point,
    dot,
    drawing,
    figure,
    line,
    text,
)
from memorycode.results.intervals import group_scores
from memorycode.results.statistics import Interval, bootstrap_mean, generator
from memorycode.results.strategy_row import StrategyRow


def context_figure(rows: ReportRows) -> Node | None:
    """Strict score against what the memory puts into the prompt."""
    found = [
        (number, named, named.row.context_tokens_mean, interval)
        for number, (named, interval) in enumerate(
            ((named, _overall(named.row)) for named in rows), start=1
        )
        if named.row.context_tokens_mean is not None and interval.mean is not None
    ]
    if not found:
        return None
    most = max(10, *(tokens or 0 for _, _, tokens, _ in found))
    x, y = Axis(0, most, 54, 610, log=True), Axis(0, 1, 270, 30)
    parts = [
        mark
        for tick in PERCENT_TICKS
        for mark in (
            line((54, y.at(tick / 100)), (610, y.at(tick / 100)), "grid"),
            text((46, y.at(tick / 100) + 4), str(tick), "tick", "end"),
        )
    ]
    parts += [
        mark
        for tick in (0, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
        if tick <= most
        for mark in (
            line((x.at(tick), 30), (x.at(tick), 270), "grid"),
            text((x.at(tick), 287), f"{tick:,}", "tick"),
        )
    ]
    parts += [
        text((332, 306), "mean tokens of recalled context (logarithmic)", "axis"),
        text((8, 14), "strict score, per cent", "axis", "start"),
    ]
    places: dict[int, Point] = {}
    for number, named, tokens, interval in found:
        places[number] = x.at(tokens or 0), y.at(interval.mean or 0)
        parts += _scattered(named, places[number][0], interval, y)
    parts += _numbered(places)
    key = element("ol", class_="key")
    for number, named, _, _ in found:
        key.append(element("li", untrusted(rows.label(named)), value=str(number)))
    table = data_table(
        "Strict score and context tokens",
        [*rows.columns, Column("strict %"), Column("context tokens")],
        [
            [*rows.cells(named), interval_cell(interval), decimal(tokens, 0)]
            for _, named, tokens, interval in found
        ],
    )
    label = "Scatter of the strict score against context tokens; the table below has the numbers"
    picture = element(
        "div",
        drawing(640, 315, label, *parts, class_="wide"),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label="Figure: score against context",
    )
    note = (
        "Strict score over all dialogues with its 95 % interval, against the mean length of the "
        "recalled context. Top left is best: much remembered with little. Diamonds: oracles."
    )
    title = "Score against context"
    return figure(title, note, [picture, key], table, id_="figure-context")


def _scattered(named: NamedRow, x: float, interval: Interval, y: Axis) -> Iterator[Node]:
    height = y.at(interval.mean or 0)
    if interval.low is not None and interval.high is not None:
        yield line((x, y.at(interval.low)), (x, y.at(interval.high)), "whisker")
    if named.row.oracle:
        diamond = [(x, height - 5), (x + 5, height), (x, height + 5), (x - 5, height)]
        yield element("path", d=_closed(diamond), class_="oracle-dot")
    else:
        yield dot((x, height), "main-dot", 4)


def _numbered(places: Mapping[int, Point]) -> Iterator[Node]:
    """Numbers above the dots; dots that lie on each other share a label."""
    groups: list[tuple[Point, list[int]]] = []
    for number, (x, y) in places.items():
        near = (g for (gx, gy), g in groups if abs(gx - x) < 16 and abs(gy - y) < 12)
        group = next(near, None)
        if group is None:
            groups.append(((x, y), [number]))
        else:
            group.append(number)
    taken: list[tuple[float, float, float]] = []
    for (x, y), numbers in sorted(groups):
        words = ", ".join(map(str, numbers))
        half = 3.7 * len(words)
        # Above the dot where there is room, else below it, else further off.
        for height in (y - 9, y + 18, y - 23, y + 32):
            if not any(abs(x - x2) < half + w2 and abs(height - y2) < 13 for x2, y2, w2 in taken):
                break
        taken.append((x, height, half))
        yield text((x, height), words, "label")


def _closed(points: Sequence[Point]) -> str:
    return " ".join(f"{'L' if n else 'M'}{x:g} {y:g}" for n, (x, y) in enumerate(points)) + " Z"


def _overall(row: StrategyRow) -> Interval:
    """Over all dialogues, short and long, of the setting that was asked."""
    scores = row.scores["strict"]
    filled = [group_scores(scores.dialogues, g) for g in ("history", "session", "instruction")]
    values = next((list(found.values()) for found in filled if found), [])
    return bootstrap_mean(values, generator())
