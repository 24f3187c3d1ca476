"""Writes a run's folder, in format 2."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import BaseModel

from memorycode.datasets.release import dump_dialogue
from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError
from memorycode.models.secrets import Secrets
from memorycode.running.judged import JudgedAppender, JudgedHead, JudgedLine
from memorycode.running.lines import Sealed, drop_half_line, problem_of, seal
from memorycode.running.lock import lock_folder
from memorycode.running.manifest import FORMAT, Manifest
from memorycode.running.records import AskedRecord, Judgement, StoredContext, TaskRecord
from memorycode.running.redaction import redacted_line
from memorycode.running.store import (
    ASKED,
    CACHE,
    CONTEXTS,
    DIALOGUES,
    LOCK,
    LOG,
    MANIFEST,
    TASKS,
    Format2Reader,
    format_of,
    read_manifest,
)
from memorycode.whole_file import is_part, remove_parts, written_whole

RECALL = ""
"""Stands for the reader's file, which has no scorer."""

_APPENDED = (CONTEXTS, ASKED, TASKS, LOG)


class RunWriter:
    """Appends to a run's folder, from several threads at once.

    `recorded` says of each question that was there on opening, by its id, whether it failed;
    `moved` has a line for each model that is at another address than when the run began. None of
    the `secrets`, by default the environment's, is written.
    """

    def __init__(
        self,
        path: Path | str,
        manifest: Manifest,
        dialogues: Iterable[Dialogue],
        judged: Sequence[JudgedHead] = (),
        secrets: Secrets | None = None,
    ) -> None:
        """Start a new folder, or go on in one whose settings are equal. `judged` are the heads of
        the files that judgements go into.

        Raises `RunFolderError` with the differences where they are not, where the folder holds
        something else or is of another format, and where another process is writing in it.
        """
        self._secrets = Secrets.known_to() if secrets is None else secrets
        self.path = target = Path(path)
        _refuse_foreign(target)
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{target}: cannot be written: {problem_of(error)}") from error
        with ExitStack() as opening:
            opening.callback(lock_folder(target).release)
            remove_parts(target)
            if (target / MANIFEST).exists():
                self.moved = _check_same(target, manifest)
            else:
                self.moved = []
                _begin(target, manifest, dialogues)
            self._open(target, judged, opening)
            self._opened = opening.pop_all()

    def _open(self, target: Path, judged: Sequence[JudgedHead], opening: ExitStack) -> None:
        for name in _APPENDED:
            drop_half_line(target / name)
        self._judged = {
            head.scorer: opening.enter_context(JudgedAppender(target, head)) for head in judged
        }
        self._lock = threading.Lock()
        self._asked: dict[str, _LatestLine] = {}
        self._unjudged: dict[str, AskedRecord] = {}
        self.recorded: dict[str, bool] = {}
        self._read(Format2Reader(target))
        self._files: dict[str, BinaryIO] = {
            name: opening.enter_context((target / name).open("ab")) for name in _APPENDED
        }

    def _read(self, folder: Format2Reader) -> None:
        self._known_contexts = {context.id for context in folder.contexts()}
        for record, checksum in folder.asked():
            self._note(record, checksum)
            if record.context and record.context not in self._known_contexts:
                # It cannot be shown again: its question is not done.
                self.recorded.pop(record.id, None)
                self._unjudged.pop(record.id, None)
            else:
                self.recorded[record.id] = record.failed

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def unjudged(self) -> tuple[AskedRecord, ...]:
        """What was asked and not judged: by a run that was killed, or whose worker was."""
        with self._lock:
            return tuple(self._unjudged.values())

    def add_asked(self, record: AskedRecord) -> None:
        """Write down that a question was asked; its context is there already."""
        with self._lock:
            if before := self._asked.get(record.id):
                record = record.model_copy(update={"attempt": before.attempt + 1})
            sealed = self._sealed(record)
            self._write(ASKED, sealed.line)
            self._note(record, sealed.checksum)

    def add_judgement(self, judgement: Judgement) -> None:
        """Write down what was made of the question that was asked last under that id, in the files
        that do not have it yet."""
        with self._lock:
            id_, asked = judgement.id, self._asked[judgement.id].checksum
            for scorer, verdicts in judgement.verdicts.items():
                causes = judgement.causes.get(scorer, {})
                self._judged[scorer].add(
                    JudgedLine(id=id_, asked=asked, verdicts=verdicts, causes=causes)
                )
            if judgement.found is not None and RECALL in self._judged:
                self._judged[RECALL].add(JudgedLine(id=id_, asked=asked, found=judgement.found))
            self._unjudged.pop(id_, None)

    def add_task(self, task: TaskRecord) -> None:
        with self._lock:
            self._write(TASKS, self._sealed(task).line)

    def add_context(self, context: StoredContext) -> None:
        """Write the context down unless it is there already; it is there on return."""
        with self._lock:
            if context.id not in self._known_contexts:
                self._write(CONTEXTS, self._sealed(context).line)
                self._known_contexts.add(context.id)

    def log(self, what: str) -> None:
        """A line of the log, with the time."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        told = self._secrets.with_environment().removed_from(what)
        line = "".join(c if c.isprintable() else " " for c in told)
        with self._lock:
            self._write(LOG, f"{now} {line}\n".encode())

    def _sealed(self, line: BaseModel) -> Sealed:
        return seal(redacted_line(line, self._secrets.with_environment()))

    def _write(self, name: str, line: bytes) -> None:
        self._files[name].write(line)
        self._files[name].flush()

    def _note(self, record: AskedRecord, checksum: str) -> None:
        self._asked[record.id] = _LatestLine(record.attempt, checksum)
        self._unjudged.pop(record.id, None)
        if record.context and not all(
            checksum in file.known
            for scorer, file in self._judged.items()
            if scorer == RECALL or not record.failed
        ):
            self._unjudged[record.id] = record


class _LatestLine(NamedTuple):
    """Of a question: how often it was asked before, and the checksum of its line."""

    attempt: int
    checksum: str


def _refuse_foreign(target: Path) -> None:
    """A folder that is neither a run's nor empty is somebody else's. One whose making was cut
    short, before it got its manifest, is a run's."""
    if target.exists() and not target.is_dir():
        raise RunFolderError(f"{target}: is a file; --out names a folder")
    if not target.exists() or (target / MANIFEST).exists():
        return
    own = {LOCK, DIALOGUES, f"{MANIFEST}.new"}
    items = (item for item in target.iterdir() if not is_part(item))
    if foreign := sorted(item.name for item in items if item.name not in own):
        raise RunFolderError(
            f"{target}: holds something else than a run ({foreign[0]}); choose another --out"
        )


