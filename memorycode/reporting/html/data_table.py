"""Tables of a page: sortable, readable for a screen reader, wider than a phone if they must."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memorycode.reporting.html.markup import Child, Node, element, extend
from memorycode.results.statistics import Interval


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and the number or text that its column is sorted by, if it is another."""

    shown: Child | tuple[Child, ...]
    value: float | str | None = None


@dataclass(frozen=True)
class Column:
    """`help` is what one hears and sees on pointing at the title."""

    title: str
    is_number: bool = True
    help: str = ""


def data_table(
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    id_: str | None = None,
) -> Node:
    """A table whose first column names the rows; a click on a title sorts by its column."""
    head = element("tr", *(_title(column) for column in columns))
    body = element("tbody")
    for row in rows:
        body.append(_row(columns, row))
    table = element(
        "table",
        element("caption", element("span", caption)),
        element("thead", head),
        body,
        class_="sortable",
        id=id_,
    )
    # A box that scrolls has to be reached with the keyboard, and named.
    return element(
        "div", table, class_="scroll", tabindex="0", role="region", aria_label=f"Table: {caption}"
    )


def _title(column: Column) -> Node:
    button = element("button", column.title, type="button", title=column.help or None)
    return element(
        "th",
        button,
        scope="col",
        class_="number" if column.is_number else None,
        aria_sort="none",
        data_kind="number" if column.is_number else "text",
    )


def _row(columns: Sequence[Column], row: Sequence[Cell]) -> Node:
    line = element("tr")
    for place, (column, cell) in enumerate(zip(columns, row, strict=True)):
        shown = cell.shown if isinstance(cell.shown, tuple) else (cell.shown,)
        attributes = {
            "class": "number" if column.is_number else None,
            "data-value": cell.value,
            "scope": "row" if place == 0 else None,
        }
        td = element("td" if place else "th", **attributes)
        line.append(extend(td, shown))
    return line


def count(number: int) -> Cell:
    return Cell(f"{number:,}", number)


def decimal(number: float | None, digits: int = 1) -> Cell:
    """A number, or a dash where there is none."""
    return Cell("–" if number is None else f"{number:,.{digits}f}", number)


def percent(share: float | None) -> Cell:
    return decimal(None if share is None else 100 * share)


def interval_cell(interval: Interval | None) -> Cell:
    """A mean in per cent with its interval, where there is one."""
    if interval is None or interval.mean is None:
        return Cell("–", None)
    if interval.low is None or interval.high is None:
        return percent(interval.mean)
    between = f" [{100 * interval.low:.1f}–{100 * interval.high:.1f}]"
    return Cell(f"{100 * interval.mean:.1f}{between}", interval.mean)
