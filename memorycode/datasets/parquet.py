"""Rows in parquet files, by pyarrow (extra ``hf``), which is imported when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from memorycode.datasets.card import SPLIT, CardFacts, TableSize, data_card
from memorycode.datasets.foreign_layouts import refuse_foreign_layout
from memorycode.datasets.rows import COLUMNS, TEXT_COLUMNS, dump_row
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError, Unreadable, UsageError
from memorycode.text_files import open_regular
from memorycode.whole_file import folder_written_whole

_FILE = Path("data") / f"{SPLIT}-00000-of-00001.parquet"
"""Where the Hub expects the rows, below the data set's folder."""

_BATCH = 32
"""Rows held at a time while writing."""


def parquet_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a file, with no more than the columns that are known here."""
    pyarrow, parquet = _library("pyarrow"), _library("pyarrow.parquet")
    try:
        with open_regular(file) as stream, parquet.ParquetFile(stream) as opened:
            refuse_foreign_layout(opened.schema_arrow.names, file)
            names = [name for name in opened.schema_arrow.names if name in COLUMNS]
            rows: list[dict[str, Any]] = opened.read(columns=names).to_pylist()
    except Unreadable as error:
        raise DatasetError(error.problem, file=file) from error
    except (OSError, ValueError, ArithmeticError, pyarrow.ArrowException) as error:
        raise DatasetError(f"not a parquet file that can be read: {error}", file=file) from error
    return rows


def write_parquet(
    dialogues: Iterable[Dialogue], folder: Path | str, *, card: CardFacts | None = None
) -> Path:
    """Write dialogues and a data card into `folder`, in the Hub's layout; returns the data file.

    Raises `UsageError` where the folder holds anything, which might be lost, or where pyarrow is
    not installed. Nothing is left of a folder that could not be finished.
    """
    parquet = _library("pyarrow.parquet")
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is there already and not empty; name another folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    with folder_written_whole(target) as made:
        _write(dialogues, made, card or CardFacts(), parquet)
    return target / _FILE


def _write(dialogues: Iterable[Dialogue], folder: Path, card: CardFacts, parquet: Any) -> None:
    file = folder / _FILE
    file.parent.mkdir()
    n_rows = n_bytes = 0
    with parquet.ParquetWriter(file, _schema(), compression="zstd") as writer:
        for table in _tables(dialogues):
            writer.write_table(table)
            n_rows, n_bytes = n_rows + table.num_rows, n_bytes + table.nbytes
    size = TableSize(rows=n_rows, bytes_in_memory=n_bytes, bytes_of_file=file.stat().st_size)
    (folder / "README.md").write_text(data_card(card, size), encoding="utf-8")


def _tables(dialogues: Iterable[Dialogue]) -> Iterator[Any]:
    pyarrow, schema, rest = _library("pyarrow"), _schema(), iter(dialogues)
    while batch := [dump_row(dialogue) for dialogue in islice(rest, _BATCH)]:
        yield pyarrow.Table.from_pylist(batch, schema=schema)


def _schema() -> Any:
    pyarrow = _library("pyarrow")
    return pyarrow.schema(
        [(name, pyarrow.string() if name in TEXT_COLUMNS else pyarrow.int64()) for name in COLUMNS]
    )


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            f"parquet files need {name} ({error}): pip install 'memorycode[hf]'"
        ) from error
