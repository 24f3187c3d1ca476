"""What the browser is given of a dialogue is what the run's folder has, no more and no less."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from memorycode.errors import RunFolderError
from memorycode.reporting.html.flips import in_order, paired_rows
from memorycode.reporting.html.packed_dialogues import open_pieces
from memorycode.reporting.html.packing import unpack
from memorycode.reporting.html.rule_words import rule_words
from memorycode.reporting.html.told_sentences import told_spans
from memorycode.results.read import read_run, read_runs
from memorycode.rules import Rule
from memorycode.running.folder import RunFolder
from memorycode.scoring.detection import detect
from tests.conftest import instruction, make_dialogue
from tests.run_files import change_asked


@pytest.fixture(scope="module")
def data(runs: tuple[Path, Path]) -> list[dict[str, Any]]:
    return [unpack(piece.packed) for piece in open_pieces(read_runs(runs)).packed()]


def _text(data: dict[str, Any], numbers: list[int]) -> str:
    return "\n".join(data["lines"][number] for number in numbers)


def test_dialogues_that_runs_share_are_one_piece(runs: tuple[Path, Path]) -> None:
    pieces = open_pieces(read_runs(runs)).all
    assert [(piece.number, piece.runs) for piece in pieces] == [(n, (0, 1)) for n in (1, 2, 3)]


def test_every_record_is_there(runs: tuple[Path, Path], data: list[dict[str, Any]]) -> None:
    for run, path in enumerate(runs):
        shown = sum(entry["run"] == run for one in data for entry in one["questions"])
        assert shown == len(list(RunFolder(path).records()))


def test_texts_are_those_of_the_dialogue(data: list[dict[str, Any]]) -> None:
    for one in data:
        dialogue = make_dialogue(one["number"])
        shown = [_text(one, session["text"]) for session in one["sessions"]]
        assert shown == [session.text for session in dialogue.sessions]


def test_sentences_that_tell_a_rule_are_found(data: list[dict[str, Any]]) -> None:
    first, third = data[0]["sessions"][0], data[0]["sessions"][2]
    (told,) = first["told"]
    ((start, end),) = told["spans"]
    assert _text(data[0], first["text"])[start:end] == "Always start function names with 'k_'."
    assert [len(told["spans"]) for told in third["told"]] == [1, 1]


def test_offsets_count_as_browsers_do() -> None:
    dialogue = make_dialogue()
    session = dialogue.sessions[0]
    smiling = session.model_copy(update={"text": session.text.replace("Welcome", "😀 Welcome")})
    (spans,) = told_spans(smiling, dialogue.context.speakers, detect(smiling.text, "Ada")).values()
    ((start, end),) = spans
    units = smiling.text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
    assert units == "Always start function names with 'k_'."


def test_a_rule_that_no_sentence_tells_has_no_span() -> None:
    dialogue = make_dialogue()
    session = dialogue.sessions[1].model_copy(
        update={"instructions": (instruction(0, 0, "class", "^X.*"),)}
    )
    assert list(
        told_spans(session, dialogue.context.speakers, detect(session.text, "Ada")).values()
    ) == [()]


def test_a_passage_has_the_rules_that_attribution_finds_in_it(data: list[dict[str, Any]]) -> None:
    for one in data:
        words = [rule["words"] for rule in one["rules"]]
        for session, text, has in one["passages"]:
            said = _text(one, one["sessions"][session]["text"] if text is None else text)
            for prefix in ("k_", "w_"):
                told = f"start function names with '{prefix}'" in said
                assert (words.index(f"function: names start with '{prefix}'") in has) is told


def test_flips_are_the_questions_that_differ(runs: tuple[Path, Path]) -> None:
    found = in_order(
        flip for piece in open_pieces(read_runs(runs)).packed() for flip in piece.flips
    )
    assert found
    assert all(flip.lost or flip.gained for flip in found)
    assert [abs(flip.whole) for flip in found] == sorted(
        (abs(flip.whole) for flip in found), reverse=True
    )
    settings = RunFolder(runs[0]).manifest.settings
    lost = {settings.strategies[flip.first[0]].spec for flip in found}
    assert "full_history" in lost
    assert "no_memory" not in lost  # it knows nothing either way


def test_rows_are_paired_by_name_and_lone_rows_with_each_other(runs: tuple[Path, Path]) -> None:
    settings = RunFolder(runs[0]).manifest.settings
    lone = settings.model_copy(update={"strategies": settings.strategies[:1]})
    other = settings.model_copy(update={"strategies": settings.strategies[1:2]})
    assert paired_rows(lone, other) == {(0, 0): (0, 0)}
    assert paired_rows(settings, other) == {(1, 0): (0, 0)}


def test_a_record_of_no_planned_question_is_refused(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(runs[0], run)
    change_asked(run, lambda line: [line | {"number": 77}])
    with pytest.raises(RunFolderError, match="planned"):
        list(open_pieces([read_run(run)]).packed())


@pytest.mark.parametrize(
    ("kind", "check", "words"),
    [
        ("function", "^k_.*", "function: names start with 'k_'"),
        ("class", r".*\d$", "class: names contain a digit"),
        ("function try", False, "function try: not wanted"),
        ("import", ("bz2", True), "import: 'bz2' is wanted"),
        ("variable", "a|b", "variable: names match a|b"),
        ("variable", ".*{x}$", "variable: names match .*{x}$"),
    ],
)
def test_rules_in_words(kind: str, check: object, words: str) -> None:
    assert rule_words(Rule.model_validate({"object": kind, "check": check})) == words


def test_a_context_that_was_lost_is_no_memory_that_failed(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(runs[0], run)
    (run / "contexts.jsonl").write_text("")
    with pytest.raises(RunFolderError, match=r"context [0-9a-f]+ is missing"):
        list(open_pieces([read_run(run)]).packed())
