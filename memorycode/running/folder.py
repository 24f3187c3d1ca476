"""A run's folder on disk.

::

    manifest.json         settings and versions
    dialogues.jsonl.gz    the dialogues, so that the folder explains itself
    contexts.jsonl        each distinct recalled context once
    records.jsonl         one line per question, appended and flushed
    tasks.jsonl           what each task took, a line when it ends or is stopped
    run.log               when what began, failed and ended; no prompt and no answer
    cache.sqlite          answers of language models, if the run keeps them
    lock                  held by the process that writes

Lines are appended whole; a half-written last line, left by a killed process, is cut off when the
folder is opened for writing.
"""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from memorycode.datasets.release import dump_dialogue, parse_dialogue
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError, RunFolderError
from memorycode.models.secrets import Secrets
from memorycode.problems import first_problem
from memorycode.running.manifest import Manifest
from memorycode.running.records import Record, StoredContext, TaskRecord
from memorycode.running.redaction import redacted_line

Line = TypeVar("Line", bound=BaseModel)

MANIFEST, DIALOGUES = "manifest.json", "dialogues.jsonl.gz"
CONTEXTS, RECORDS, TASKS = "contexts.jsonl", "records.jsonl", "tasks.jsonl"
LOCK, LOG = "lock", "run.log"
CACHE = "cache.sqlite"
FORMAT = 1
"""Of the folder; another one is not read."""


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
            manifest = Manifest.model_validate_json(file.read_bytes())
        except (OSError, ValidationError) as error:
            raise RunFolderError(f"{file}: {_problem(error)}") from error
        if manifest.format != FORMAT:
            raise RunFolderError(f"{file}: format {manifest.format}; this version reads {FORMAT}")
        return manifest

    def records(self) -> Iterator[Record]:
        """One record per question asked so far, the latest where it was asked again.

        The last line may be half-written: it is left out.
        """
        latest = {record.id: record for record in self.attempts()}
        return iter(latest.values())

    def attempts(self) -> Iterator[Record]:
        """Every time a question was asked, in the order in which it was written down."""
        return read_lines(self.path / RECORDS, Record)

    def located_attempts(self) -> Iterator[tuple[int, Record]]:
        """The same, each with the place of its line, for `attempts_at`."""
        return locate_lines(self.path / RECORDS, Record)

    def attempts_at(self, offsets: Iterable[int]) -> Iterator[Record]:
        """The attempts whose lines stand at these places."""
        file = self.path / RECORDS
        with file.open("rb") as lines:
            for offset in offsets:
                lines.seek(offset)
                try:
                    yield Record.model_validate_json(lines.readline())
                except ValidationError as error:
                    raise RunFolderError(
                        f"{file}, byte {offset}: {first_problem(error)}"
                    ) from error

    def tasks(self) -> Iterator[TaskRecord]:
        return read_lines(self.path / TASKS, TaskRecord)

    def contexts(self) -> Iterator[StoredContext]:
        return read_lines(self.path / CONTEXTS, StoredContext)

    def dialogues(self) -> tuple[Dialogue, ...]:
        file = self.path / DIALOGUES
        try:
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                rows = [json.loads(line) for line in lines]
            return tuple(
                parse_dialogue(row["dialogue"], file=file, number=row["number"]) for row in rows
            )
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
            raise RunFolderError(f"{file}: damaged: {type(error).__name__}: {error}") from error
        except DatasetError as error:
            raise RunFolderError(f"damaged: {error}") from error


