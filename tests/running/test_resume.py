"""Killed runs go on where they stopped: no question lost, none asked twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.running.folder import RunFolder, cut_half_line

COMMAND = [
    *(sys.executable, "-m", "memorycode", "run", "--model", "plugins:SlowMentee"),
    *("--strategy", "cumulative", "--strategy", "rolling_summary", "--json", "--concurrency", "2"),
]


def _start(dataset: Path, out: Path, delay: float) -> subprocess.Popen[str]:
    environment = os.environ | {
        "PYTHONPATH": str(Path(__file__).parent),
        "MENTEE_DELAY": str(delay),
    }
    command = [*COMMAND, "--dataset", str(dataset), "--out", str(out)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)


def _finish(dataset: Path, out: Path) -> dict[str, Any]:
    process = _start(dataset, out, 0)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    result: dict[str, Any] = json.loads(stdout)
    return result


def _comparable(out: Path) -> list[str]:
    """The records without what a clock decides, in order of their ids."""
    return sorted(r.model_dump_json(exclude={"latency"}) for r in RunFolder(out).records())


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.fixture
def dataset(small_dialogue: Dialogue, tmp_path: Path) -> Path:
    dialogues = [small_dialogue.model_copy(update={"number": n}) for n in range(1, 9)]
    write_dataset(dialogues, tmp_path / "dataset")
    return tmp_path / "dataset"


@pytest.fixture
def whole(dataset: Path, tmp_path: Path) -> Path:
    _finish(dataset, tmp_path / "whole")
    return tmp_path / "whole"


def _kill_points() -> list[int]:
    """After how many records to kill: early, somewhere, late; more of them for the long proof."""
    rng = random.Random(20)
    extra = int(os.environ.get("MEMORYCODE_KILLS", "3")) - 3
    return [1, 9, 30, *(rng.randrange(0, 60) for _ in range(extra))]


@pytest.mark.parametrize("after", _kill_points())
def test_a_killed_run_ends_with_the_records_of_a_whole_one(
    dataset: Path, whole: Path, tmp_path: Path, after: int
) -> None:
    out = tmp_path / "killed"
    process = _start(dataset, out, 0.01)
    deadline = time.monotonic() + 60
    while _lines(out / "records.jsonl") < after and time.monotonic() < deadline:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert after <= _lines(out / "records.jsonl") < 64
    result = _finish(dataset, out)
    assert [row["failed"] for row in result["strategies"].values()] == [0, 0]
    assert _comparable(out) == _comparable(whole)


def test_ctrl_c_keeps_what_there_is_and_says_how_to_go_on(
    dataset: Path, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "interrupted"
    process = _start(dataset, out, 0.05)
    deadline = time.monotonic() + 60
    while _lines(out / "records.jsonl") < 3 and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from here" in stderr
    assert "stopped by KeyboardInterrupt; in all" in (out / "run.log").read_text()
    assert 3 <= _lines(out / "records.jsonl") < 64
    _finish(dataset, out)
    assert _comparable(out) == _comparable(whole)


def test_a_half_written_last_line_is_asked_again(
    dataset: Path, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "torn"
    _finish(dataset, out)
    for name in ("records.jsonl", "contexts.jsonl", "tasks.jsonl"):
        data = (out / name).read_bytes()
        (out / name).write_bytes(data[: len(data) // 2])
    assert len(list(RunFolder(out).records())) == _lines(out / "records.jsonl") < 64
    _finish(dataset, out)
    assert _comparable(out) == _comparable(whole)


def test_a_finished_run_asks_nothing(dataset: Path, whole: Path) -> None:
    before = (whole / "records.jsonl").read_bytes()
    _finish(dataset, whole)
    assert (whole / "records.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "kept"),
    [(b"", b""), (b"a\nb\n", b"a\nb\n"), (b"a\nb", b"a\n"), (b"ab", b"")],
)
def test_cutting_keeps_whole_lines(tmp_path: Path, content: bytes, kept: bytes) -> None:
    file = tmp_path / "lines"
    file.write_bytes(content)
    cut_half_line(file)
    assert file.read_bytes() == kept


def test_cutting_finds_a_line_end_far_back(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"a\n" + b"x" * 200_000)
    cut_half_line(file)
    assert file.read_bytes() == b"a\n"
