"""`memorycode export`: runs as files for other tools, and what became of the old call."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from memorycode import evaluate
from memorycode.cli.app import make_app
from memorycode.datasets import write_dataset
from memorycode.errors import RunFolderError, UsageError
from tests.conftest import make_dialogue


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("runs")
    for name in ("a", "b"):
        strategies = ["no_memory", "full_history"]
        evaluate([make_dialogue(7)], strategies=strategies, out=folder / name)
    write_dataset([make_dialogue(7)], folder / "data")
    return folder


def export(*arguments: object) -> str:
    done = CliRunner().invoke(make_app(), ["export", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


def test_rows_of_several_runs_follow_one_another(runs: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(export(runs / "a", runs / "b"))))
    assert [row["run"] for row in rows] == [str(runs / "a")] * 4 + [str(runs / "b")] * 4
    assert {row["score_strict"] for row in rows if row["strategy"] == "full_history"} == {"1.0"}


def test_json_lines_have_a_rule_each(runs: Path) -> None:
    text = export(runs / "a", "--level", "rules", "--format", "jsonl")
    rows = [json.loads(line) for line in text.splitlines()]
    assert len(rows) == 8
    assert {row["text"] for row in rows} == {"rule 6.1", "rule 23.0"}


def test_parquet_goes_to_a_file(runs: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.parquet"
    export(runs / "a", "--level", "strategies", "--format", "parquet", "--out", file)
    assert parquet.read_table(file).column("strategy").to_pylist() == ["no_memory", "full_history"]
    with pytest.raises(UsageError, match="say which by --out FILE"):
        export(runs / "a", "--format", "parquet")


def test_data_sets_have_a_command_of_their_own(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"data set and no run; `memorycode dataset export"):
        export(runs / "data", "--out", tmp_path / "rows")
    assert not (tmp_path / "rows").exists()


def test_what_is_neither_is_named(runs: Path) -> None:
    with pytest.raises(RunFolderError, match="nowhere: no run here"):
        export(runs / "nowhere")
    with pytest.raises(UsageError, match="named twice"):
        export(runs / "a", runs / "a")
