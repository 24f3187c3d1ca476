"""Files for other tools: whole or not at all, hostile texts are text, types survive."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from memorycode.errors import UsageError
from memorycode.results.export import FORMATS, Format, joined, print_table, write_table
from memorycode.results.frames import FrameColumn, RunTable, Value, make_table

COLUMNS = (
    FrameColumn[tuple[Value, ...]]("name", "text", "a name", lambda row: row[0]),
    FrameColumn[tuple[Value, ...]]("count", "whole", "a count", lambda row: row[1]),
    FrameColumn[tuple[Value, ...]]("share", "number", "a share", lambda row: row[2]),
    FrameColumn[tuple[Value, ...]]("sure", "flag", "whether", lambda row: row[3]),
)
HOSTILE = (
    '=HYPERLINK("http://127.0.0.1/?"&A1)',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\tx",
    "\rx",
    'a "b", c\nd',
    "",
)


def table(*rows: tuple[Value, ...]) -> RunTable:
    return make_table(COLUMNS, rows)


def printed(what: RunTable, form: Any = "csv") -> str:
    text = io.StringIO(newline="")
    print_table(what, text, form)
    return text.getvalue()


@pytest.mark.parametrize("name", HOSTILE)
def test_no_cell_of_a_csv_is_a_formula(name: str) -> None:
    [header, row] = csv.reader(io.StringIO(printed(table((name, -3, -0.5, False))), newline=""))
    assert header == ["name", "count", "share", "sure"]
    assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert row[0].removeprefix("'") == name
    assert row[1:] == ["-3", "-0.5", "false"]  # numbers are none


def test_what_is_missing_is_empty_in_a_csv_and_null_in_json() -> None:
    empty = (None, None, None, None)
    assert printed(table(empty)).splitlines()[1] == ",,,"
    assert json.loads(printed(table(empty), "jsonl")) == dict.fromkeys(
        ("name", "count", "share", "sure")
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_other_formats_have_texts_as_they_are(tmp_path: Path, name: str) -> None:
    row = (name, 2**40, 0.1, True)
    found = json.loads(printed(table(row), "jsonl"))
    assert tuple(found.values()) == row
    write_table(table(row), tmp_path / "t.parquet", "parquet")
    [read] = parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert tuple(read.values()) == row


@pytest.mark.parametrize("rows", [(), ((None, None, None, None),) * 3])
def test_a_parquet_column_of_nothing_has_its_type(
    tmp_path: Path, rows: tuple[tuple[Value, ...], ...]
) -> None:
    write_table(table(*rows), tmp_path / "t.parquet", "parquet")
    read = parquet.read_table(tmp_path / "t.parquet")
    assert [str(field.type) for field in read.schema] == ["string", "int64", "double", "bool"]
    assert read.schema.field("share").metadata == {b"meaning": b"a share"}
    assert read.num_rows == len(rows)


def test_more_rows_than_a_batch_are_all_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memorycode.results.export._BATCH", 2)
    rows = [(f"n{n}", n, n / 2, True) for n in range(5)]
    both = joined([table(*rows[:3]), table(*rows[3:])])
    write_table(both, tmp_path / "t.parquet", "parquet")
    read = parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert [tuple(row.values()) for row in read] == rows


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_could_not_be_finished_leaves_what_was_there(
    tmp_path: Path, form: Format
) -> None:
    def broken(_: tuple[Value, ...]) -> Value:
        raise RuntimeError("broken")

    file = tmp_path / "t"
    whole = [FrameColumn[tuple[Value, ...]]("name", "text", "a name", lambda row: row[0])]
    write_table(make_table(whole, [("x",)]), file, form)
    before = file.read_bytes()
    columns = [FrameColumn[tuple[Value, ...]]("name", "text", "a name", broken)]
    with pytest.raises(RuntimeError):
        write_table(make_table(columns, [("x",)]), file, form)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "foreign", [b"name,mine\nx,1\n", b'{"mine": 1}\n', b"\x89\0\xff", b"[1]\n"]
)
def test_only_a_table_of_the_same_columns_is_replaced(
    tmp_path: Path, form: Format, foreign: bytes
) -> None:
    file = tmp_path / "t"
    file.write_bytes(b"")  # nobody's
    write_table(table(), file, form)
    before = file.read_bytes()
    write_table(table(), file, form)
    assert file.read_bytes() == before
    file.write_bytes(foreign)
    with pytest.raises(UsageError, match=r"t: is there already, .* name another, or remove it"):
        write_table(table(), file, form)
    assert file.read_bytes() == foreign


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder; name the file to write"):
        write_table(table(), tmp_path, "csv")
    with pytest.raises(UsageError, match="there is no folder"):
        write_table(table(), tmp_path / "nowhere" / "t.csv", "csv")
