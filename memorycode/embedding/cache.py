"""Vectors on disk, by model and text, so that no text is ever embedded or cut twice."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memorycode.cache_folder import FOLDER_VARIABLE, cache_folder, open_cache
from memorycode.errors import PluginError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ASKED_AT_ONCE = 500
_STATEMENTS = (
    "PRAGMA synchronous = NORMAL",  # no harm if the last are lost
    "CREATE TABLE IF NOT EXISTS vectors "
    "(model TEXT, text BLOB, vector BLOB, PRIMARY KEY (model, text)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS cuts "
    "(model TEXT, text BLOB, ends BLOB, PRIMARY KEY (model, text)) WITHOUT ROWID",
)


class EmbeddingCache:
    """One SQLite file; threads and processes may share it.

    A vector is kept under the model's identity and the hash of the text, as float32; so are the
    places where a text is cut, as int64.
    """

    def __init__(self, file: Path | None = None) -> None:
        """Raises `UsageError` where the file is not one of these or cannot be made."""
        self.file = file or cache_folder() / "embeddings.sqlite"
        self._lock = threading.Lock()
        self._database = open_cache(self.file, "embeddings", _STATEMENTS)

    def get(self, model: str, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors of those texts that are there."""
        by_key = {_key(text): text for text in texts}
        keys = list(by_key)
        found: dict[str, NDArray[np.float32]] = {}
        for start in range(0, len(keys), _ASKED_AT_ONCE):
            some = keys[start : start + _ASKED_AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT text, vector FROM vectors WHERE model = ? AND text IN ({marks})"
            with self._working():
                rows = self._database.execute(query, (model, *some)).fetchall()
            found |= {by_key[key]: np.frombuffer(vector, np.float32) for key, vector in rows}
        return found

    def put(self, model: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep vectors; what is there already stays."""
        rows = [(model, _key(text), vector.tobytes()) for text, vector in vectors.items()]
        with self._working():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)
                self._database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise

    def get_cuts(self, model: str, text: str) -> list[int] | None:
        """Where the pieces of a text end, if it was cut before."""
        query = "SELECT ends FROM cuts WHERE model = ? AND text = ?"
        with self._working():
            row = self._database.execute(query, (model, _key(text))).fetchone()
        return None if row is None else np.frombuffer(row[0], np.int64).tolist()

    def put_cuts(self, model: str, text: str, ends: Sequence[int]) -> None:
        """Keep where the pieces of a text end; what is there already stays."""
        row = (model, _key(text), np.asarray(ends, np.int64).tobytes())
        with self._working():
            self._database.execute("INSERT OR IGNORE INTO cuts VALUES (?, ?, ?)", row)

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def _working(self) -> Iterator[None]:
        """One thread at a time. Raises `PluginError` where the file cannot be used any more."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise PluginError(
                f"{self.file}: the cache of embeddings cannot be used: {error}; delete it, or set "
                f"{FOLDER_VARIABLE} to another folder"
            ) from error


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