class RunWriter:
    """Appends to a run's folder, from several threads at once.

    `recorded` says of each question that was there on opening, by its id, whether it failed. None
    of the `secrets`, by default the environment's, is written.
    """

    def __init__(
        self,
        path: Path | str,
        manifest: Manifest,
        dialogues: Iterable[Dialogue],
        secrets: Secrets | None = None,
    ) -> None:
        """Start a new folder, or go on in one whose settings are equal.

        Raises `RunFolderError` with the differences where they are not, where the folder holds
        something else, and where another process is writing in it.
        """
        self._secrets = Secrets.known_to() if secrets is None else secrets
        target = Path(path)
        _refuse_foreign(target)
        try:
            target.mkdir(parents=True, exist_ok=True)
            self._process_lock = FileLock(target / LOCK, blocking=False)
            self._process_lock.acquire()
        except Timeout:
            raise RunFolderError(f"{target}: another run is writing here") from None
        except OSError as error:
            raise RunFolderError(f"{target}: cannot be written: {_problem(error)}") from error
        try:
            self._open(target, manifest, dialogues)
        except BaseException:
            self._process_lock.release()
            raise

    def _open(self, target: Path, manifest: Manifest, dialogues: Iterable[Dialogue]) -> None:
        if (target / MANIFEST).exists():
            _check_same(RunFolder(target), manifest)
        else:
            _begin(target, manifest, dialogues)
        folder = RunFolder(target)
        for name in (CONTEXTS, RECORDS, TASKS, LOG):
            cut_half_line(target / name)
        self._known_contexts = {context.id for context in folder.contexts()}
        # A record that refers to a lost context cannot be shown again: its question is not done.
        self.recorded = {
            record.id: record.failed
            for record in folder.records()
            if not record.context or record.context in self._known_contexts
        }
        self._lock = threading.Lock()
        names = (CONTEXTS, RECORDS, TASKS, LOG)
        self._files = {name: (target / name).open("ab") for name in names}

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()
        self._process_lock.release()

    def add_record(self, record: Record) -> None:
        self._append(RECORDS, record)

    def add_task(self, task: TaskRecord) -> None:
        self._append(TASKS, task)

    def add_context(self, context: StoredContext) -> None:
        """Write the context down unless it is there already; it is there on return."""
        with self._lock:
            if context.id not in self._known_contexts:
                self._write(CONTEXTS, context)
                self._known_contexts.add(context.id)

    def log(self, what: str) -> None:
        """A line of the log, with the time."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        told = self._secrets.removed_from(what)
        line = "".join(c if c.isprintable() else " " for c in told)
        with self._lock:
            self._write_line(LOG, f"{now} {line}")

    def _append(self, name: str, line: BaseModel) -> None:
        with self._lock:
            self._write(name, line)

    def _write(self, name: str, line: BaseModel) -> None:
        told = redacted_line(line, self._secrets)
        self._write_line(name, told.model_dump_json(exclude_defaults=True))

    def _write_line(self, name: str, line: str) -> None:
        self._files[name].write(line.encode() + b"\n")
        self._files[name].flush()


def read_lines(file: Path, kind: type[Line]) -> Iterator[Line]:
    """The whole lines of a JSON-lines file as models; none if there is no file."""
    return (line for _, line in locate_lines(file, kind))


def locate_lines(file: Path, kind: type[Line]) -> Iterator[tuple[int, Line]]:
    """The same, each with the place of its first byte."""
    if not file.exists():
        return
    offset = 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield offset, kind.model_validate_json(line)
            except ValidationError as error:
                raise RunFolderError(f"{file}, line {number}: {first_problem(error)}") from error
            offset += len(line)


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


def _refuse_foreign(target: Path) -> None:
    """A folder that is neither a run's nor empty is somebody else's. One whose making was cut
    short, before it got its manifest, is a run's."""
    if target.exists() and not target.is_dir():
        raise RunFolderError(f"{target}: is a file; --out names a folder")
    if not target.exists() or (target / MANIFEST).exists():
        return
    own = {LOCK, DIALOGUES, f"{MANIFEST}.new"}
    if foreign := sorted(item.name for item in target.iterdir() if item.name not in own):
        raise RunFolderError(
            f"{target}: holds something else than a run ({foreign[0]}); choose another --out"
        )


def _begin(target: Path, manifest: Manifest, dialogues: Iterable[Dialogue]) -> None:
    _write_dialogues(target / DIALOGUES, dialogues)
    # The manifest comes last and at once: a folder that has one is complete.
    text = manifest.model_dump_json(indent=2)
    (target / f"{MANIFEST}.new").write_text(text + "\n", encoding="utf-8")
    (target / f"{MANIFEST}.new").replace(target / MANIFEST)


def _write_dialogues(file: Path, dialogues: Iterable[Dialogue]) -> None:
    # No time stamp in the archive: the same dialogues give the same bytes on any day.
    with file.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as archive:
        for dialogue in dialogues:
            row = {"number": dialogue.number, "dialogue": dump_dialogue(dialogue)}
            archive.write(json.dumps(row).encode() + b"\n")


def _check_same(folder: RunFolder, manifest: Manifest) -> None:
    if differences := folder.manifest.differences(manifest):
        raise RunFolderError(
            f"{folder.path} belongs to a run with other settings; choose another --out or the "
            "same settings:\n  " + "\n  ".join(differences)
        )


def _problem(error: OSError | ValidationError) -> str:
    if isinstance(error, ValidationError):
        return first_problem(error)
    return error.strerror or str(error)
