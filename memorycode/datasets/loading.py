"""One way in: dialogues from the release's layout, or from rows in parquet or JSONL files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memorycode.datasets.parquet import parquet_rows
from memorycode.datasets.release import holds_release, load_release
from memorycode.datasets.rows import Row, in_order, numbered
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError


def load_dataset(path: Path | str, *, limit: int | None = None) -> tuple[Dialogue, ...]:
    """The dialogues of a path, in order of their numbers; the first `limit` of them.

    The path is a folder of ``dialogue_N.json``, a clone's root, one such file, a ``.parquet`` or
    ``.jsonl`` file of rows, or a folder of those (or of a folder named data that holds them).
    Raises `DatasetError` at the first thing that is not as it should be.
    """
    files = _row_files(Path(path))
    if not files:
        return load_release(path, limit=limit)
    rows = [row for file in files for row in _rows(file)]
    if not rows:
        raise DatasetError("no rows", file=files[0])
    return in_order(rows, limit=limit)


def _row_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.suffix in _READERS else []
    if not path.is_dir() or holds_release(path):
        return []
    for folder in (path, path / "data"):
        if folder.is_dir():
            files = [file for file in folder.iterdir() if file.suffix in _READERS]
            if files:
                return sorted(files)
    return []


def _rows(file: Path) -> Iterator[Row]:
    return numbered(_READERS[file.suffix](file), source=file)


def _jsonl_rows(file: Path) -> list[Any]:
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise DatasetError(f"cannot be read: {error.strerror}", file=file) from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"not UTF-8 text (byte {error.start})", file=file) from error
    return [_jsonl_row(line, file, n) for n, line in enumerate(lines, 1) if line.strip()]


def _jsonl_row(line: str, file: Path, number: int) -> Any:
    try:
        return json.loads(line)
    except RecursionError as error:
        raise DatasetError("nested too deeply", file=file, where=f"line {number}") from error
    except ValueError as error:
        raise DatasetError(f"not JSON: {error}", file=file, where=f"line {number}") from error


_READERS = {".parquet": parquet_rows, ".jsonl": _jsonl_rows}
