"""Tables of a page: sortable, readable for a screen reader, wider than a phone if they must."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memorycode.markup import Child, Node, element, extend, untrusted
from memorycode.reporting.columns.table import Cell, Column, Mark, Row, Table, explained


def data_table(table: Table[Row]) -> Node:
    """A table, and below it what its columns mean; a click on a title sorts by its column."""
    head = element("tr", *(_title(column) for column in table.columns))
    body = element("tbody")
    for row in table.rows:
        body.append(_row(table.columns, row))
    drawn = element(
        "table",
        element("caption", element("span", untrusted(table.caption))),
        element("thead", head),
        body,
        class_="sortable",
        id=table.id,
    )
    # A box that scrolls has to be reached with the keyboard, and named.
    label = f"Table: {table.caption}"
    box = element("div", drawn, class_="scroll", tabindex="0", role="region", aria_label=label)
    return extend(element("div", class_="with-legend"), [box, _legend(table)])


def _legend(table: Table[Row]) -> Node | None:
    """What pointing at the titles says, for those who cannot point."""
    terms = explained(table.columns)
    if not terms:
        return None
    meanings = element("dl", class_="legend")
    for term, meaning in terms.items():
        meanings.append(element("div", element("dt", term), element("dd", meaning)))
    return element("details", element("summary", "What the columns mean"), meanings)


def _title(column: Column[Row]) -> Node:
    title = f"{column.title} {column.unit}" if column.unit else column.title
    over = element("small", column.over) if column.over else None
    button = element("button", title, over, type="button", title=column.help or None)
    return element(
        "th",
        button,
        scope="col",
        class_="number" if column.is_number else None,
        aria_sort="none",
        data_kind="number" if column.is_number else "text",
    )


def _row(columns: Sequence[Column[Row]], row: Row) -> Node:
    line = element("tr")
    for place, column in enumerate(columns):
        cell = column.cell(row)
        attributes = {
            "class": "number" if column.is_number else None,
            "data-value": cell.value,
            "scope": "row" if place == 0 else None,
        }
        detail = column.extra(row) if column.extra else cell.detail
        td = element("td" if place else "th", **attributes)
        line.append(extend(td, _shown(column, cell, detail)))
    return line


def _shown(column: Column[Row], cell: Cell, detail: str) -> Iterator[Child]:
    if cell.is_bad:
        yield element("strong", cell.text, class_="bad", title=cell.hint or None)
    elif cell.hint:
        yield element("span", cell.text, title=cell.hint)
    else:
        yield cell.text if column.is_number else untrusted(cell.text)
    for mark in cell.marks:
        yield from _mark(mark)
    if detail:
        yield " "
        yield element("span", detail, class_="detail")


def _mark(mark: Mark) -> Iterator[Node]:
    """A sign that one sees and points at, and a word that one hears."""
    yield element(
        "span",
        f"\u00a0{mark.sign}",
        class_=f"mark {mark.word}",
        title=f"{mark.word}: {mark.meaning}",
        aria_hidden="true",
    )
    yield element("span", f" ({mark.word})", class_="unseen")
