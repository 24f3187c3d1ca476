"""Where caches lie on this machine, and how one is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from memorycode.errors import UsageError

FOLDER_VARIABLE = "MEMORYCODE_CACHE"
"""Where caches lie; by default ``memorycode`` in the user's folder for caches."""

_JOURNAL = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL")
"""A killed process loses nothing that it kept. Losing power may lose the newest, and damages
nothing: less than to wait for the disk at every answer."""

_ID = int.from_bytes(b"memc", "big")
"""SQLite's `application_id` of our files. Earlier versions gave them none."""

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

    Raises `UsageError` where the file is not one or cannot be made, and where it is a database of
    something else, which is left as it is; `what` is what it would keep.
    """
    try:
        if file.exists() and file.stat().st_size and not _is_cache(file, statements):
            raise UsageError(
                f"{file}: is there already, and it is no cache of {what}; name another file, or "
                "remove it"
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(
            file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        for statement in (*_JOURNAL, *statements):
            database.execute(statement)
        if _id_of(database) != _ID:
            database.execute(f"PRAGMA application_id = {_ID}")
    except (OSError, sqlite3.Error) as error:
        raise UsageError(
            f"{file}: no cache of {what} can be kept here: {error}; "
            f"name another file, or set {FOLDER_VARIABLE} to another folder"
        ) from error
    return database


def _is_cache(file: Path, statements: Sequence[str]) -> bool:
    """Whether a file holds no tables but those that the statements make, and is no other program's.

    It is read without a trace: what is not ours is not even opened for writing.
    """
    log = file.with_name(f"{file.name}-wal")
    # Where another process's changes wait in a log, it is read too; SQLite would make an empty one.
    is_settled = not log.exists() or not log.stat().st_size
    uri = f"{file.absolute().as_uri()}?mode=ro{'&immutable=1' if is_settled else ''}"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE)) as found,
        closing(sqlite3.connect(":memory:")) as model,
    ):
        for statement in statements:
            model.execute(statement)
        return _id_of(found) in (0, _ID) and _tables(found) <= _tables(model)


def _id_of(database: sqlite3.Connection) -> int:
    (found,) = database.execute("PRAGMA application_id").fetchone()
    return int(found)


def _tables(database: sqlite3.Connection) -> set[tuple[str, ...]]:
    """All that the database is made of: each table with its columns, and whatever else has a
    name."""
    names = [
        name
        for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite%'"
        )
    ]
    columns = "SELECT name, type, pk FROM pragma_table_info(?)"
    return {
        (name, *(str(column) for column in database.execute(columns, (name,)))) for name in names
    }
