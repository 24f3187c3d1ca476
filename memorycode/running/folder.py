"""Reads a run's folder, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError
from memorycode.running.by_dialogue import RunByDialogue
from memorycode.running.format_1 import Format1Reader
from memorycode.running.manifest import FORMAT, Manifest
from memorycode.running.records import Record, StoredContext, TaskRecord
from memorycode.running.store import (
    DIALOGUES,
    MANIFEST,
    Format2Reader,
    format_of,
    read_dialogues,
)


class FormatReader(Protocol):
    """Reads folders of one format. All formats give the same models."""

    def manifest(self) -> Manifest: ...

    def attempts(self) -> Iterator[Record]: ...

    def tasks(self) -> Iterator[TaskRecord]: ...

    def contexts(self) -> Iterator[StoredContext]: ...

    def by_dialogue(self) -> RunByDialogue: ...


class RunFolder:
    """Reads a run's folder."""

    def __init__(self, path: Path | str) -> None:
        """Raises `RunFolderError` where no run is, and for a format that is not known."""
        self.path = Path(path)
        file = self.path / MANIFEST
        if not file.is_file():
            raise RunFolderError(f"{self.path}: no run here (no {MANIFEST})")
        format_ = format_of(self.path)
        if format_ not in (1, FORMAT):
            raise RunFolderError(f"{file}: format {format_}; this version reads 1 and {FORMAT}")
        self._reader: FormatReader = (
            Format1Reader(self.path) if format_ == 1 else Format2Reader(self.path)
        )

    @property
    def manifest(self) -> Manifest:
        return self._reader.manifest()

    def records(self) -> Iterator[Record]:
        """One record per question asked so far, the latest where it was asked again.

        The last line may be half-written: it is left out.
        """
        latest = {record.id: record for record in self.attempts()}
        return iter(latest.values())

    def attempts(self) -> Iterator[Record]:
        """Every time a question was asked, in the order in which it was written down."""
        return self._reader.attempts()

    def tasks(self) -> Iterator[TaskRecord]:
        return self._reader.tasks()

    def contexts(self) -> Iterator[StoredContext]:
        return self._reader.contexts()

    def dialogues(self) -> tuple[Dialogue, ...]:
        return read_dialogues(self.path / DIALOGUES)

    def by_dialogue(self) -> RunByDialogue:
        """Records and contexts one dialogue at a time, for a run too large for memory."""
        return self._reader.by_dialogue()
