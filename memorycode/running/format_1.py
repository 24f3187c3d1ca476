"""Reads the folders of the first version, which are never appended to.

Their lines have no checksum, and what scorers say stands in the record. Names that have changed
since are translated here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from memorycode.running.contexts_by_dialogue import ContextsByDialogue
from memorycode.running.lines import Line, load_lines, load_lines_at, locate_lines
from memorycode.running.manifest import Manifest
from memorycode.running.records import AskedRecord, Record, StoredContext, TaskRecord
from memorycode.running.store import CONTEXTS, MANIFEST, TASKS, read_manifest

RECORDS = "records.jsonl"

_FIELDS = {"sample": "repeat", "cut": "truncated"}
_CAUSES = {"never_stated": "not_told"}
_SETTINGS = {"samples": "repeats"}
_STRATEGY = {"checkpoints": "ask_after"}


class Format1Reader:
    """Reads a folder of format 1."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def manifest(self) -> Manifest:
        return read_manifest(self.path / MANIFEST, _manifest)

    def located_attempts(self) -> Iterator[tuple[int, Record]]:
        return locate_lines(self.path / RECORDS, _record)

    def attempts_at(self, offsets: Iterable[int]) -> Iterator[AskedRecord]:
        return load_lines_at(self.path / RECORDS, offsets, _record)

    def tasks(self) -> Iterator[TaskRecord]:
        return load_lines(self.path / TASKS, partial(_load, TaskRecord))

    def contexts(self) -> Iterator[StoredContext]:
        return load_lines(self.path / CONTEXTS, partial(_load, StoredContext))

    def contexts_by_dialogue(self) -> ContextsByDialogue:
        return ContextsByDialogue(self.path / CONTEXTS, partial(_load, StoredContext))


def _manifest(text: bytes) -> Manifest:
    """Raises `ValueError`."""
    try:
        found: Any = json.loads(text)
        settings = _renamed(found["settings"], _SETTINGS)
        settings["strategies"] = [_renamed(one, _STRATEGY) for one in settings["strategies"]]
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError("not a manifest") from error
    return Manifest.model_validate_json(json.dumps(found | {"settings": settings}))


def _renamed(found: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in found.items()}


def _record(line: bytes) -> Record:
    """Raises `ValueError`."""
    found: Any = json.loads(line)
    try:
        record = _renamed(found, _FIELDS)
        record["causes"] = {
            scorer: {place: _CAUSES.get(cause, cause) for place, cause in causes.items()}
            for scorer, causes in found.get("causes", {}).items()
        }
    except (AttributeError, TypeError) as error:
        raise ValueError("not a record") from error
    return Record.model_validate(record)


def _load(kind: type[Line], line: bytes) -> Line:
    return kind.model_validate_json(line)
