"""What a stranger has who never sees the source tree: the wheel, a package of one's own, the page.

The stranger's environment is a fresh one with the project's wheel. Its third-party libraries are
links to those of the environment that runs the tests: installing them anew would take minutes and a
network, and say nothing about the project. Not that whole folder is made visible, for the project's
own metadata (and, if editable, the way to the source tree) are in there; links leave them out.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMES = {"memorycode", "memory_strategies", "baselines", "experiments", "seeds"}
PAGE = ROOT / "docs" / "your-own-memory.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)

_FOLDERS = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
_PIP = ("--no-index", "--no-build-isolation", "--disable-pip-version-check", "--quiet")


def _build_wheel(project: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, check=True, capture_output=True, cwd=project)
    (wheel,) = folder.glob("*.whl")
    return wheel


class Stranger:
    """A fresh environment in a folder."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.python = folder / "bin" / "python"
        links = folder / "third-party"
        links.mkdir()
        for entry in (entry for found in _FOLDERS for entry in Path(found).iterdir()):
            is_ours = entry.name.split("-")[0] in NAMES or entry.suffix == ".pth"
            if not is_ours and not (links / entry.name).exists():
                (links / entry.name).symlink_to(entry)
        (site,) = folder.glob("lib/python*/site-packages")
        (site / "third-party.pth").write_text(f"{links}\n")

    def run(self, *words: object, cwd: Path) -> str:
        """What a command prints; `memorycode`, `pip` and `pytest` are those of the environment."""
        command, *rest = map(str, words)
        here = {
            "memorycode": [str(self.python.parent / "memorycode")],
            "pip": [sys.executable, "-m", "pip", "--python", str(self.python)],
            "python": [str(self.python)],
            "pytest": [str(self.python), "-m", "pytest", "-p", "no:cacheprovider"],
        }
        if command == "pip":
            rest[1:1] = _PIP
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        done = subprocess.run(
            [*here[command], *rest],
            check=False,
            capture_output=True,
            text=True,
            cwd=cwd,
            env=environment | {"COLUMNS": "100"},
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def stranger(wheel: Path, tmp_path: Path) -> Stranger:
    found = Stranger(tmp_path / "environment")
    found.run("pip", "install", "--no-deps", wheel, cwd=tmp_path)
    return found


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def test_the_wheel_has_the_five_names_with_their_data(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in files}
    assert {name for name in top if not name.endswith(".dist-info")} == NAMES
    assert len(top) == len(NAMES) + 1
    for data in ("seeds/instructions.toml", "experiments/demo.toml", "memorycode/py.typed"):
        assert data in files
    assert "memorycode/generation/presets.toml" in files
    assert "memorycode/scaffold/templates/pyproject.toml.txt" in files


def test_a_package_of_ones_own_gets_its_row(stranger: Stranger, empty: Path) -> None:
    where = stranger.run("python", "-c", "import memorycode; print(memorycode.__file__)", cwd=empty)
    assert Path(where.strip()).is_relative_to(stranger.python.parents[1])
    stranger.run("memorycode", "new-strategy", "my_rules", "--out", "../written", cwd=empty)
    own = _build_wheel(empty.parent / "written", empty.parent / "dist")
    stranger.run("pip", "install", "--no-deps", own, cwd=empty)
    assert list(empty.iterdir()) == []
    chosen = ("--strategy", "my_rules", "--strategy", "full_history", "--limit", "3")
    table = stranger.run("memorycode", "run", *chosen, cwd=empty)
    rows = [line.split()[0] for line in table.splitlines() if line.strip()]
    assert {"my_rules", "full_history"} <= set(rows)


def test_the_page_on_ones_own_memory_can_be_followed(stranger: Stranger, empty: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    files = {"quoted_rules.py": "class QuotedRules:", "test_quoted_rules.py": "StrategyContract"}
    for name, sign in files.items():
        (body,) = [body for language, body in blocks if language == "python" and sign in body]
        (empty / name).write_text(body)
    lines = [
        line for language, body in blocks if language == "console" for line in body.split("\n")
    ]
    commands = [line.removeprefix("$ ") for line in lines if line]
    assert len(commands) == len([line for line in lines if line.startswith("$ ")]) >= 9
    said = [stranger.run(*shlex.split(command), cwd=empty) for command in commands]
    assert "0 failed ✗" in said[0]
    assert "quoted_memory" in said[-1]
