"""Figures from the command line: by an experiment's bare name, from recorded outputs, from runs."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memorycode.cli.app import main
from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.experiment import load_experiment, shipped_experiments
from memorycode.results.figures.catalogue import FIGURES

HEAVY = ("vl_convert", "scipy")


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Call = Callable[..., Done]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command line in this process, which has imported everything already."""

    def run(*arguments: object, cwd: Path) -> Done:
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["memorycode", *map(str, arguments)])
        monkeypatch.setattr(sys, "path", [*sys.path])
        monkeypatch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        return Done(int(left.value.code or 0), said.out, said.err)

    return run


def table(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture
def clone(small_dialogue: Dialogue, tmp_path: Path) -> Path:
    """A data set with two models' outputs beside it, one of which has no answer to one question."""
    write_dataset([small_dialogue], tmp_path / "clone" / "dataset")
    good = "def w_add(a):\n    '''Add.'''\n    return a\n"
    for model, answers in (("good", [good, good]), ("lazy", ["def add(a):\n    return a\n"])):
        folder = tmp_path / "clone" / "outputs" / model
        folder.mkdir(parents=True)
        nothing: dict[str, Any] = {
            f"{setting}_model_output": [] for setting in ("history", "session", "instruction")
        }
        last = nothing | {"history_model_output": answers}
        (folder / "output_7.json").write_text(json.dumps({"sessions": [nothing] * 3 + [last]}))
    return tmp_path / "clone"


def test_an_experiment_by_its_bare_name_draws_its_figure(call: Call, tmp_path: Path) -> None:
    done = call("run", "figure_4", "--limit", 2, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "out/figures/by_sessions.pdf" in done.stdout
    files = sorted(file.name for file in (tmp_path / "out" / "figures").iterdir())
    kinds = ("csv", "pdf", "png", "svg")
    assert files == [f"by_sessions.{kind}" for kind in kinds]
    # Drawn again from the run, it is the same.
    again = call("figures", "out", "--out", "again", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    for name in files:
        first, second = tmp_path / "out" / "figures" / name, tmp_path / "again" / name
        assert first.read_bytes() == second.read_bytes()
    rows = json.loads(again.stdout)["figures"]["by_sessions"]["rows"]
    shown = [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]
    assert shown == table(tmp_path / "again" / "by_sessions.csv")


def test_recorded_outputs_are_drawn_without_asking_anybody(
    call: Call, clone: Path, tmp_path: Path
) -> None:
    replayed = ("--replay", clone / "outputs", "--out", "out")
    done = call("run", "figure_4", *replayed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Questions without an answer, left out: 1 missing." in " ".join(done.stdout.split())
    rows = table(tmp_path / "out" / "figures" / "by_sessions.csv")
    assert [(row["label"], row["sessions"], row["mean"]) for row in rows] == [
        ("good", "4", "1.0"),
        ("lazy", "4", "0.0"),
    ]
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["figures"]


def test_parts_are_runs_of_their_own(call: Call, clone: Path, tmp_path: Path) -> None:
    done = call("run", "table_4", "--dataset", clone, "--out", "out", "--latex", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for setting in ("instruction", "session", "history"):
        assert (tmp_path / "out" / setting / "manifest.json").is_file()
    rows = table(tmp_path / "out" / "figures" / "settings.csv")
    assert [row["setting"] for row in rows] == ["instruction", "session", "short history"]
    assert done.stdout.rstrip().endswith(r"\end{tabular}")


def test_a_table_about_the_data_asks_nobody(call: Call, clone: Path, tmp_path: Path) -> None:
    done = call("run", "table_2", "--dataset", clone, "--out", "out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = {
        row["parameter"]: row["mean"]
        for row in json.loads(done.stdout)["figures"]["dataset"]["rows"]
    }
    assert (rows["sessions"], rows["instructions"]) == (4, 3)
    assert not (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("demo", "--replay", "outputs/good"), "names none"),
        (("pareto", "--replay", "outputs/good"), "--model replay/DIR instead"),
        (("figure_4", "--replay", "outputs/nobody"), "no such folder of recorded outputs"),
        (("figure_4", "--replay", "outputs/good", "--replay", "outputs/good"), "are named good"),
        (("table_4", "--setting", "session"), "the experiment's parts"),
        (("figure_4", "--replay", "outputs/good", "--model", "ideal-mentee"), "asks nobody"),
        (("demo", "--latex"), "names none"),
        (("table_2", "--dry-run"), "asks nobody"),
        (("figure_4", "--replay", "outputs/good", "--replay", "../other/outputs/third"), " or "),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(
    call: Call, clone: Path, arguments: tuple[str, ...], said: str
) -> None:
    other = clone.parent / "other"
    shutil.copytree(clone, other)
    (other / "outputs" / "good").rename(other / "outputs" / "third")
    done = call("run", *arguments, cwd=clone)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (clone / "runs").exists()


def test_a_folder_without_outputs_is_named_before_its_dialogues(call: Call, tmp_path: Path) -> None:
    done = call("run", "figure_4", "--replay", "nowhere", cwd=tmp_path)
    assert done.returncode == 1
    assert "nowhere: no such folder of recorded outputs" in done.stderr


def test_what_was_asked_is_told_though_a_figure_cannot_be_drawn(
    call: Call, clone: Path, tmp_path: Path
) -> None:
    done = call("run", "position", "--dataset", clone, "--out", "out", "--json", cwd=tmp_path)
    assert done.returncode == 2
    assert "10 sessions" in done.stderr
    assert json.loads(done.stdout)["strategies"]["full_history"]["answered"] == 2


def test_a_figure_that_does_not_exist_is_named_with_those_that_do(
    call: Call, tmp_path: Path
) -> None:
    done = call("figures", "run", "--figure", "nonsense", cwd=tmp_path)
    assert done.returncode == 2
    assert "'nonsense'" in done.stderr and "by_sessions" in done.stderr


def test_every_shipped_experiment_names_figures_that_there_are() -> None:
    drawn = set()
    for name in shipped_experiments():
        experiment = load_experiment(name)
        assert set(experiment.figures) <= FIGURES.keys(), name
        assert [folder for folder, _ in experiment.runs()]
        drawn |= set(experiment.figures)
    assert drawn == FIGURES.keys()


def test_help_loads_neither_the_converter_nor_scipy(tmp_path: Path) -> None:
    code = (
        "import sys, contextlib, io\n"
        "from memorycode.cli.app import make_app\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "    make_app()(['figures', '--help'])\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout == "[]\n"
