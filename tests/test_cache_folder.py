"""A cache is opened where one is or can be; databases of other programs stay as they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memorycode.cache_folder import open_cache
from memorycode.embedding.cache import EmbeddingCache
from memorycode.errors import UsageError
from memorycode.models.cached import ResponseCache
from memorycode.protocols import Completion

ANSWERS = "CREATE TABLE answers (key BLOB PRIMARY KEY, model TEXT, completion TEXT) WITHOUT ROWID"


def make(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE photos (name TEXT)", "INSERT INTO photos VALUES ('mine')"),
        ("PRAGMA journal_mode = WAL", "CREATE TABLE photos (name TEXT)"),
        ("CREATE TABLE answers (question TEXT, answer TEXT)",),
        (ANSWERS, "CREATE TABLE photos (name TEXT)"),
        (ANSWERS, "CREATE VIEW mine AS SELECT model FROM answers"),
        (ANSWERS, "PRAGMA application_id = 7"),
    ],
)
@pytest.mark.parametrize("cache", [ResponseCache, EmbeddingCache])
def test_a_database_of_something_else_stays_as_it_is_to_the_byte(
    tmp_path: Path, statements: tuple[str, ...], cache: type[ResponseCache | EmbeddingCache]
) -> None:
    file = tmp_path / "theirs.sqlite"
    make(file, *statements)
    before = file.read_bytes()
    with pytest.raises(UsageError, match=r"theirs\.sqlite: is there already, .* or remove it"):
        cache(file)
    assert file.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == [file.name]


def test_a_database_that_another_program_has_open_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as theirs:
        theirs.execute("PRAGMA journal_mode = WAL")
        theirs.execute("CREATE TABLE photos (name TEXT)")  # stands in the log alone
        before = file.read_bytes(), (tmp_path / "theirs.sqlite-wal").read_bytes()
        with pytest.raises(UsageError, match="no cache of answers"):
            ResponseCache(file)
        assert (file.read_bytes(), (tmp_path / "theirs.sqlite-wal").read_bytes()) == before


def test_a_cache_of_the_other_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "c.sqlite"
    ResponseCache(file).close()
    with pytest.raises(UsageError, match="no cache of embeddings"):
        EmbeddingCache(file)


def test_a_cache_of_an_earlier_version_is_taken_and_marked(tmp_path: Path) -> None:
    file = tmp_path / "c.sqlite"
    kept = Completion(text="kept").model_dump_json()
    make(file, ANSWERS, f"INSERT INTO answers VALUES (x'00', 'm', '{kept}')", "ANALYZE")
    cache = ResponseCache(file)
    answer = cache.get(b"\0")
    cache.close()
    assert answer is not None
    assert answer.text == "kept"
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA application_id").fetchone() == (0x6D656D63,)


def test_an_empty_file_becomes_a_cache(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").touch()
    for _ in range(2):
        open_cache(tmp_path / "c.sqlite", "things", ["CREATE TABLE IF NOT EXISTS t (a)"]).close()
