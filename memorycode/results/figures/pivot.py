"""A series as readers' tables have it: text in cells, a column for each thing compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memorycode.results.figures.series import Layout, Series, Value

NOTHING = "–"
_MOST_WITH_INTERVAL = 3
"""Up to so many columns there is room for intervals."""


class Pivoted(NamedTuple):
    """Titles and cells as text; the first `names` columns say what a line is about."""

    titles: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    names: int


def pivoted(series: Series) -> Pivoted:
    """The table that the series' layout asks for, of the rows that readers are shown."""
    layout = series.layout
    records = [record for panel in series.shown().values() for record in panel]
    index = _used(layout.index, records)
    across = series.distinct(layout.across) if layout.across else []
    if not across:
        lines = [_plain(record, layout, index) for record in records]
        return Pivoted((*map(_title, index), _title(layout.value)), tuple(lines), len(index))
    cells: dict[tuple[Value, ...], dict[Value, str]] = {}
    with_interval = len(across) <= _MOST_WITH_INTERVAL
    for record in records:
        line = cells.setdefault(tuple(record[name] for name in index), {})
        line[record[layout.across]] = _cell(record, layout, with_interval)
    return Pivoted(
        (*map(_title, index), *map(_text, across)),
        tuple(
            (*map(_text, names), *(line.get(value, NOTHING) for value in across))
            for names, line in cells.items()
        ),
        len(index),
    )


def _used(index: tuple[str, ...], records: list[dict[str, Value]]) -> tuple[str, ...]:
    """Without the columns that are empty throughout."""
    return (
        tuple(n for n in index if any(record[n] not in (None, "") for record in records)) or index
    )


def _plain(record: Mapping[str, Value], layout: Layout, index: tuple[str, ...]) -> tuple[str, ...]:
    return *(_text(record[name]) for name in index), _cell(record, layout, with_interval=True)


def _cell(record: Mapping[str, Value], layout: Layout, with_interval: bool) -> str:
    value = _number(record[layout.value], layout)
    if value == NOTHING:
        return value
    if layout.error:
        error = record[layout.error]
        return value if error is None else f"{value} ± {_number(error, layout, digits=2)}"
    if layout.low and with_interval and record[layout.low] is not None:
        low, high = (_number(record[name], layout) for name in (layout.low, layout.high))
        return f"{value} [{low}, {high}]"
    return value


def _number(value: Value, layout: Layout, digits: int = 1) -> str:
    if value is None or isinstance(value, str):
        return value or NOTHING
    if layout.as_percent:
        return f"{100 * value:.{digits}f}"
    return f"{value:,.2f}"


def _text(value: Value) -> str:
    if value is None:
        return NOTHING
    return f"{value:,.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _title(column: str) -> str:
    return column.replace("_", " ")
