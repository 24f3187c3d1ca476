"""On the published data a flawless reader comes close to what the data admits.

On every third dialogue, and with ``MEMORYCODE_SLOW=1`` on all of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memorycode import evaluate, load_dataset
from memorycode.audit.ceiling import Ceilings
from memorycode.dialogue import Dialogue, Setting
from memorycode.results.summary import RunReport
from memorycode.scoring.official import OfficialScorer

ALL = bool(os.environ.get("MEMORYCODE_SLOW"))


@pytest.fixture(scope="module")
def dialogues(release: Path) -> tuple[Dialogue, ...]:
    return load_dataset(release / "dataset")[:: 1 if ALL else 3]


def _mean(report: RunReport, strategy: str, column: str) -> float:
    mean = report.as_json()["strategies"][strategy][column]["mean"]
    assert isinstance(mean, float)
    return mean


@pytest.mark.parametrize(("setting", "bar"), [("instruction", 0.999), ("session", 0.99)])
def test_a_rule_or_a_session_alone(
    dialogues: tuple[Dialogue, ...], tmp_path: Path, setting: Setting, bar: float
) -> None:
    report = evaluate(dialogues, strategies=["full_history"], setting=setting, out=tmp_path)
    assert not report.has_failures
    assert _mean(report, "full_history", setting) >= bar


def test_the_whole_history_and_none(dialogues: tuple[Dialogue, ...], tmp_path: Path) -> None:
    strategies = ["no_memory", "full_history", "instruction_chain"]
    report = evaluate(dialogues, strategies=strategies, out=tmp_path)
    assert not report.has_failures
    assert _mean(report, "full_history", "short_history") >= 0.985
    assert _mean(report, "full_history", "long_history") >= 0.94
    for column in ("short_history", "long_history"):
        assert _mean(report, "no_memory", column) <= 0.03
    # What it is on all dialogues is told in tests/audit/test_release.py.
    ceiling = Ceilings(OfficialScorer()).overall(dialogues).model_dump()
    for column in ("short_history", "long_history"):
        assert _mean(report, "instruction_chain", column) == pytest.approx(
            ceiling[column], abs=0.002
        )
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert size < 100e6 / 300 * len(dialogues)
