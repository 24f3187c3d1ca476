"""The broken strategies, importable as ``broken:NAME``, as a user's own file would be, and the
run's plug-ins that misbehave, as ``misbehaving:NAME``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (Path(__file__).parents[1] / "running", Path(__file__).parent):
        monkeypatch.syspath_prepend(str(folder))
    for name in ("broken", "misbehaving"):
        monkeypatch.delitem(sys.modules, name, raising=False)
