"""The comparison with frozen outputs finds what it should: it can fail, and a map of new names
admits those names and nothing more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memorycode.reporting.html.packing import block, pack
from tests.frozen.cases import Case
from tests.frozen.comparing import differences
from tests.frozen.producing import CommandFailed, canonical, page_data, prepare, produce
from tests.frozen.renames import Renames, read_renames

FROZEN: dict[str, Any] = {
    "rows": {"a:k=1": {"spread": 0.5, "n": 3}},
    "names": ["old", "x/old#2", "older"],
}
TABLE = "label,spread\r\na,0.5\r\nb,1\r\n"


def places(new: Any, renames: Renames | None = None, frozen: Any = FROZEN) -> list[str]:
    found = differences("f.json", canonical(frozen), canonical(new), renames or Renames())
    return [difference.place for difference in found]


def table_places(new: str, renames: Renames | None = None) -> list[str]:
    found = differences("f.csv", TABLE, new, renames or Renames())
    return [difference.place for difference in found]


def changed(**values: Any) -> dict[str, Any]:
    return FROZEN | values


def row(**values: Any) -> dict[str, Any]:
    return changed(rows={"a:k=1": values})


def test_equal_outputs_do_not_differ() -> None:
    assert not places(changed())
    assert not table_places(TABLE)


@pytest.mark.parametrize(
    ("new", "place"),
    [
        (row(spread=0.5000000000000001, n=3), "f.json: rows/a:k=1/spread"),
        (row(spread=0.5, n=3.0), "f.json: rows/a:k=1/n"),
        (row(spread=0.5, n=None), "f.json: rows/a:k=1/n"),
        (row(spread=0.5), "f.json: rows/a:k=1/n"),
        (row(spread=0.5, n=3, more=0), "f.json: rows/a:k=1/more"),
        (changed(names=["old", "x/old#2"]), "f.json: names"),
        (changed(names=["old", "older", "x/old#2"]), "f.json: names/1"),
        (changed(rows=[]), "f.json: rows"),
    ],
)
def test_a_change_is_named(new: Any, place: str) -> None:
    assert place in places(new)


def test_a_key_may_have_another_name_and_not_another_value() -> None:
    renames = Renames(keys={"f.json: rows/*/spread": "deviation"})
    assert not places(row(deviation=0.5, n=3), renames)
    assert places(row(deviation=0.6, n=3), renames) == ["f.json: rows/a:k=1/spread"]
    # It has to have that name, and no longer the old one.
    assert places(row(spread=0.5, n=3), renames) == [
        "f.json: rows/a:k=1/spread",
        "f.json: rows/a:k=1/spread",
    ]
    assert places(row(n=3), renames) == ["f.json: rows/a:k=1/spread"]


def test_two_keys_cannot_become_one() -> None:
    renames = Renames(keys={"*/spread": "n"})
    assert "f.json: rows/a:k=1/n" in places(row(n=0.5), renames)


def test_a_key_may_be_new_where_that_is_said() -> None:
    renames = Renames(added=["f.json: rows/*/round"])
    assert not places(row(spread=0.5, n=3, round=0), renames)
    assert places(row(spread=0.5, n=3, turn=0), renames) == ["f.json: rows/a:k=1/turn"]


def test_a_text_may_read_otherwise_where_that_is_said() -> None:
    renames = Renames(values={"f.json: names/*": {"old": "new"}})
    assert not places(changed(names=["new", "x/new#2", "older"]), renames)
    assert places(changed(names=["new", "x/old#2", "newer"]), renames) == [
        "f.json: names/1",
        "f.json: names/2",
    ]


@pytest.mark.parametrize(
    ("new", "place"),
    [
        (TABLE.replace("0.5", "0.50"), "f.csv, line 2, spread"),
        (TABLE.replace("b,1\r\n", ""), "f.csv, line 3"),
        (f"{TABLE}c,2\r\n", "f.csv, line 4"),
        (TABLE.replace("spread", "deviation"), "f.csv, line 1"),
        ("label,spread,n\r\na,0.5,1\r\nb,1,1\r\n", "f.csv, line 1"),
        ("label\r\na\r\nb\r\n", "f.csv, line 1"),
        ("", "f.csv, line 1"),
        (TABLE.replace("\r\n", "\n"), "f.csv"),
    ],
)
def test_a_changed_table_is_named(new: str, place: str) -> None:
    assert table_places(new) == [place] or place in table_places(new)


def test_columns_may_have_other_names_or_be_new_where_that_is_said() -> None:
    renames = Renames(
        keys={"f.csv: spread": "deviation"},
        values={"f.csv: label": {"b": "c"}},
        added=["f.csv: n"],
    )
    assert not table_places("label,n,deviation\r\na,1,0.5\r\nc,1,1\r\n", renames)
    assert table_places("label,n\r\na,1\r\nc,1\r\n", renames) == ["f.csv, line 1"]


def test_the_map_has_no_part_that_nobody_reads(tmp_path: Path) -> None:
    file = tmp_path / "renamed.json"
    file.write_text('{"dropped": []}')
    with pytest.raises(ValueError, match="dropped"):
        read_renames(file)


def test_a_page_s_data_are_unpacked() -> None:
    page = '<p></p><script type="application/json" id="index">{"a":1}</script>' + block(
        "flips", pack([[1]])
    )
    assert page_data(page) == {"index": {"a": 1}, "flips": [[1]]}
    with pytest.raises(CommandFailed):
        page_data("<p></p>")


def test_a_command_that_fails_gives_no_output(tmp_path: Path) -> None:
    prepare(tmp_path)
    with pytest.raises(CommandFailed, match="exit status 2"):
        produce(Case("x", "json", ("report", "nowhere", "--json")), tmp_path)
