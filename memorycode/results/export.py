"""Writes tables of runs for other tools: CSV, JSON lines, parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, TextIO, get_args

from memorycode.extras import needed
from memorycode.results.csv_lines import csv_columns, csv_line
from memorycode.results.frames import Kind, RunTable, Value
from memorycode.whole_file import own_replaced

Format = Literal["csv", "jsonl", "parquet"]

FORMATS: tuple[Format, ...] = get_args(Format)

_BATCH = 20_000
"""Rows of a parquet file that are in memory at a time."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that a spreadsheet would take for a formula and work out."""


def joined(tables: Sequence[RunTable]) -> RunTable:
    """The rows of tables with the same columns, one table after the other."""
    return RunTable(tables[0].columns, chain.from_iterable(table.rows for table in tables))


def write_table(table: RunTable, file: Path, form: Format) -> None:
    """Write the table to a file, which is replaced at once or not at all, and only where it is a
    table of the same columns.

    Raises `UsageError` where it is something else or cannot be written, `NotInstalled` where
    parquet lacks something.
    """
    names = [column.name for column in table.columns]
    with own_replaced(file, lambda found: _COLUMNS[form](found) == names) as part:
        if form == "parquet":
            _write_parquet(table, part)
        else:
            with part.open("w", encoding="utf-8", newline="") as text:
                print_table(table, text, form)


def print_table(table: RunTable, text: TextIO, form: Literal["csv", "jsonl"]) -> None:
    """Write the table to an open text, row by row."""
    _WRITERS[form](table, text)


def _write_csv(table: RunTable, text: TextIO) -> None:
    """Nothing where there is no value, ``true`` and ``false``, numbers with all their digits. A
    text that a spreadsheet would take for a formula gets an apostrophe before it, which tells the
    spreadsheet that it is text."""
    header = tuple(column.name for column in table.columns)
    for row in chain([header], table.rows):
        text.write(csv_line(map(_csv_cell, row)))


def _csv_cell(value: Value) -> Value:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return value


def _write_jsonl(table: RunTable, text: TextIO) -> None:
    """An object per row; null where there is no value."""
    names = [column.name for column in table.columns]
    for row in table.rows:
        text.write(json.dumps(dict(zip(names, row, strict=True))) + "\n")


_WRITERS: Mapping[Literal["csv", "jsonl"], Callable[[RunTable, TextIO], None]] = {
    "csv": _write_csv,
    "jsonl": _write_jsonl,
}


def _write_parquet(table: RunTable, file: Path) -> None:
    needed("frames", "pyarrow", "pyarrow.parquet")
    import pyarrow
    from pyarrow import parquet

    types: Mapping[Kind, Any] = {
        "text": pyarrow.string(),
        "whole": pyarrow.int64(),
        "number": pyarrow.float64(),
        "flag": pyarrow.bool_(),
    }
    schema = pyarrow.schema(
        [
            pyarrow.field(column.name, types[column.kind], metadata={"meaning": column.meaning})
            for column in table.columns
        ]
    )
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for rows in _batches(table.rows):
            columns = zip(*rows, strict=True)
            arrays = [
                pyarrow.array(values, field.type)
                for values, field in zip(columns, schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _jsonl_columns(file: Path) -> list[str]:
    try:
        with file.open(encoding="utf-8") as lines:
            return list(dict(json.loads(next(lines))))
    except (ValueError, TypeError, RecursionError):
        return []


def _parquet_columns(file: Path) -> list[str]:
    needed("frames", "pyarrow", "pyarrow.parquet")
    import pyarrow
    from pyarrow import parquet

    try:
        return list(parquet.read_schema(file).names)
    except pyarrow.ArrowException:
        return []


_COLUMNS: Mapping[Format, Callable[[Path], list[str]]] = {
    "csv": csv_columns,
    "jsonl": _jsonl_columns,
    "parquet": _parquet_columns,
}
"""The columns of a file that may be such a table; none where it is not."""


def _batches(rows: Iterable[tuple[Value, ...]]) -> Iterator[list[tuple[Value, ...]]]:
    rest = iter(rows)
    while batch := list(islice(rest, _BATCH)):
        yield batch
