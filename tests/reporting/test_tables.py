"""Tables show what one has to know: oracles, failures, what is left out, and fit a terminal."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from memorycode import evaluate
from memorycode.dialogue import Dialogue
from memorycode.reporting.console import WIDTH, printable, show
from memorycode.reporting.scores import scores_parts
from memorycode.reporting.tables import report_parts, report_text
from memorycode.results.compare import compare_runs
from memorycode.results.metrics import summarize
from memorycode.results.read import report_run
from memorycode.results.recorded_scores import RecordedScores


@pytest.fixture
def run(small_dialogue: Dialogue, tmp_path: Path) -> Path:
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in (1, 2)]
    strategies = ["no_memory", "rag", "rag:k=2", "cumulative", "rolling_summary"]
    evaluate(dialogues, strategies=strategies, out=tmp_path / "run")
    return tmp_path / "run"


def test_that_a_search_took_all_there_is_stands_below_the_table(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    """Where k is not below the number of units nothing was chosen: in report and comparison."""
    taking = ["rag:k=9999", "rag:k=100%,unit=turn", "langgraph:k=9999"]
    folder = tmp_path / "all"
    evaluate([small_dialogue], strategies=[*taking, "rag:k=1", "full_history"], out=folder)
    notes = [note for facts in compare_runs([folder]).runs for note in facts.notes]
    for text in (report_text(report_run(folder)), " ".join(notes)):
        said = " ".join(text.split())
        assert said.count("(100%) every unit there is was taken") == len(taking)


def _row(text: str, label: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    line = next(line for line in lines if line.startswith(f"{label}  "))
    return line.removeprefix(label).split()


def test_only_oracles_are_marked(run: Path) -> None:
    text = report_text(report_run(run))
    assert _row(text, "rag ◆")
    assert _row(text, "rag:k=2")
    assert "sees gold labels" in text


def test_scores_are_of_the_last_session_and_counts_of_all(run: Path) -> None:
    text = report_text(report_run(run))
    assert _row(text, "cumulative") == ["100.0", "–", "100.0", "–", "12", "0"]
    assert _row(text, "no_memory") == ["0.0", "–", "0.0", "–", "4", "0"]


def test_other_settings_have_no_table_by_number_of_sessions(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    one = small_dialogue.model_copy(update={"number": 1, "sessions": small_dialogue.sessions[:3]})
    for setting, shown in (("history", True), ("instruction", False)):
        out = tmp_path / setting
        report = evaluate([one, small_dialogue], setting=setting, out=out)
        text = " ".join(report_text(report).split())
        assert ("by the number of sessions" in text) is shown


def test_the_curve_is_kept_where_there_are_several_checkpoints(run: Path) -> None:
    (model,) = report_run(run).models
    curves = {row.strategy: sorted(row.curve) for row in model.rows}
    assert curves["cumulative"] == [0, 1, 2, 3]
    assert curves["rag"] == []


def test_no_line_is_wider_than_the_page(run: Path) -> None:
    assert max(map(len, report_text(report_run(run)).splitlines())) <= WIDTH


@pytest.mark.parametrize("width", [60, 72, 80, 90, 100, 140])
def test_a_narrow_terminal_loses_facts_but_no_score(run: Path, width: int) -> None:
    text = io.StringIO()
    console = Console(file=text, width=width, color_system=None)
    show(report_parts(report_run(run), width), console)
    lines = text.getvalue().splitlines()
    assert max(len(line.rstrip()) for line in lines if not line.startswith("Records")) <= width
    assert "…" not in text.getvalue()
    for label, score in (("cumulative", "100.0"), ("no_memory", "0.0"), ("rag:k=2", "100.0")):
        row = next(line.split() for line in lines if line.strip().startswith(label))
        assert row.count(score) >= 2, (label, row)
    (header,) = [line for line in lines if "strategy" in line and "failed" in line]
    assert ("asked" in header) is (width >= 88)
    columns = text.getvalue().split("Mean over n dialogues")[0]
    assert ("seconds" in columns) is (width >= 80)


def test_an_empty_set_of_scores_has_a_table_too() -> None:
    scores = RecordedScores(scorer="official", **dict(summarize([], "official")))
    assert list(scores_parts(scores, "x", WIDTH))


def test_control_characters_of_a_model_do_not_reach_the_terminal() -> None:
    assert printable("a\x1b[2Jb\tc\n\x07\u202e") == "a\\x1b[2Jb\tc\n\\x07\\x202e"
