"""What a table or figure is made of: named columns, rows, and how they are laid out and drawn."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from memorycode.frozen import Frozen
from memorycode.results.csv_lines import csv_line

Value = str | int | float | None

Kind = Literal["lines", "bars", "stacked", "dots", "scatter"]


class Layout(Frozen):
    """How rows become a table for readers: a line for each value of the columns `index`, a column
    for each value of `across`, and in the cells `value`, with `error` behind ± or `low` to `high`.

    `as_percent` is for numbers from 0 to 1.
    """

    index: tuple[str, ...]
    across: str
    value: str
    error: str = ""
    low: str = ""
    high: str = ""
    as_percent: bool = True


class Drawing(Frozen):
    """How rows become a figure: the columns for both axes, for the interval about `y`, for the
    lines (or colours) and for the panels.

    In `dots` the categories `x` stand below one another and `y` runs across. `most` draws the first
    so many rows of each panel alone. `reference` draws a line where `y` has that value, `whole`
    says that `y` runs from 0 to 1.
    """

    kind: Kind
    x: str
    y: str
    by: str
    x_label: str
    y_label: str
    low: str = ""
    high: str = ""
    panel: str = ""
    x_scale: Literal["category", "linear", "log"] = "category"
    most: int | None = None
    reference: float | None = None
    whole: bool = True
    marked: str = ""


class Series(Frozen):
    """The numbers of one table or figure. `notes` say what one has to know to read them.

    `order` is that of the categories that a table has across and a figure along its axis, where
    they have one: rows need not come in it, for the first group may lack some. Numbers have theirs.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    layout: Layout
    drawing: Drawing | None = None
    notes: tuple[str, ...] = ()
    order: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _rows_fit(self) -> Series:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: {len(row)} values in {len(self.columns)} columns")
        return self

    def records(self) -> list[dict[str, Value]]:
        """The rows with their columns' names."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def distinct(self, column: str) -> list[Value]:
        """The values of a column that readers are shown, each once: numbers and ordered categories
        in order, others as they come."""
        shown = (row for panel in self.shown().values() for row in panel)
        found = list(dict.fromkeys(row[column] for row in shown))
        numbers = [value for value in found if isinstance(value, int | float)]
        if len(numbers) == len(found):
            return [*sorted(numbers)]
        place = {value: at for at, value in enumerate(self.order)}
        return sorted(found, key=lambda value: place.get(str(value), len(place)))

    def shown(self) -> dict[Value, list[dict[str, Value]]]:
        """What readers are shown, by panel: all rows, or as many of each as the drawing takes."""
        drawing = self.drawing
        panels: dict[Value, list[dict[str, Value]]] = {}
        for record in self.records():
            panel = record[drawing.panel] if drawing and drawing.panel else None
            panels.setdefault(panel, []).append(record)
        most = drawing.most if drawing else None
        return {panel: records[:most] for panel, records in panels.items()}

    def csv(self) -> str:
        """All rows with a header; numbers with all their digits, nothing where there is none."""
        return "".join(map(csv_line, (self.columns, *self.rows)))
