"""Killed runs go on where they stopped: no question lost, none asked twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.running.folder import RunFolder
from memorycode.running.lines import drop_half_line

COMMAND = [
    *(sys.executable, "-m", "memorycode", "run", "--model", "plugins:SlowMentee"),
    *("--strategy", "cumulative", "--strategy", "rolling_summary", "--json", "--concurrency", "2"),
]
KILLS = int(os.environ.get("MEMORYCODE_KILLS", "5"))
LONG_PROOF = "MEMORYCODE_KILLS" in os.environ


def _start(
    dataset: Path, out: Path, delay: float, backend: str = "threads"
) -> subprocess.Popen[str]:
    environment = os.environ | {
        "PYTHONPATH": str(Path(__file__).parent),
        "MENTEE_DELAY": str(delay),
    }
    command = [*COMMAND, "--dataset", str(dataset), "--out", str(out), "--backend", backend]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)


def _finish(dataset: Path, out: Path, backend: str = "threads") -> dict[str, Any]:
    process = _start(dataset, out, 0, backend)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    result: dict[str, Any] = json.loads(stdout)
    return result


def _comparable(out: Path) -> list[str]:
    """The latest records without what a clock decides or how often they were asked, in order."""
    return sorted(
        r.model_dump_json(exclude={"latency", "attempt"}) for r in RunFolder(out).records()
    )


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
    return [1, 9, 30, *(rng.randrange(0, 60) for _ in range(KILLS - 3))]


def _kill(process: subprocess.Popen[str], out: Path, after: int) -> set[int]:
    """Kill the process that writes the run once there are so many records; those below it."""
    deadline = time.monotonic() + 120
    while _lines(out / "asked.jsonl") < after and time.monotonic() < deadline:
        time.sleep(0.002)
    below = _below(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    with process:  # its pipes are closed, and nobody reads from them what others may write
        process.wait(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert after <= _lines(out / "asked.jsonl") < 64
    return below


@pytest.mark.parametrize("after", _kill_points())
def test_a_killed_run_ends_with_the_records_of_a_whole_one(
    dataset: Path, whole: Path, tmp_path: Path, after: int
) -> None:
    out = tmp_path / "killed"
    _kill(_start(dataset, out, 0.05), out, after)
    result = _finish(dataset, out)
    assert [row["failed"] for row in result["strategies"].values()] == [0, 0]
    assert _comparable(out) == _comparable(whole)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("after", _kill_points() if LONG_PROOF else [9])
def test_a_killed_run_on_ray_leaves_nothing_behind_and_ends_with_the_same_records(
    dataset: Path, whole: Path, tmp_path: Path, after: int
) -> None:
    """Threads take it up, and in the long proof Ray does."""
    out = tmp_path / "killed"
    below = _kill(_start(dataset, out, 0.05, "ray"), out, after)
    assert len(below) >= 4  # two servers and two workers
    result = _finish(dataset, out, "ray" if LONG_PROOF else "threads")
    assert [row["failed"] for row in result["strategies"].values()] == [0, 0]
    assert _comparable(out) == _comparable(whole)
    deadline = time.monotonic() + 60
    while left := below & _parents().keys():
        # Ray's own agents try for a minute to tell the dead server that it is dead.
        if all(map(_is_agent, left)):
            break
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def _is_agent(pid: int) -> bool:
    try:
        return b"Agent" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has just gone
        return True


def _parents() -> dict[int, int]:
    """The parent of each process that is alive."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                found[int(folder.name)] = int(parent)
    return found


def _below(pid: int) -> set[int]:
    """The processes that a process has started, and those that they have."""
    children = {child for child, parent in _parents().items() if parent == pid}
    return children.union(*map(_below, children))


def test_ctrl_c_keeps_what_there_is_and_says_how_to_go_on(
    dataset: Path, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "interrupted"
    process = _start(dataset, out, 0.05)
    deadline = time.monotonic() + 120
    while _lines(out / "asked.jsonl") < 3 and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "the same command goes on from here" in stderr
    assert "stopped by KeyboardInterrupt; in all" in (out / "run.log").read_text()
    assert 3 <= _lines(out / "asked.jsonl") < 64
    _finish(dataset, out)
    assert _comparable(out) == _comparable(whole)


def test_a_half_written_last_line_is_asked_again(
    dataset: Path, whole: Path, tmp_path: Path
) -> None:
    out = tmp_path / "torn"
    _finish(dataset, out)
    for name in ("asked.jsonl", "contexts.jsonl", "tasks.jsonl"):
        data = (out / name).read_bytes()
        (out / name).write_bytes(data[: len(data) // 2])
    assert len(list(RunFolder(out).records())) == _lines(out / "asked.jsonl") < 64
    _finish(dataset, out)
    assert _comparable(out) == _comparable(whole)


def test_a_finished_run_asks_nothing(dataset: Path, whole: Path) -> None:
    before = (whole / "asked.jsonl").read_bytes()
    _finish(dataset, whole)
    assert (whole / "asked.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "kept"),
    [(b"", b""), (b"a\nb\n", b"a\nb\n"), (b"a\nb", b"a\n"), (b"ab", b"")],
)
def test_cutting_keeps_whole_lines(tmp_path: Path, content: bytes, kept: bytes) -> None:
    file = tmp_path / "lines"
    file.write_bytes(content)
    drop_half_line(file)
    assert file.read_bytes() == kept


def test_cutting_finds_a_line_end_far_back(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b"a\n" + b"x" * 200_000)
    drop_half_line(file)
    assert file.read_bytes() == b"a\n"
