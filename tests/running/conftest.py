"""What the runner's tests share: their plug-ins, and a row of a report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memorycode.results.summary import RunReport


@pytest.fixture(autouse=True)
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test plug-ins, importable as ``plugins:NAME`` and ``misbehaving:NAME``, as a user's own
    file would be."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    for name in ("plugins", "misbehaving"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.fixture
def row_of() -> Callable[..., dict[str, object]]:
    """The JSON of one strategy's row, the first unless another is wanted."""

    def row(report: RunReport, number: int = 0) -> dict[str, object]:
        rows: list[dict[str, object]] = list(report.as_json()["strategies"].values())
        return rows[number]

    return row
