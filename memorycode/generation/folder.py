"""The folder that dialogues are generated into, gone on with where it stopped.

::

    manifest.json              settings, seed, the pool's hash, versions, what was too little
    dataset/dialogue_N.json    the release's layout
    lock                       held by the process that writes
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from filelock import FileLock, Timeout

from memorycode.datasets.release import dump_dialogue
from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.generation.manifest import MANIFEST, GenerationManifest, read_manifest
from memorycode.whole_file import is_part, remove_parts, written_whole

DATASET = "dataset"
_SECONDS_BETWEEN_NOTES = 1.0


def make_folder(folder: Path) -> None:
    """Raises `UsageError` where it cannot be made, and where it holds something else."""
    if read_manifest(folder) is None and (foreign := _foreign(folder)):
        raise UsageError(
            f"{folder}: not empty ({foreign}), and no {MANIFEST} says what is in it; name another "
            "folder"
        )
    try:
        (folder / DATASET).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error


def _foreign(folder: Path) -> str:
    """Something in it that a call that was cut short at once would not have left; else nothing."""
    there = {*folder.glob("*"), *folder.glob(f"{DATASET}/*")} - {folder / DATASET}
    if (lock := folder / "lock") in there and not lock.stat().st_size:
        there.remove(lock)
    return min((str(item.relative_to(folder)) for item in there if not is_part(item)), default="")


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Raises `UsageError` where another process writes into the folder."""
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(f"{folder}: another process is generating into it") from None
    try:
        yield
    finally:
        lock.release()


def open_folder(folder: Path, manifest: GenerationManifest) -> GenerationManifest:
    """Leave the manifest, and nothing half-written; returns it with what earlier calls noted.

    Raises `UsageError` for a folder of something else.
    """
    earlier = read_manifest(folder)
    if earlier:
        if difference := earlier.difference(manifest):
            raise UsageError(f"{folder}: made with other settings: {difference}")
        if earlier.settings.n_dialogues > manifest.settings.n_dialogues:
            found, wanted = earlier.settings.n_dialogues, manifest.settings.n_dialogues
            raise UsageError(f"{folder}: made for {found} dialogues; it cannot shrink to {wanted}")
        manifest = manifest.model_copy(update={"shortages": earlier.shortages})
    for place in (folder, folder / DATASET):
        remove_parts(place)
    _write_manifest(folder, manifest)
    return manifest


def write_dialogue(folder: Path, dialogue: Dialogue) -> None:
    """Under its number; there is never a part of it."""
    _write(_file(folder, dialogue.number), json.dumps(dump_dialogue(dialogue), indent=2))


def is_finished(folder: Path, number: int) -> bool:
    """Whether a dialogue is there: a file that was damaged later does not end as it should."""
    file = _file(folder, number)
    return file.is_file() and file.read_bytes()[-1:] == b"}"


class ShortageNotes:
    """Keeps the manifest's `shortages` up to date while dialogues are made.

    It is written anew now and then only, so that a large folder does not take all the time.
    """

    def __init__(self, folder: Path, manifest: GenerationManifest) -> None:
        self._folder, self._manifest = folder, manifest
        self._noted = dict(manifest.shortages)
        self._next = 0.0

    @property
    def all(self) -> Mapping[int, int]:
        return dict(sorted(self._noted.items()))

    def note(self, number: int, shortage: int) -> None:
        """Of a dialogue that was just made."""
        if shortage:
            self._noted[number] = shortage
            if time.monotonic() >= self._next:
                self.write()

    def write(self) -> None:
        if self.all != self._manifest.shortages:
            self._manifest = self._manifest.model_copy(update={"shortages": self.all})
            _write_manifest(self._folder, self._manifest)
        self._next = time.monotonic() + _SECONDS_BETWEEN_NOTES


def _file(folder: Path, number: int) -> Path:
    return folder / DATASET / f"dialogue_{number}.json"


def _write_manifest(folder: Path, manifest: GenerationManifest) -> None:
    _write(folder / MANIFEST, manifest.model_dump_json(indent=2))


def _write(file: Path, text: str) -> None:
    """Write all of it or nothing: a file of this name is always whole."""
    with written_whole(file) as part:
        part.write_text(text, encoding="utf-8")
