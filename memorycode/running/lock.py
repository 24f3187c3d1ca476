"""One process at a time writes in a run's folder."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from memorycode.errors import RunFolderError
from memorycode.running.lines import problem_of
from memorycode.running.store import LOCK


def lock_folder(folder: Path) -> FileLock:
    """The lock of a folder that is there, held by this process until it is released; it releases
    itself at the end of a ``with``. Raises `RunFolderError` where it cannot be had."""
    lock = FileLock(folder / LOCK, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise RunFolderError(f"{folder}: another run is writing here") from None
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be written: {problem_of(error)}") from error
    return lock
