"""The project speaks of itself and of no place that it was made in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


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
