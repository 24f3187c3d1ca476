"""Runs as tables for other tools: every planned question is there, what failed has no score, and
empty columns keep their types."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memorycode import evaluate
from memorycode.results.frames import FrameColumn, RunTable
from memorycode.results.question_frames import question_columns, rule_columns
from memorycode.results.read import Run, read_run
from memorycode.results.strategy_frames import strategy_columns
from tests.conftest import make_dialogue
from tests.run_files import put_asked, read_lines

LEVELS: dict[str, Sequence[FrameColumn[Any]]] = {
    "rules": rule_columns(),
    "questions": question_columns(),
    "strategies": strategy_columns(),
}
DOCS = Path(__file__).parents[2] / "docs" / "export.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("run") / "run"
    evaluate([make_dialogue(7)], strategies=["no_memory", "cumulative"], out=out)
    return out


@pytest.fixture
def run(folder: Path) -> Run:
    return read_run(folder)


@pytest.fixture
def failed(folder: Path, tmp_path: Path) -> Run:
    """The same run, of which every question failed or was never asked."""
    copied = Path(shutil.copytree(folder, tmp_path / "run"))
    first, *_ = read_lines(copied / "asked.jsonl")
    failure = {key: value for key, value in first.items() if key != "answer"}
    put_asked(copied, [(failure | {"outcome": "timeout", "error": "slow"}, "")])
    return read_run(copied)


def _records(table: RunTable) -> list[dict[str, Any]]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_a_rule_has_its_text_family_verdicts_and_causes_by_name(run: Run) -> None:
    rows = [r for r in _records(run.table("rules")) if r["id"].startswith("7/3/1/no_memory")]
    assert [row["text"] for row in rows] == ["rule 6.1", "rule 23.0"]
    assert [row["family_name"] for row in rows] == ["function prefix", "function docstring"]
    assert [(row["told"], row["age"], row["rank"]) for row in rows] == [(2, 1, 1), (2, 1, 0)]
    assert [row["elicited"] for row in rows] == [True, False]
    prefix = rows[0]
    assert (prefix["object"], prefix["check"]) == ("function", '"^w_.*"')
    assert (prefix["verdict_strict"], prefix["score_strict"]) == ("violated", 0.0)
    assert prefix["cause_strict"] == "not_recalled"


def test_levels_agree_with_each_other_and_with_the_report(run: Run) -> None:
    questions, rules = _records(run.table("questions")), _records(run.table("rules"))
    assert len(questions) == 8
    assert len(rules) == sum(question["rules"] for question in questions)
    for question in questions:
        own = [r for r in rules if r["id"] == question["id"]]
        scores = [r["score_strict"] for r in own if r["score_strict"] is not None]
        assert question["score_strict"] == pytest.approx(sum(scores) / len(scores))
    for row, reported in zip(_records(run.table("strategies")), run.report().rows, strict=True):
        estimate = reported.scores["strict"].by_dialogue["short_history"]
        assert row["strategy"] == reported.strategy
        assert row["score_strict_short_history"] == estimate.mean
        assert row["score_strict_long_history_dialogues"] == 0


def test_what_failed_is_there_without_a_score(failed: Run) -> None:
    rows = _records(failed.table("questions"))
    assert sorted(row["failure"] for row in rows) == ["missing"] * 7 + ["timeout"]
    for row in (*rows, *_records(failed.table("rules"))):
        assert row["failure"]
        assert {v for name, v in row.items() if name.startswith(("score", "verdict"))} == {None}


@pytest.mark.parametrize("level", LEVELS)
def test_a_data_frame_has_a_type_for_each_column_even_where_all_is_empty(
    run: Run, failed: Run, level: Any
) -> None:
    whole, empty = run.to_frame(level), failed.to_frame(level)
    assert list(whole.columns) == [column.name for column in LEVELS[level]]
    assert whole.dtypes.equals(empty.dtypes)
    assert len(whole) == len(empty) > 0
    kinds = {"text": "string", "whole": "Int64", "number": "Float64", "flag": "boolean"}
    assert [str(t) for t in whole.dtypes] == [kinds[column.kind] for column in LEVELS[level]]


def test_a_mean_in_pandas_leaves_out_what_failed(failed: Run) -> None:
    frame = failed.to_frame("questions")
    assert frame.score_strict.isna().all()
    assert frame.failure.value_counts()["missing"] == 7


def test_a_folder_whose_name_is_no_text_is_written_as_escapes(folder: Path) -> None:
    odd = folder.with_name("odd\udcff")
    odd.mkdir(exist_ok=True)
    for file in folder.iterdir():
        if file.is_file():
            (odd / file.name).write_bytes(file.read_bytes())
    frame = read_run(odd).to_frame("questions")
    assert frame.run.str.endswith(r"odd\udcff").all()


@pytest.mark.parametrize("level", LEVELS)
def test_the_page_lists_every_column_and_no_other(level: str) -> None:
    section = re.split(r"^## ", DOCS.read_text(encoding="utf-8"), flags=re.M)
    [own] = [text for text in section if text.startswith(f"{level}\n")]
    listed = re.findall(r"^\| `(.*)` \| (.*) \| (.*) \|$", own, flags=re.M)
    columns = LEVELS[level]
    assert listed == [(c.name, c.kind, c.meaning) for c in columns]
    assert len({c.name for c in columns}) == len(columns)
