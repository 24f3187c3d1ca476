"""A run's folder is read once: the latest attempt holds, what was never asked is missing, and what
was not planned is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from memorycode import evaluate
from memorycode.errors import RunFolderError, UsageError
from memorycode.results.answers import MISSING
from memorycode.results.read import read_run, read_runs
from memorycode.running.folder import RunFolder
from tests.conftest import make_dialogue
from tests.run_files import put_asked, read_lines, write_lines

STRATEGIES = ["no_memory", "cumulative"]
"""Asked twice at the last of four sessions, and at each of them: 2 and 6 questions."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("run") / "run"
    evaluate([make_dialogue(7)], strategies=STRATEGIES, repeats=2, out=out)
    return out


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    shutil.copytree(whole, tmp_path / "run")
    return tmp_path / "run"


def _lines(run: Path) -> list[dict[str, Any]]:
    return read_lines(run / "asked.jsonl")


def _write(run: Path, lines: list[dict[str, Any]]) -> None:
    put_asked(run, [(line, line["id"]) for line in lines])


def test_every_planned_question_is_an_answer_of_its_row(whole: Path) -> None:
    run = read_run(whole)
    found = {row.source.strategy: len(row.answers) for row in run.rows}
    assert found == {"no_memory": 4, "cumulative": 12}
    assert {answer.id for answer in run.answers} == {r.id for r in RunFolder(whole).records()}
    for answer in run.answers:
        question = run.questions[answer.place]
        assert [rule.rule for rule in answer.rules if rule] == list(question.rules)
        assert not answer.failure


def test_of_two_attempts_the_later_holds_and_both_are_counted(run: Path) -> None:
    first, *rest = _lines(run)
    failed = {"outcome": "timeout", "error": "slow", "answer": ""}
    _write(run, [first | failed, *rest, first])
    found = read_run(run)
    assert not any(answer.failure for answer in found.answers)
    assert sum(len(row.attempts) for row in found.rows) == len(rest) + 2
    _write(run, [first, *rest, first | failed])
    again = read_run(run)
    assert [a.id for a in again.answers if a.failure] == [first["id"]]
    report = again.report()
    row = next(row for row in report.rows if row.strategy == first["strategy"])
    assert row.first_failure == (first["id"], "slow")
    assert row.spending.failed_calls == {"timeout": 1}


def test_what_was_never_asked_is_missing_and_has_its_rules(run: Path) -> None:
    kept, *lost = _lines(run)
    _write(run, [kept])
    found = read_run(run)
    missing = {answer.id for answer in found.answers if answer.failure == MISSING}
    assert missing == {record["id"] for record in lost}
    assert all(answer.rules for answer in found.answers)
    assert kept["id"] in found.lines and missing.isdisjoint(found.lines)


def test_a_half_written_last_line_is_a_question_not_asked(run: Path) -> None:
    file = run / "asked.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    assert [a.failure for a in read_run(run).answers if a.failure] == [MISSING]


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": 77},
        {"session": 17},
        {"dialogue": 8},
        {"setting": "session"},
        {"repeat": 2},
        {"strategy": "rag"},
        {"model": "another"},
        {"strategy": "no_memory", "session": 0, "number": 0},
    ],
)
def test_a_record_of_no_planned_question_is_refused(run: Path, wrong: dict[str, Any]) -> None:
    """The last of them is planned for another strategy, which is asked after every session."""
    first, *rest = _lines(run)
    _write(run, [first | wrong, *rest])
    with pytest.raises(RunFolderError, match="belongs to no planned question"):
        read_run(run)


def test_a_record_with_too_few_verdicts_is_refused(run: Path) -> None:
    head, first, *rest = read_lines(file := run / "judged/strict@2.jsonl")
    write_lines(file, [head, first | {"verdicts": first["verdicts"][1:]}, *rest])
    with pytest.raises(RunFolderError, match="not a verdict for each of its rules"):
        read_run(run)


def test_a_task_that_was_not_planned_is_refused(run: Path) -> None:
    task = {"model": "ideal-mentee", "strategy": "rag", "dialogue": 7, "seconds": 1}
    write_lines(run / "tasks.jsonl", [task])
    with pytest.raises(RunFolderError, match="a task of rag, which was not planned"):
        read_run(run)


def test_a_run_is_read_once_whatever_it_is_called(whole: Path) -> None:
    with pytest.raises(UsageError, match="named twice"):
        read_runs([whole, whole / ".." / whole.name])


def test_a_line_is_found_again_by_its_place(whole: Path) -> None:
    lines = read_run(whole).lines
    found = RunFolder(whole).attempts_at(lines.values())
    assert [record.id for record in found] == list(lines)
