"""The release's layout is read and written without loss, and bad input is named to the field."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import (
    dataset_hash,
    dump_dialogue,
    load_dataset,
    parse_dialogue,
    write_dataset,
)
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError

Breaking = Callable[[dict[str, Any]], object]


def test_writing_and_reading_gives_the_same_dialogue(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    write_dataset([small_dialogue], tmp_path)
    (read,) = load_dataset(tmp_path)
    assert dump_dialogue(read) == dump_dialogue(small_dialogue)
    assert read.sessions == small_dialogue.sessions


def test_the_release_is_written_again_to_the_byte(release: Path, tmp_path: Path) -> None:
    dialogues = load_dataset(release / "dataset")
    assert len(dialogues) == 300
    write_dataset(dialogues, tmp_path)
    for dialogue in dialogues:
        name = f"dialogue_{dialogue.number}.json"
        assert (tmp_path / name).read_bytes() == (release / "dataset" / name).read_bytes()


def test_the_releases_rules_at_the_end_follow_from_its_instructions(release: Path) -> None:
    for dialogue in load_dataset(release):
        active = [i.rule for i in dialogue.active_instructions(dialogue.last)]
        assert list(dialogue.history_rules) == active
        assert set(dialogue.history_queries) == {
            i.eval_query for i in dialogue.active_instructions(dialogue.last)
        }


def test_a_clones_root_a_folder_and_a_file_are_read_in_order_of_number(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in (10, 9, 1)]
    write_dataset(dialogues, tmp_path / "dataset")
    assert [d.number for d in load_dataset(tmp_path)] == [1, 9, 10]
    assert [d.number for d in load_dataset(tmp_path / "dataset", limit=2)] == [1, 9]
    assert [d.number for d in load_dataset(tmp_path / "dataset" / "dialogue_9.json")] == [9]


def test_the_hash_depends_on_the_content_alone(small_dialogue: Dialogue, tmp_path: Path) -> None:
    write_dataset([small_dialogue], tmp_path)
    assert dataset_hash(load_dataset(tmp_path)) == dataset_hash([small_dialogue])
    other = small_dialogue.model_copy(update={"history_queries": ()})
    assert dataset_hash([other]) != dataset_hash([small_dialogue])


def _set(*path: Any, value: Any) -> Breaking:
    def breaking(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return breaking


def _delete(*path: Any) -> Breaking:
    def breaking(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return breaking


@pytest.mark.parametrize(
    ("breaking", "where", "problem"),
    [
        (_delete("context"), "context", "missing; want an object"),
        (_delete("context", "mentee"), "context.mentee", "missing; want a string"),
        (_set("context", "mentor", value=None), "context.mentor", "found null, want a string"),
        (_delete("sessions", 2, "text"), "sessions[2].text", "missing; want a string"),
        (_delete("sessions", 1, "type"), "sessions[1].type", "missing; want a list"),
        (_set("sessions", 2, value="x"), "sessions[2]", 'found "x", want an object'),
        (_set("sessions", value=[]), "instructions", "but sessions has 0"),
        (_delete("instructions", 3), "instructions", "3 entries, but sessions has 4"),
        (_delete("fillers", 0), "fillers", "3 entries, but sessions has 4"),
        (_set("fillers", 1, value="x"), "fillers[1]", 'found "x", want a filler\'s number'),
        (_set("instructions", 0, value=[[6]]), "instructions[0][0]", "want [family, version]"),
        (_set("instructions", 1, value=7), "instructions[1]", "found 7, want a list"),
        (
            _set("sessions", 0, "session_regex", value=[]),
            "sessions[0].session_regex",
            "0 entries, but instructions[0] has 1",
        ),
        (
            _set("sessions", 2, "session_eval_query", value=["one"]),
            "sessions[2].session_eval_query",
            "1 entries, but session_regex has 2",
        ),
        (
            _set("sessions", 2, "topic", value=["one"]),
            "sessions[2].topic",
            "1 entries, but type has 3",
        ),
        (
            _set("sessions", 0, "type", value=["filler-add", "filler-instruction-add"]),
            "sessions[0].type (its instructions)",
            "0 entries, but session_regex has 1",
        ),
        (
            _set("sessions", 0, "session_regex", 0, 0, value="lambda"),
            "sessions[0].session_regex[0]",
            'unknown object "lambda"; known are function, function argument',
        ),
        (
            _set("sessions", 0, "session_regex", 0, 1, value="^(k_"),
            "sessions[0].session_regex[0]",
            "does not compile: missing )",
        ),
        (
            _set("sessions", 3, "history_regex", 0, 1, value={"a": 1}),
            "sessions[3].history_regex[0]",
            "want a regular expression, true, false or [name, true]",
        ),
        (
            _set("sessions", 0, "history_eval_query", value=["q"]),
            "sessions[0].history_eval_query",
            "filled before the last session",
        ),
        (
            _set("sessions", 1, "topic", value=[3]),
            "sessions[1].topic[0]",
            "found 3, want a string",
        ),
        (_set("sessions", 1, "mood", value="x"), "sessions[1].mood", "unknown field; known are"),
        (_set("sessions", 1, "text", value="a\ud800"), "sessions[1].text", "surrogate"),
    ],
)
def test_bad_input_is_named_to_the_field(
    small_dialogue: Dialogue, breaking: Breaking, where: str, problem: str
) -> None:
    data = copy.deepcopy(dump_dialogue(small_dialogue))
    breaking(data)
    with pytest.raises(DatasetError) as raised:
        parse_dialogue(data, file=Path("dialogue_7.json"), number=7)
    assert raised.value.where == where
    assert problem in raised.value.problem
    assert str(raised.value).startswith("dialogue_7.json: ")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "not JSON: Expecting property name.* \\(line 1, column 2\\)"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "want an object"),
        (b"[" + b"9" * 5000 + b"]", "not JSON of this layout"),
    ],
)
def test_a_file_that_is_no_dialogue_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    file = tmp_path / "dialogue_1.json"
    file.write_bytes(content)
    with pytest.raises(DatasetError, match=problem) as raised:
        load_dataset(tmp_path)
    assert str(file) in str(raised.value)


def test_a_number_given_twice_is_refused(small_dialogue: Dialogue, tmp_path: Path) -> None:
    write_dataset([small_dialogue], tmp_path)
    (tmp_path / "dialogue_07.json").write_bytes((tmp_path / "dialogue_7.json").read_bytes())
    with pytest.raises(DatasetError, match=r"dialogue 7 stands in dialogue_0?7\.json too"):
        load_dataset(tmp_path)


def test_a_folder_without_dialogues_says_what_it_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"no dialogue_N\.json here"):
        load_dataset(tmp_path)
    with pytest.raises(DatasetError, match="no such file or folder"):
        load_dataset(tmp_path / "nowhere")


def test_the_golden_counts_hold(release: Path) -> None:
    facts = json.loads((Path(__file__).parents[1] / "golden/dataset_facts.json").read_text())
    dialogues = load_dataset(release)
    sessions = [session for dialogue in dialogues for session in dialogue.sessions]
    types = [kind for session in sessions for kind in session.types]
    counts = facts["counts"]
    assert len(sessions) == counts["sessions"]
    assert sum(bool(s.instructions) for s in sessions) == counts["sessions_with_instructions"]
    assert sum(len(d.history_queries) for d in dialogues) == counts["history_eval_queries"]
    assert sum(len(d.rules(d.last)) for d in dialogues) == counts["history_rules"]
    for kind in ("instruction-add", "instruction-update", "filler-instruction-add"):
        assert types.count(kind) == counts[kind]