def _begin(target: Path, manifest: Manifest, dialogues: Iterable[Dialogue]) -> None:
    _write_dialogues(target / DIALOGUES, dialogues)
    # The manifest comes last and at once: a folder that has one is complete.
    text = manifest.model_dump_json(indent=2)
    with written_whole(target / MANIFEST) as part:
        part.write_text(text + "\n", encoding="utf-8")


def _write_dialogues(file: Path, dialogues: Iterable[Dialogue]) -> None:
    # No time stamp in the archive: the same dialogues give the same bytes on any day.
    with file.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as archive:
        for dialogue in dialogues:
            row = {"number": dialogue.number, "dialogue": dump_dialogue(dialogue)}
            archive.write(json.dumps(row).encode() + b"\n")


def _check_same(target: Path, manifest: Manifest) -> list[str]:
    """Raises `RunFolderError` where the run is another one; returns which models have moved."""
    format_ = format_of(target)
    if format_ < FORMAT:
        answers = target / CACHE
        reuse = (
            f" (--cache {answers} asks nobody for its answers again)" if answers.exists() else ""
        )
        raise RunFolderError(
            f"{target}: an earlier version wrote this run, in format {format_}, which is read but "
            f"not appended to; choose another --out{reuse}"
        )
    earlier = read_manifest(target / MANIFEST)
    if differences := earlier.differences(manifest):
        raise RunFolderError(
            f"{target} belongs to a run with other settings; choose another --out or the "
            "same settings:\n  " + "\n  ".join(differences)
        )
    return earlier.moved(manifest)
