"""Rows of a table are read as published and as written here; what is wrong is named by column."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import load_dataset, read_rows, write_dataset
from memorycode.datasets.rows import COLUMNS, dump_row
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError

LISTS = ("instruction_ids", "filler_ids", "sessions", "context")


def published(dialogue: Dialogue) -> dict[str, Any]:
    """A row without ``context``, and with a count as pandas stores it."""
    row = dump_row(dialogue)
    del row["context"]
    return {**row, "n_instruction_updates": float(row["n_instruction_updates"])}


def same_but_for_history(dialogue: Dialogue) -> Dialogue:
    """The active rules, which reading fills in, stated."""
    return dialogue.model_copy(update={"history_rules": dialogue.rules(dialogue.last)})


def _as_python(text: str) -> str:
    return repr(json.loads(text))


def _as_tuples(text: str) -> str:
    """Tuples wherever a list has two members: pairs, which some writers keep as tuples."""

    def pairs(value: Any) -> Any:
        if isinstance(value, list):
            inner = [pairs(item) for item in value]
            return tuple(inner) if len(inner) == 2 else inner
        return {k: pairs(v) for k, v in value.items()} if isinstance(value, dict) else value

    return repr(pairs(json.loads(text)))


def _as_mixture(text: str) -> str:
    """JSON's words, Python's escape of an apostrophe."""
    return text.replace("'", "\\'")


@pytest.mark.parametrize("form", [str, _as_python, _as_tuples, _as_mixture, json.loads])
def test_every_form_of_a_column_is_read(
    small_dialogue: Dialogue, form: Callable[[str], object]
) -> None:
    row = dump_row(small_dialogue)
    row |= {column: form(row[column]) for column in LISTS}
    assert read_rows([row]) == (same_but_for_history(small_dialogue),)


def test_a_published_row_has_its_speakers_read_off_the_transcripts(
    small_dialogue: Dialogue,
) -> None:
    (read,) = read_rows([published(small_dialogue)])
    assert (read.context.mentor, read.context.mentee, read.context.company) == ("Ada", "Ben", "")
    assert read.sessions == small_dialogue.sessions


def test_the_mentor_is_who_tells_the_rules_and_not_who_speaks_first(
    small_dialogue: Dialogue,
) -> None:
    row = published(small_dialogue)
    sessions = json.loads(row["sessions"])
    for session in sessions:
        session["text"] = f"Ben: Good morning, Ada.\n\n{session['text']}"
    sessions[0]["topic"][1] = "always start function names with 'k_'"
    (read,) = read_rows([row | {"sessions": json.dumps(sessions)}])
    assert read.context.mentor == "Ada"


def test_counts_say_what_the_types_say(small_dialogue: Dialogue) -> None:
    row = dump_row(small_dialogue)
    assert tuple(row) == COLUMNS
    assert {key: value for key, value in row.items() if key.startswith("n_")} == {
        "n_sessions": 4,
        "n_sessions_with_instructions": 2,
        "n_instructions": 3,
        "n_instruction_insertions": 3,
        "n_instruction_updates": 0,
        "n_filler_insertions": 4,
        "n_filler_updates": 0,
    }


@pytest.mark.parametrize(
    ("column", "value", "where", "problem"),
    [
        ("id", None, "row 1.id", "found null, want a whole number from 0"),
        ("id", True, "row 1.id", "found true, want a whole number"),
        ("id", -1, "row 1.id", "found -1, want a whole number"),
        ("id", 8.5, "row 1.id", "found 8.5, want a whole number"),
        ("id", 7, "row 1 (id 7)", "stands in rows, row 0 (id 7) too"),
        ("sessions", None, "row 1 (id 8).sessions", "missing; want a list"),
        ("sessions", "[{]", "row 1 (id 8).sessions", "neither JSON (Expecting"),
        ("sessions", "{}", "row 1 (id 8).sessions", "found {}, want a list"),
        ("sessions", "['a' 'b']", "row 1 (id 8).sessions", "no comma between strings"),
        ("sessions", "__import__('os')", "row 1 (id 8).sessions", "nor a Python literal (char"),
        ("sessions", "[1+2j]", "row 1 (id 8).sessions", "(character 2: '+2j]')"),
        ("sessions", "{[]: 'a'}", "row 1 (id 8).sessions", "unhashable"),
        ("sessions", "['a'," + "9" * 5000 + "]", "row 1 (id 8).sessions", "neither JSON"),
        ("sessions", "[" * 100_000, "row 1 (id 8).sessions", "nested too deeply"),
        ("sessions", "['a', " + "[" * 100_000, "row 1 (id 8).sessions", "nested too deeply"),
        ("sessions", "[" * 50 + "]" * 50, "row 1 (id 8).sessions", "nested too deeply"),
        ("sessions", "['a', " + "1," * 300_000, "row 1 (id 8).sessions", "over 500,000 tokens"),
        ("sessions", "'" + "\\'" * 200_000, "row 1 (id 8).sessions", "(character 0: "),
        ("instruction_ids", "[[-1]]", "row 1 (id 8).instruction_ids", "1 entries, but sessions"),
        ("filler_ids", "[1, 2, 3, 'x']", "row 1 (id 8).filler_ids[3]", 'found "x", want a filler'),
        ("n_sessions", 5, "row 1 (id 8).n_sessions", "5, but sessions has 4"),
        ("context", '{"mentor": "A"}', "row 1 (id 8).context.mentee", "missing; want a string"),
    ],
)
def test_what_is_wrong_is_named_by_row_and_column(
    small_dialogue: Dialogue, column: str, value: object, where: str, problem: str
) -> None:
    row = dump_row(small_dialogue)
    with pytest.raises(DatasetError) as raised:
        read_rows([row, row | {"id": 8} | {column: value}])
    assert raised.value.where == where
    assert problem in raised.value.problem
    assert str(raised.value).startswith("rows: row 1")


def test_a_place_inside_the_sessions_is_named(small_dialogue: Dialogue) -> None:
    row = dump_row(small_dialogue)
    sessions = json.loads(row["sessions"])
    del sessions[2]["text"]
    with pytest.raises(DatasetError, match=r"^mine: row 0 \(id 7\)\.sessions\[2\]\.text: missing"):
        read_rows([row | {"sessions": repr(sessions)}], source="mine")


def test_a_row_without_two_speakers_is_refused(small_dialogue: Dialogue) -> None:
    row = published(small_dialogue)
    sessions = [session | {"text": "Nobody speaks."} for session in json.loads(row["sessions"])]
    with pytest.raises(DatasetError, match="fewer than two speakers"):
        read_rows([row | {"sessions": json.dumps(sessions)}])


def test_what_holds_no_rows_is_named(small_dialogue: Dialogue) -> None:
    with pytest.raises(DatasetError, match="several splits, want one of them: train, test"):
        read_rows({"train": [], "test": []})
    with pytest.raises(DatasetError, match='row 0: found "id", want an object'):
        read_rows(["id", "sessions"])


def _jsonl(file: Path, *rows: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return file


def test_jsonl_files_and_folders_of_them_are_read_in_order_of_number(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    rows = [dump_row(small_dialogue) | {"id": number} for number in (10, 9, 1)]
    file = _jsonl(tmp_path / "data" / "test-1.jsonl", *rows[:2])
    _jsonl(tmp_path / "data" / "test-2.jsonl", rows[2])
    assert [d.number for d in load_dataset(file)] == [9, 10]
    assert [d.number for d in load_dataset(tmp_path / "data")] == [1, 9, 10]
    assert [d.number for d in load_dataset(tmp_path, limit=2)] == [1, 9]


def test_a_number_in_two_files_is_refused(small_dialogue: Dialogue, tmp_path: Path) -> None:
    for name in ("train.jsonl", "test.jsonl"):
        _jsonl(tmp_path / name, dump_row(small_dialogue))
    with pytest.raises(DatasetError, match=r"train\.jsonl.*stands in .*test\.jsonl, row 0"):
        load_dataset(tmp_path)


def test_the_releases_layout_comes_first(small_dialogue: Dialogue, tmp_path: Path) -> None:
    write_dataset([small_dialogue], tmp_path / "dataset")
    _jsonl(tmp_path / "notes.jsonl", {"anything": 1})
    assert [d.number for d in load_dataset(tmp_path)] == [7]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{}\n{", "line 2: not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "no rows"),
        (b"[[]]", "row 0: found \\[\\], want an object"),
        (b"", "no rows"),
    ],
)
def test_a_jsonl_file_that_holds_no_rows_is_named(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(content)
    with pytest.raises(DatasetError, match=problem) as raised:
        load_dataset(file)
    assert str(raised.value).startswith(str(file))


def test_the_releases_speakers_are_found_without_a_context(release: Path) -> None:
    dialogues = load_dataset(release)
    read = read_rows(published(dialogue) for dialogue in dialogues)
    pairs = list(zip(dialogues, read, strict=True))
    assert all(
        {d.context.mentor, d.context.mentee} == {r.context.mentor, r.context.mentee}
        for d, r in pairs
    )
    assert sum(d.context.mentor == r.context.mentor for d, r in pairs) >= 296
    assert all(d.sessions == r.sessions for d, r in pairs)
