"""Runs as tables for other tools: named and typed columns, a row per rule, question or strategy.

Each level's columns are listed once, with what they mean; docs/export.md shows the lists. Verdicts,
scores and causes have a column for each scorer. Every column has a type even where all is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, get_args

from memorycode.extras import needed
from memorycode.results.encodable_text import encodable

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")

Level = Literal["rules", "questions", "strategies"]

LEVELS: tuple[Level, ...] = get_args(Level)

Kind = Literal["text", "whole", "number", "flag"]
"""Of a column: text, whole numbers, numbers, true or false; each may be empty."""

Value = str | int | float | bool | None

_DTYPES: Mapping[Kind, str] = {
    "text": "string",
    "whole": "Int64",
    "number": "Float64",
    "flag": "boolean",
}
"""Pandas' nullable types: what is empty is missing, and no number or text of another meaning."""


@dataclass(frozen=True)
class FrameColumn(Generic[T]):
    """A column of a table: its values are worked out from what a row is about."""

    name: str
    kind: Kind
    meaning: str
    value: Callable[[T], Value]


class RunTable(NamedTuple):
    """Named and typed columns, and rows of values, which are made as they are read."""

    columns: Sequence[FrameColumn[Any]]
    rows: Iterable[tuple[Value, ...]]


def make_table(columns: Sequence[FrameColumn[T]], things: Iterable[T]) -> RunTable:
    """A row for each of the things."""
    return RunTable(columns, (tuple(_value(column, one) for column in columns) for one in things))


def _value(column: FrameColumn[T], one: T) -> Value:
    value = column.value(one)
    return encodable(value) if isinstance(value, str) else value


def to_frame(table: RunTable) -> DataFrame:
    """The table as a pandas data frame. Raises `NotInstalled` where pandas is not."""
    needed("frames", "pandas")
    import pandas

    names = [column.name for column in table.columns]
    frame = pandas.DataFrame.from_records(list(table.rows), columns=names)
    return frame.astype({column.name: _DTYPES[column.kind] for column in table.columns})
