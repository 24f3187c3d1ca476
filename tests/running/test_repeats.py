"""Every question asked several times: all in the records, one score per question, the spread."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from memorycode.dialogue import Dialogue
from memorycode.evaluation import evaluate
from memorycode.reporting.console import show
from memorycode.reporting.tables import report_parts, report_text
from memorycode.results.found_question import find_question
from memorycode.results.summary import RunReport
from memorycode.running.folder import RunFolder


def _run(dialogue: Dialogue, out: Path, repeats: int) -> RunReport:
    return evaluate(
        [dialogue], strategies=["no_memory"], models=["plugins:Writing"], repeats=repeats, out=out
    )


def test_each_sample_is_a_record_of_its_own_and_the_first_keeps_its_id(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    _run(small_dialogue, tmp_path / "one", 1)
    _run(small_dialogue, tmp_path / "three", 3)
    one = {record.id for record in RunFolder(tmp_path / "one").records()}
    three = {record.id: record for record in RunFolder(tmp_path / "three").records()}
    assert one == {"7/3/0/no_memory/writing", "7/3/1/no_memory/writing"}
    again = {f"{id_}#{n}" for id_ in one for n in (2, 3)}
    assert three.keys() == one | again
    # What answers depend on the sample; a cache must not give the first one's to all.
    assert "w_f" in three["7/3/1/no_memory/writing"].answer
    assert "x_f" in three["7/3/1/no_memory/writing#2"].answer
    first, *_, last = (tmp_path / "one" / "asked.jsonl").read_text().splitlines()
    assert "sample" not in first + last


def test_the_score_is_the_mean_over_samples_and_the_table_has_the_rest(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = _run(small_dialogue, tmp_path, 3)
    scores = report.as_json()["strategies"]["no_memory"]["official"]
    # The name is right in one of three repeats, the docstring always: (1 + ½ + ½) / 3.
    assert scores["short_history"]["mean"] == pytest.approx(2 / 3)
    found = scores["repeats"]
    assert found["repeats"] == 3
    assert found["pass@n"]["short_history"] == {"mean": 1.0, "se": 0.0, "n": 2}
    assert found["pass^n"]["short_history"] == {"mean": 0.0, "se": 0.0, "n": 2}
    assert found["spread"]["short_history"] == pytest.approx((1 / 12) ** 0.5)
    text = report_text(report)
    assert "Of 3 repeats" in text
    assert "pass^3" in text
    assert max(map(len, text.splitlines())) <= 100


def test_no_samples_no_table(small_dialogue: Dialogue, tmp_path: Path) -> None:
    report = _run(small_dialogue, tmp_path, 1)
    assert "repeats" not in report.as_json()["strategies"]["no_memory"]["official"]
    assert "pass@" not in report_text(report)


def test_a_sample_can_be_shown(small_dialogue: Dialogue, tmp_path: Path) -> None:
    _run(small_dialogue, tmp_path, 2)
    assert find_question(tmp_path, "7/3/0/no_memory/writing#2").record.repeat == 1
    assert find_question(tmp_path, "7/3/0/no_memory/writing").record.repeat == 0


def test_other_samples_are_other_runs_but_go_on_in_their_own(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    _run(small_dialogue, tmp_path, 2)
    before = (tmp_path / "asked.jsonl").read_bytes()
    report = _run(small_dialogue, tmp_path, 2)
    assert (tmp_path / "asked.jsonl").read_bytes() == before
    assert not report.has_failures


@pytest.mark.parametrize("width", [60, 72, 80, 88, 96, 140])
def test_its_tables_fit_the_terminal(small_dialogue: Dialogue, tmp_path: Path, width: int) -> None:
    report = _run(small_dialogue, tmp_path, 6)
    text = io.StringIO()
    show(report_parts(report, width), Console(file=text, width=width, color_system=None))
    lines = text.getvalue().splitlines()
    assert max(len(line.rstrip()) for line in lines if not line.startswith("Records")) <= width
    assert "…" not in text.getvalue()
    assert "k=6" in text.getvalue()
