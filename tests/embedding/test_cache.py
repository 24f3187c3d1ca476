"""Vectors come back as they were put, by model and text, from any thread and process."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memorycode.cache_folder import FOLDER_VARIABLE, cache_folder
from memorycode.embedding.cache import EmbeddingCache
from memorycode.errors import PluginError, UsageError

_WRITER = """
import sys, numpy as np
from pathlib import Path
from memorycode.embedding.cache import EmbeddingCache
cache = EmbeddingCache(Path(sys.argv[1]))
for n in range(200):
    cache.put("m", {f"{sys.argv[2]} {n}": np.full(4, n, np.float32), f"both {n}": np.ones(4, "f")})
cache.close()
"""


def test_what_was_put_comes_back_to_the_bit(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    vectors = {"a": np.array([0.1, -2, 3], np.float32), "\ud83d odd\0": np.zeros(3, np.float32)}
    cache.put("m", vectors)
    cache.close()
    again = EmbeddingCache(tmp_path / "e.sqlite")
    found = again.get("m", ["a", "missing", *vectors])
    again.close()
    assert set(found) == set(vectors)
    assert all(np.array_equal(found[text], vectors[text]) for text in vectors)


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    cache.put("one", {"a": np.ones(2, np.float32)})
    assert cache.get("other", ["a"]) == {}
    cache.close()


def test_more_texts_than_fit_into_one_query(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    cache.put("m", {str(n): np.full(1, n, np.float32) for n in range(1234)})
    found = cache.get("m", [str(n) for n in range(1234)])
    assert [int(found[str(n)][0]) for n in range(1234)] == list(range(1234))
    cache.close()


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "e.sqlite"
    command = [sys.executable, "-c", _WRITER, str(file)]
    writers = [subprocess.Popen([*command, name]) for name in ("x", "y")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    cache = EmbeddingCache(file)
    texts = [f"{name} {n}" for name in ("x", "y", "both") for n in range(200)]
    assert len(cache.get("m", texts)) == 600
    cache.close()


def test_several_threads_share_one(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "e.sqlite")

    def work(n: int) -> int:
        cache.put("m", {str(n): np.full(1, n, np.float32)})
        return int(cache.get("m", [str(n)])[str(n)][0])

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(100))) == list(range(100))
    cache.close()


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "e.sqlite"
    file.write_text("no database, and rather long, so that it cannot be taken for one" * 20)
    with pytest.raises(UsageError, match=r"e\.sqlite: no cache .* set MEMORYCODE_CACHE"):
        EmbeddingCache(file)


def test_the_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/memorycode")


def test_a_file_that_is_damaged_later_is_named(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "e.sqlite")
    cache.close()
    again = EmbeddingCache(tmp_path / "e.sqlite")
    again._database.execute("DROP TABLE vectors")
    with pytest.raises(PluginError, match=r"e\.sqlite: the cache of embeddings cannot be used"):
        again.get("m", ["a"])
    again.close()
