"""The wheel holds the five top-level names, data included, and nothing of the source tree else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMES = {"memorycode", "memory_strategies", "baselines", "experiments", "seeds"}


def test_the_wheel_has_the_five_names_with_their_data(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    files = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in files if ".dist-info/" not in name}
    assert top == NAMES
    for data in ("seeds/instructions.toml", "experiments/demo.toml", "memorycode/py.typed"):
        assert data in files
    assert "memorycode/generation/presets.toml" in files


def test_the_project_speaks_of_itself_alone() -> None:
    listed = subprocess.run(["git", "ls-files"], check=False, capture_output=True, cwd=ROOT)
    tracked = listed.stdout.decode().split()
    if not tracked:
        pytest.skip("this is no git checkout")
    for name in tracked:
        if name not in (".ci/run", "tests/test_package.py") and (ROOT / name).is_file():
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            for foreign in ("../shared", "/work/", "acceptance.py", "subagent"):
                assert foreign not in text, f"{name} names {foreign}"
