"""A series as a table on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from memorycode.reporting.console import output, plain_table, printable, show
from memorycode.results.figures.pivot import pivoted
from memorycode.results.figures.series import Series

_MOST_LINES = 60
"""Of a table; all of them are in the CSV."""

_LABEL = 18
"""Characters that the first column has at least, if it needs them."""


def print_series(series: Series, files: Sequence[Path]) -> None:
    """The numbers and where their files lie, on standard output."""
    show(series_parts(series, files), output())


def series_parts(series: Series, files: Sequence[Path]) -> Iterable[RenderableType]:
    """The table, what one has to know to read it, and the files."""
    table = pivoted(series)
    in_percent = ", in per cent" if series.layout.as_percent else ""
    yield Text(printable(series.title + in_percent), style="italic")
    shown = plain_table(None)
    for place, title in enumerate(table.titles):
        is_number = place >= table.names
        longest = max((len(line[place]) for line in table.lines), default=0)
        shown.add_column(
            printable(title.replace(" ", "\n") if is_number else title),
            min_width=min(longest, _LABEL) if place == 0 else None,
            justify="right" if is_number else "left",
            overflow="fold",
            no_wrap=is_number,
        )
    for line in table.lines[:_MOST_LINES]:
        shown.add_row(*(Text(printable(cell)) for cell in line))
    yield shown if table.lines else Text("Nothing to show: no answer that it is about, or too few.")
    if len(table.lines) > _MOST_LINES:
        yield Text(f"… and {len(table.lines) - _MOST_LINES:,} more lines in the CSV")
    yield Text(printable(" ".join(series.notes)), style="dim")
    for file in files:
        yield Text(printable(str(file)), no_wrap=True, overflow="ignore")
