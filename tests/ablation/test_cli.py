"""`memorycode retrieve`: JSON for machines, a table for people, exit status 2 for wrong use."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memorycode.ablation.measures import MEASURES
from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from tests.commands import run_command


def call(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_command("retrieve", *arguments, cwd=cwd, env=os.environ | {"NO_COLOR": "1"})


@pytest.fixture
def dataset(small_dialogue: Dialogue, tmp_path: Path) -> Path:
    second = small_dialogue.model_copy(
        update={"number": 8, "sessions": small_dialogue.sessions[:3]}
    )
    write_dataset([small_dialogue, second], tmp_path / "data")
    return tmp_path / "data"


def test_json_is_a_list_of_cells(dataset: Path, tmp_path: Path) -> None:
    chosen = ("--query", "task", "--query", "vocabulary", "--k", "dynamic", "--k", "1")
    done = call("--dataset", dataset, *chosen, "--workers", "1", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    cells = json.loads(done.stdout)
    assert [(cell["query"], cell["k"]) for cell in cells] == [
        ("task", "dynamic"),
        ("task", "1"),
        ("vocabulary", "dynamic"),
        ("vocabulary", "1"),
    ]
    for cell in cells:
        assert (cell["retriever"], cell["unit"], cell["speaker"]) == ("bm25", "session", "all")
        assert cell["oracle"] is (cell["k"] == "dynamic")
        assert cell["informed"] is (cell["query"] == "vocabulary")
        assert set(cell["measures"]) == set(MEASURES)
        assert set(cell["errors"]) == set(MEASURES)
        assert cell["dialogues"] == 2
        assert {n: set(found) for n, found in cell["by_sessions"].items()} == {
            "3": set(MEASURES),
            "4": set(MEASURES),
        }
    assert cells[2]["measures"]["rule_recall"] == 1


def test_people_get_a_table_with_what_the_marks_mean(dataset: Path, tmp_path: Path) -> None:
    chosen = ("--query", "task", "--query", "objects", "--k", "dynamic", "--k", "cliff")
    done = call("--dataset", dataset, *chosen, "--workers", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "retriever bm25, unit session, speaker all" in " ".join(done.stdout.split())
    assert "◆ oracle" in done.stdout
    assert "* informed: the query knows what kinds of rules" in done.stdout
    assert "Mean over 2 dialogues" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_a_shipped_grid_is_measured_and_an_option_replaces_its_list(
    dataset: Path, tmp_path: Path
) -> None:
    alone = ("--workers", "1", "--json")
    done = call("--dataset", dataset, "--grid", "appendix_d", "--k", "1", *alone, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)
    assert {cell["k"] for cell in cells} == {"1"}
    assert [cell["query"] for cell in cells] == ["task", "guidelines", "vocabulary"]


def test_what_was_kept_is_replayed(dataset: Path, tmp_path: Path) -> None:
    arguments = ("--dataset", dataset, "--workers", "1", "--json")
    done = call(*arguments, "--out", "kept", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    kept = call(*arguments, "--retriever", "kept:folder=kept", cwd=tmp_path)
    assert kept.returncode == 0, kept.stderr
    first, again = (json.loads(one.stdout)[0]["measures"] for one in (done, kept))
    assert first | {"milliseconds": 0} == again | {"milliseconds": 0}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("--query", "model"), "asks a language model"),
        (("--query", "tasks"), "query[0]: want 'task'"),
        (("--unit", "page"), "it is session, exchange, turn or window"),
        (("--k", "0"), "whole number from 1 on"),
        (("--speaker", "Ada"), "want 'all' or 'mentor'"),
        (("--retriever", "nothing"), "no retriever named 'nothing'"),
        (("--retriever", "chance:seed=x"), "'x' does not fit"),
        (("--retriever", "kept:folder=nowhere"), "rankings.jsonl: cannot be read"),
        (("--grid", "nothing"), "neither a TOML file nor an experiment"),
        (("--grid", "demo"), "no table [grid]"),
        (("--workers", "0"), "--workers"),
        (("--out", "data"), "rankings cannot be kept here"),
    ],
)
def test_wrong_use_is_told_in_a_line_and_exits_2(
    dataset: Path, tmp_path: Path, wrong: tuple[str, str], message: str
) -> None:
    (tmp_path / "out").write_text("")
    given = tuple("out" if word == "data" else word for word in wrong)
    done = call("--dataset", dataset, *given, cwd=tmp_path)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_k_that_takes_all_is_told_below_the_table(dataset: Path, tmp_path: Path) -> None:
    chosen = ("--k", "9999", "--k", "1", "--workers", "1")
    done = call("--dataset", dataset, *chosen, cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert "k 9999: every unit there is was taken for 100% of the questions" in said
    assert "k 1: every unit" not in said


@pytest.mark.parametrize("k", ["101%", "0%", "-5%", "nan%"])
def test_a_share_out_of_its_range_is_refused_wherever_it_stands(k: str, tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(f'[grid]\nk = ["{k}"]\n')
    for arguments in ([f"--k={k}"], ["--grid", "grid.toml"]):
        done = call(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"k is '{k}'; a share is above 0% and at most 100%" in " ".join(done.stderr.split())
