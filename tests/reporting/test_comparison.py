"""The tables of a comparison fit, say what they compare, and show no number that tells nothing."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from memorycode import evaluate
from memorycode.reporting.comparison import TOO_FEW, comparison_parts, comparison_text
from memorycode.reporting.console import WIDTH, show
from memorycode.results.compare import compare_runs
from tests.conftest import make_dialogue

STRATEGIES = ["no_memory", "full_history", "rag", "recent_sessions:n=1"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    dialogues = [make_dialogue(number) for number in range(1, 13)]
    evaluate(dialogues, strategies=STRATEGIES, out=folder / "a")
    evaluate(dialogues[:3], strategies=["full_history"], context_budget=30, out=folder / "b")
    return folder


def _flat(text: str) -> str:
    return " ".join(text.split())


def _row(text: str, label: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.strip().startswith(f"{label}  "))
    return line.strip().removeprefix(label).split()


def test_a_row_has_difference_interval_p_wins_and_losses(runs: Path) -> None:
    text = comparison_text(compare_runs([runs / "a"], baseline="full_history"), 10)
    assert "Strict, short histories against full_history, in per cent" in text
    expected = "12 0.0 100.0 -100.0 all alike <0.001 – 0 12 0".split()
    assert _row(text, "no_memory") == expected
    assert _row(text, "rag ◆") == "12 100.0 100.0 +0.0 all alike – – 0 0 12".split()


def test_few_dialogues_are_too_few_to_tell(runs: Path) -> None:
    text = comparison_text(compare_runs([runs / "a", runs / "b"], pairing="same"), 10)
    assert f"-100.0 {TOO_FEW} – – 0 3 0" in _flat(text)
    assert "short histories against full_history [A]" in text and "full_history [B]  3" in text


def test_what_else_differs_between_runs_is_said_first(runs: Path) -> None:
    text = _flat(comparison_text(compare_runs([runs / "a", runs / "b"], pairing="same"), 10))
    assert text.startswith("THE DATA DIFFER (12 in ")
    assert "THE RUNS DIFFER in context_budget: none / 30" in text


def test_every_table_names_prompts_and_says_that_the_model_is_none(runs: Path) -> None:
    text = _flat(comparison_text(compare_runs([runs / "a"]), 10))
    for fact in ("prompts default", "no language model", "◆ oracle: sees gold labels"):
        assert fact in text


@pytest.mark.parametrize(("most", "shown"), [(0, 0), (2, 2), (100, 24)])
def test_the_list_of_flipped_questions_is_limited(runs: Path, most: int, shown: int) -> None:
    text = _flat(comparison_text(compare_runs([runs / "a"], baseline="full_history"), most))
    listed = re.findall(r"no_memory, lost:((?: \d+/\d+/\d+)+)", text)
    assert sum(len(ids.split()) for ids in listed) == shown
    assert ("and 22 more" in text) is (most == 2)


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_a_table_fits_its_terminal(runs: Path, width: int) -> None:
    text = io.StringIO()
    console = Console(file=text, width=width, color_system=None)
    found = compare_runs([runs / "a", runs / "b"], baseline="recent_sessions:n=1")
    show(comparison_parts(found, 10, width), console)
    assert max(len(line.rstrip()) for line in text.getvalue().splitlines()) <= width
    assert "…" not in text.getvalue().split("Flipped")[0]
    assert "95 % interval" in text.getvalue()


def test_without_one_baseline_a_row_names_both(runs: Path) -> None:
    text = comparison_text(compare_runs([runs / "a"], pairing="all"), 0)
    assert re.search(r"rag ◆ +12 .*\n − full_history  ", text)


def test_no_line_is_wider_than_the_page_and_none_is_coloured(runs: Path) -> None:
    text = comparison_text(compare_runs([runs / "a"], pairing="all"), 10)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "\x1b" not in text
