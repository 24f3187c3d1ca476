"""Where caches lie on this machine, and how one is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from memorycode.errors import UsageError

FOLDER_VARIABLE = "MEMORYCODE_CACHE"
"""Where caches lie; by default ``memorycode`` in the user's folder for caches."""

_JOURNAL = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL")
"""A killed process loses nothing that it kept. Losing power may lose the newest, and damages
nothing: less than to wait for the disk at every answer."""

_PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""


def cache_folder() -> Path:
    """The folder of all caches; it need not exist."""
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "memorycode"


def open_cache(file: Path, what: str, statements: Sequence[str]) -> sqlite3.Connection:
    """An SQLite file that threads and processes may share, with its `statements` carried out.

    Raises `UsageError` where the file is not one or cannot be made; `what` is what it would keep.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(
            file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        for statement in (*_JOURNAL, *statements):
            database.execute(statement)
    except (OSError, sqlite3.Error) as error:
        raise UsageError(
            f"{file}: no cache of {what} can be kept here: {error}; "
            f"set {FOLDER_VARIABLE} to another folder"
        ) from error
    return database
