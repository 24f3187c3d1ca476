"""`memorycode compare`: for people, for machines, and for those who get it wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from memorycode import evaluate
from tests.conftest import make_dialogue
from tests.test_cli import call, call_json


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    dialogues = [make_dialogue(number) for number in range(1, 13)]
    evaluate(dialogues, strategies=["no_memory", "full_history"], out=folder / "a")
    evaluate(dialogues, strategies=["full_history"], context_budget=30, out=folder / "b")
    return folder


def test_machines_get_differences_and_all_flips(runs: Path) -> None:
    found = call_json("compare", "a", "b", "--pairs", "same", "--flips", 1, "--json", cwd=runs)
    (pair,) = found["pairs"]
    assert (pair["first"]["run"], pair["second"]["run"]) == ("a", "b")
    scores = pair["scores"]["strict"]["short_history"]
    assert (scores["first"], scores["second"]) == (1.0, 0.0)
    assert scores["comparison"]["difference"]["mean"] == -1.0
    assert scores["comparison"]["losses"] == 12
    assert scores["p_holm"] == scores["comparison"]["p"] < 0.001
    assert len(pair["flips"]["lost"]) == 24
    assert found["differing"] == {"context_budget": ["none", "30"]}


def test_people_get_a_table_that_fits(runs: Path) -> None:
    done = call("compare", "a", cwd=runs)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "full_history" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("b",), "b has one row only"),
        (("a", "nowhere"), "nowhere: no run here"),
    ],
)
def test_wrong_use_is_told_in_a_line(runs: Path, arguments: tuple[str, ...], message: str) -> None:
    done = call("compare", *arguments, cwd=runs)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
