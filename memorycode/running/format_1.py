"""Reads the folders of the first version, which are never appended to.

Their lines have no checksum, and what scorers say stands in the record. Names that have changed
since are translated here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from memorycode.running.by_dialogue import LinesByDialogue
from memorycode.running.lines import Line, load_lines
from memorycode.running.manifest import Manifest
from memorycode.running.records import Record, StoredContext, TaskRecord
from memorycode.running.store import CONTEXTS, MANIFEST, TASKS, read_manifest

RECORDS = "records.jsonl"

_FIELDS = {"sample": "repeat", "cut": "truncated"}
_CAUSES = {"never_stated": "not_told"}


class Format1Reader:
    """Reads a folder of format 1."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def manifest(self) -> Manifest:
        return read_manifest(self.path / MANIFEST)

    def attempts(self) -> Iterator[Record]:
        return load_lines(self.path / RECORDS, _record)

    def tasks(self) -> Iterator[TaskRecord]:
        return load_lines(self.path / TASKS, partial(_load, TaskRecord))

    def contexts(self) -> Iterator[StoredContext]:
        return load_lines(self.path / CONTEXTS, partial(_load, StoredContext))

    def by_dialogue(self) -> _ByDialogue:
        return _ByDialogue(self.path)


class _ByDialogue:
    """A `RunByDialogue` of format 1."""

    def __init__(self, path: Path) -> None:
        self._records = LinesByDialogue(path / RECORDS, _record)
        self._contexts = LinesByDialogue(path / CONTEXTS, partial(_load, StoredContext))

    def records(self, dialogue: int) -> Iterator[Record]:
        return self._records.of(dialogue)

    def contexts(self, dialogue: int) -> Iterator[StoredContext]:
        return self._contexts.of(dialogue)


def _record(line: bytes) -> Record:
    """Raises `ValueError`."""
    found: Any = json.loads(line)
    try:
        record = {_FIELDS.get(name, name): value for name, value in found.items()}
        record["causes"] = {
            scorer: {place: _CAUSES.get(cause, cause) for place, cause in causes.items()}
            for scorer, causes in found.get("causes", {}).items()
        }
    except (AttributeError, TypeError) as error:
        raise ValueError("not a record") from error
    return Record.model_validate(record)


def _load(kind: type[Line], line: bytes) -> Line:
    return kind.model_validate_json(line)
