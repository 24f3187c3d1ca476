"""One way in: dialogues from the release's layout, or from rows in parquet, JSONL or JSON files."""

from __future__ import annotations

from pathlib import Path

from memorycode.datasets.json_fields import read_json, read_json_rows
from memorycode.datasets.parquet import parquet_rows
from memorycode.datasets.release import (
    holds_release,
    load_release,
    number_in_name,
    parse_dialogue,
)
from memorycode.datasets.rows import Row, in_order, numbered
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError
from memorycode.text_files import plain_suffix

_READERS = {".parquet": parquet_rows, ".jsonl": read_json_rows}


def load_dataset(path: Path | str, *, limit: int | None = None) -> tuple[Dialogue, ...]:
    """The dialogues of a path, in order of their numbers; the first `limit` of them.

    The path is a folder of ``dialogue_N.json``, a clone's root, one such file, a file of rows
    (``.parquet``, ``.jsonl``, or a JSON list), or a folder of ``.parquet`` and ``.jsonl`` files
    (or of a folder named data that holds them). JSON files may be packed by gzip (``.json.gz``).
    Raises `DatasetError` at the first thing that is not as it should be.
    """
    source = Path(path)
    if not source.exists():
        raise DatasetError("no such file or folder", file=source)
    if not source.is_dir():
        return _file(source, limit)
    files = [] if holds_release(source) else _row_files(source)
    if not files:
        return load_release(source, limit=limit)
    return _in_order([row for file in files for row in _rows(file)], files[0], limit)


def is_data_file(file: Path) -> bool:
    """Whether a file is one of dialogues, by its name."""
    return plain_suffix(file) in (".json", *_READERS)


def _file(file: Path, limit: int | None) -> tuple[Dialogue, ...]:
    if plain_suffix(file) in _READERS:
        return _in_order(_rows(file), file, limit)
    data = read_json(file)
    if isinstance(data, list):
        return _in_order(list(numbered(data, source=file)), file, limit)
    return (parse_dialogue(data, file=file, number=number_in_name(file)),)[:limit]


def _row_files(path: Path) -> list[Path]:
    for folder in (path, path / "data"):
        if folder.is_dir():
            files = [file for file in folder.iterdir() if plain_suffix(file) in _READERS]
            if files:
                return sorted(files)
    return []


def _rows(file: Path) -> list[Row]:
    return list(numbered(_READERS[plain_suffix(file)](file), source=file))


def _in_order(rows: list[Row], file: Path, limit: int | None) -> tuple[Dialogue, ...]:
    if not rows:
        raise DatasetError("no rows", file=file)
    return in_order(rows, limit=limit)
