"""Tables in a terminal: what has no room there is left out, and no number is broken."""

from __future__ import annotations

from rich.table import Table as RichTable
from rich.text import Text

from memorycode.reporting.columns.table import Cell, Column, Row, Table
from memorycode.reporting.console import plain_table, printable

WIDE = 88
"""Columns from which on means have room for their errors."""

_NAME = 12
"""Characters that the column of names has at least."""


def drawn(table: Table[Row], width: int) -> RichTable:
    """The table for a terminal of this width."""
    shown = table.fitting(width)
    result = plain_table(table.caption or None)
    for place, column in enumerate(shown):
        if column.is_number:
            result.add_column(_heading(column), justify="right", no_wrap=True)
        else:
            is_name = place == 0 and any(one.is_number for one in shown)
            result.add_column(
                Text(printable(column.title)), overflow="fold", min_width=_NAME if is_name else None
            )
    for row in table.rows:
        result.add_row(*(_text(column.cell(row), width) for column in shown))
    return result


def _heading(column: Column[Row]) -> Text:
    title = column.title.replace("\u00ad", "-\n").replace(" ", "\n").replace("\u00a0", " ")
    return Text(printable(f"{title}\n{column.over}" if column.over else title))


def _text(cell: Cell, width: int) -> Text:
    shown = f"{cell.text} {cell.error}" if cell.error and width >= WIDE else cell.text
    text = Text(printable(shown))
    for mark in cell.marks:
        text.append(f" {mark.sign}", style="bold")
    return text
