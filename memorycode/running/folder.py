"""A run's folder on disk.

::

    manifest.json         settings and versions
    dialogues.jsonl.gz    the dialogues, so that the folder explains itself
    contexts.jsonl        each distinct recalled context once
    records.jsonl         one line per question, appended and flushed
    units.jsonl           one line per finished unit of work

Lines are appended whole; a half-written last line, left by a killed process, is cut off when the
folder is opened for writing.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from memorycode.datasets.release import dump_dialogue, parse_dialogue
from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError
from memorycode.running.manifest import Manifest
from memorycode.running.records import Record, StoredContext, UnitRecord

Line = TypeVar("Line", bound=BaseModel)

MANIFEST, DIALOGUES = "manifest.json", "dialogues.jsonl.gz"
CONTEXTS, RECORDS, UNITS = "contexts.jsonl", "records.jsonl", "units.jsonl"


class RunFolder:
    """Reads a run's folder."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if not (self.path / MANIFEST).is_file():
            raise RunFolderError(f"{self.path}: no run here (no {MANIFEST})")

    @property
    def manifest(self) -> Manifest:
        file = self.path / MANIFEST
        try:
            return Manifest.model_validate_json(file.read_bytes())
        except ValidationError as error:
            raise RunFolderError(f"{file}: {_first(error)}") from error

    def records(self) -> Iterator[Record]:
        """The records in the order written. The last line may be half-written: it is left out."""
        return read_lines(self.path / RECORDS, Record)

    def units(self) -> Iterator[UnitRecord]:
        return read_lines(self.path / UNITS, UnitRecord)

    def contexts(self) -> Iterator[StoredContext]:
        return read_lines(self.path / CONTEXTS, StoredContext)

    def dialogues(self) -> tuple[Dialogue, ...]:
        file = self.path / DIALOGUES
        try:
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                rows = [json.loads(line) for line in lines]
        except (OSError, EOFError, ValueError) as error:
            raise RunFolderError(f"{file}: cannot be read: {error}") from error
        return tuple(
            parse_dialogue(row["dialogue"], file=file, number=row["number"]) for row in rows
        )


class RunWriter:
    """Appends to a run's folder, from several threads at once."""

    def __init__(self, path: Path | str) -> None:
        self.folder = RunFolder(path)
        self._lock = threading.Lock()
        self._files = {}
        for name in (CONTEXTS, RECORDS, UNITS):
            file = self.folder.path / name
            cut_half_line(file)
            self._files[name] = file.open("ab")
        self._known_contexts = {context.id for context in self.folder.contexts()}

    @classmethod
    def create(
        cls, path: Path | str, manifest: Manifest, dialogues: Iterable[Dialogue]
    ) -> RunWriter:
        """Start a new folder, or go on in one whose settings are equal.

        Raises `RunFolderError` with the differences where they are not, and where the folder
        holds something else.
        """
        target = Path(path)
        if (target / MANIFEST).exists():
            _check_same(RunFolder(target), manifest)
            return cls(target)
        if target.exists() and any(target.iterdir() if target.is_dir() else [target]):
            raise RunFolderError(f"{target}: holds something else than a run; choose another --out")
        target.mkdir(parents=True, exist_ok=True)
        _write_dialogues(target / DIALOGUES, dialogues)
        # The manifest comes last and at once: a folder that has one is complete.
        text = manifest.model_dump_json(indent=2)
        (target / f"{MANIFEST}.new").write_text(text + "\n", encoding="utf-8")
        (target / f"{MANIFEST}.new").replace(target / MANIFEST)
        return cls(target)

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def add_record(self, record: Record) -> None:
        self._append(RECORDS, record)

    def add_unit(self, unit: UnitRecord) -> None:
        self._append(UNITS, unit)

    def add_context(self, context: StoredContext) -> None:
        """Write the context down unless it is there already."""
        with self._lock:
            known = context.id in self._known_contexts
            self._known_contexts.add(context.id)
        if not known:
            self._append(CONTEXTS, context)

    def _append(self, name: str, line: BaseModel) -> None:
        data = line.model_dump_json(exclude_defaults=True).encode("utf-8", "surrogatepass") + b"\n"
        with self._lock:
            self._files[name].write(data)
            self._files[name].flush()


def read_lines(file: Path, kind: type[Line]) -> Iterator[Line]:
    """The whole lines of a JSON-lines file as models; none if there is no file."""
    if not file.exists():
        return
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield kind.model_validate_json(line)
            except ValidationError as error:
                raise RunFolderError(f"{file}, line {number}: {_first(error)}") from error


def cut_half_line(file: Path) -> None:
    """Cut off what follows the last line end, if anything does."""
    if not file.exists():
        return
    with file.open("r+b") as opened:
        end = opened.seek(0, 2)
        kept = end
        while kept:
            start = max(0, kept - 65_536)
            opened.seek(start)
            found = opened.read(kept - start).rfind(b"\n")
            if found >= 0:
                kept = start + found + 1
                break
            kept = start
        if kept < end:
            opened.truncate(kept)


def _write_dialogues(file: Path, dialogues: Iterable[Dialogue]) -> None:
    # No time stamp in the archive: the same dialogues give the same bytes on any day.
    with file.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as archive:
        for dialogue in dialogues:
            row = {"number": dialogue.number, "dialogue": dump_dialogue(dialogue)}
            archive.write(json.dumps(row).encode() + b"\n")


def _check_same(folder: RunFolder, manifest: Manifest) -> None:
    there = folder.manifest
    differences = there.settings.differences(manifest.settings)
    if _grammar(there.python) != _grammar(manifest.python):
        differences.append(f"python: {there.python} in the folder, {manifest.python} now")
    if differences:
        raise RunFolderError(
            f"{folder.path} belongs to a run with other settings; choose another --out or the "
            "same settings:\n  " + "\n  ".join(differences)
        )


def _grammar(python: str) -> list[str]:
    return python.split(".")[:2]


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
