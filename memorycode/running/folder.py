"""Reads a run's folder, whatever its format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError
from memorycode.running.contexts_by_dialogue import ContextsByDialogue
from memorycode.running.format_1 import Format1Reader
from memorycode.running.manifest import FORMAT, Manifest
from memorycode.running.records import AskedRecord, Record, StoredContext, TaskRecord
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

    def located_attempts(self) -> Iterator[tuple[int, Record]]: ...

    def attempts_at(self, offsets: Iterable[int]) -> Iterator[AskedRecord]: ...

    def tasks(self) -> Iterator[TaskRecord]: ...

    def contexts(self) -> Iterator[StoredContext]: ...

    def contexts_by_dialogue(self) -> ContextsByDialogue: ...


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
        return (record for _, record in self.located_attempts())

    def located_attempts(self) -> Iterator[tuple[int, Record]]:
        """The same, each with the place of its line, for `attempts_at`."""
        return self._reader.located_attempts()

    def attempts_at(self, offsets: Iterable[int]) -> Iterator[AskedRecord]:
        """What was asked in the lines that stand at these places."""
        return self._reader.attempts_at(offsets)

    def tasks(self) -> Iterator[TaskRecord]:
        return self._reader.tasks()

    def contexts(self) -> Iterator[StoredContext]:
        return self._reader.contexts()

    def dialogues(self) -> tuple[Dialogue, ...]:
        return read_dialogues(self.path / DIALOGUES)

    def contexts_by_dialogue(self) -> ContextsByDialogue:
        """The recalled contexts, one dialogue at a time."""
        return self._reader.contexts_by_dialogue()
