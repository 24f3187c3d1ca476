"""Rankings on disk come back as they were; a damaged file says where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memorycode.errors import UsageError
from memorycode.protocols import Hit, Unit
from memorycode.retrieval.saved_rankings import (
    FILE,
    SavedRanking,
    UnitsHash,
    rankings_writer,
    read_rankings,
)

LINE = {
    "retriever": "bm25",
    "oracle": False,
    "units": "u",
    "query": "q",
    "positions": [1, 0],
    "scores": [2, 0.5],
}


def hash_of(*units: Unit) -> str:
    digest = UnitsHash()
    digest.add(units)
    return str(digest)


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    hits = [Hit(1, 0.1 + 0.2), Hit(0, -3.5)]
    odd = "half \ud83d a pair\n"
    with rankings_writer(tmp_path / "new" / "folder") as write:
        write(
            [
                SavedRanking("bm25", False, "u", "q", hits),
                SavedRanking("oracle", True, "u", odd, hits[:1]),
            ]
        )
    folder = tmp_path / "new" / "folder"
    assert [file.name for file in folder.iterdir()] == [FILE]
    assert read_rankings(folder, "bm25") == (False, {("u", "q"): tuple(hits)})
    assert read_rankings(folder, "oracle") == (True, {("u", odd): tuple(hits[:1])})


def test_half_a_file_has_not_its_name(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), rankings_writer(tmp_path) as write:
        write([SavedRanking("bm25", False, "u", "q", [])])
        raise KeyboardInterrupt
    assert not (tmp_path / FILE).exists()


def test_units_differ_by_text_session_and_order_and_not_by_how_they_were_added() -> None:
    a, b = Unit("a", 0), Unit("b", 0)
    assert len({hash_of(a, b), hash_of(b, a), hash_of(a), hash_of(Unit("a", 1), b)}) == 4
    assert hash_of(Unit("a 0 1 b", 0)) != hash_of(Unit("a", 0), Unit("b", 0))
    digest = UnitsHash()
    digest.add([a])
    before = str(digest)
    digest.add([b])
    assert (before, str(digest)) == (hash_of(a), hash_of(a, b))


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file: rankings cannot be kept here"):
        rankings_writer(tmp_path / "file").__enter__()


def test_a_folder_without_rankings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=rf"{FILE}: cannot be read"):
        read_rankings(tmp_path, None)
    (tmp_path / FILE).write_text("")
    with pytest.raises(UsageError, match=rf"{FILE}: there is no ranking in it"):
        read_rankings(tmp_path, "bm25")


@pytest.mark.parametrize("named", [None, "dense"])
def test_of_several_retrievers_one_has_to_be_named(tmp_path: Path, named: str | None) -> None:
    lines = [json.dumps(LINE | {"retriever": name}) for name in ("bm25", "chance")]
    (tmp_path / FILE).write_text("\n".join(lines) + "\n")
    with pytest.raises(UsageError, match=r"say whose .* there are those of bm25, chance"):
        read_rankings(tmp_path, named)


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "nothing",
        "[]",
        "null",
        "[" * 100_000,
        '{"retriever": "bm25"}',
        json.dumps(LINE | {"positions": [1]}),
        json.dumps(LINE | {"positions": [1, 1]}),
        json.dumps(LINE | {"positions": [1, -1]}),
        json.dumps(LINE | {"positions": [1, 0.5]}),
        json.dumps(LINE | {"positions": ["1", "0"]}),
        json.dumps(LINE | {"positions": "10"}),
        json.dumps(LINE | {"scores": [2, "high"]}),
        json.dumps(LINE | {"scores": [2, float("nan")]}),
        json.dumps(LINE | {"query": None}),
        json.dumps(LINE | {"units": 3}),
        json.dumps(LINE | {"oracle": "no"}),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, damaged: str) -> None:
    (tmp_path / FILE).write_text(f"{json.dumps(LINE)}\n{damaged}\n")
    with pytest.raises(UsageError, match=rf"{FILE}, line 2: not a ranking: ."):
        read_rankings(tmp_path, None)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=rf"{FILE}: not UTF-16 text"):
        read_rankings(tmp_path, None)


def test_rankings_replace_rankings_and_nothing_else(tmp_path: Path) -> None:
    for query in ("first", "second"):
        with rankings_writer(tmp_path) as write:
            write([SavedRanking("bm25", False, "u", query, [])])
    assert list(read_rankings(tmp_path, None).found) == [("u", "second")]
    (tmp_path / FILE).write_text('{"mine": 1}\n')
    with pytest.raises(UsageError, match=rf"{FILE}: is there already"):
        rankings_writer(tmp_path).__enter__()
    assert (tmp_path / FILE).read_text() == '{"mine": 1}\n'
