"""`memorycode new-strategy`: a package that is right from the start, or no folder at all."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from memorycode.conformance.kit import check_strategy
from memorycode.conformance.subject import Conditions
from memorycode.errors import UsageError
from memorycode.scaffold import write_package
from tests.commands import run_command


def test_the_package_names_its_strategy(tmp_path: Path) -> None:
    folder = write_package("my_rules", tmp_path / "here")
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["memorycode.strategies"]
    assert points == {"my_rules": "my_rules.memory:MyRules"}
    assert project["project"]["name"] == "my-rules"
    for file in folder.rglob("*"):
        assert file.is_dir() or "@" not in file.read_text()
    readme = (folder / "README.md").read_text()
    assert readme.count("\n$ ") == 4


def test_the_strategy_passes_every_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_package("my_rules", tmp_path / "my_rules")
    monkeypatch.syspath_prepend(str(folder / "src"))
    report = check_strategy(Conditions(spec="my_rules.memory:MyRules:limit=500"))
    assert {f.name: f.saw for f in report.findings if f.failed} == {}


@pytest.mark.parametrize("tool", [("ruff", "check"), ("ruff", "format", "--check"), ("mypy",)])
def test_it_is_clean_and_typed(tmp_path: Path, tool: tuple[str, ...]) -> None:
    folder = write_package("my_rules", tmp_path / "my_rules")
    command = [sys.executable, "-m", *tool, *(() if tool == ("mypy",) else (".",))]
    environment = os.environ | {"MYPYPATH": "src", "RUFF_NO_CACHE": "true"}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=folder, env=environment
    )
    if "No module named" in done.stderr:
        pytest.skip(f"{tool[0]} is not installed: it comes with the extra dev")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("My-Rules", "'My-Rules' is no name for a strategy: .*; my_rules would do"),
        ("MyRules", "my_rules would do"),
        ("my__rules", "my_rules would do"),
        ("my rules", "my_rules would do"),
        ("9", "no name for a strategy"),
        ("", "no name for a strategy"),
        ("../up", "; up would do"),
        ("class", "no word of Python's$"),
        ("rag", "a strategy named rag is installed already"),
        ("json", "a module named json can be imported already"),
        ("pip", "a module named pip can be imported already"),
        ("bpe_openai", "installed already|imported already"),
    ],
)
def test_a_name_that_is_wrong_or_taken_is_refused(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        write_package(name, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "file").write_text("mine")
    for taken in ("mine", "file"):
        with pytest.raises(UsageError, match="is there already; name another folder"):
            write_package("my_rules", tmp_path / taken)
    with pytest.raises(UsageError, match="no such folder to make new in"):
        write_package("my_rules", tmp_path / "nowhere" / "new")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "mine"]


def test_nothing_half_written_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageError, match="new: cannot be written: No space left"):
        write_package("my_rules", tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_it_or_says_why_not(tmp_path: Path) -> None:
    first, second = (run_command("new-strategy", "my_rules", cwd=tmp_path) for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert (tmp_path / "my_rules" / "README.md").is_file()
    assert second.returncode == 2
    assert second.stderr == (
        "memorycode: my_rules is there already; name another folder with --out\n"
    )
