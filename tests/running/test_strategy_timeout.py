"""A strategy that hangs costs its dialogue, and neither the others nor the end of the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memorycode.conformance.stand_ins import HashedWords
from memorycode.datasets.release import write_dataset
from memorycode.dialogue import Dialogue
from memorycode.errors import StrategyHung
from memorycode.evaluation import evaluate
from memorycode.protocols import Completion, Prompt
from memorycode.results.summary import RunReport
from memorycode.running.counted_model import CountedModel
from memorycode.running.execution import BackendName
from memorycode.running.folder import RunFolder
from memorycode.running.strategy_calls import CallsInThread
from tests.commands import complaints

HELD = ("Sleeping", "Locked", "InC", "Asking")
"""As many as may be left behind."""


@pytest.fixture(autouse=True)
def fresh_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "hanging", raising=False)


def _outcomes(report: RunReport) -> list[tuple[int, dict[str, int]]]:
    return [(row.answered, dict(row.failed)) for row in report.rows]


def _missing(report: RunReport) -> list[int]:
    return [row.missing for row in report.rows]


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_what_hangs_costs_its_dialogue_alone(
    small_dialogue: Dialogue, tmp_path: Path, backend: BackendName
) -> None:
    """Asleep in Python or in C, at a lock, or asking for ever; what came before it is kept."""
    report = evaluate(
        [small_dialogue],
        strategies=[*(f"hanging:{name}" for name in HELD), "cumulative"],
        models=["hanging:Counting"],
        strategy_timeout=3,
        backend=backend,
        concurrency=2,
        out=tmp_path,
    )
    assert _outcomes(report) == [(1, {"strategy_timeout": 5})] * 4 + [(6, {})]
    assert report.stopped == ""
    failed = [record for record in RunFolder(tmp_path).records() if record.failed]
    assert not any(record.was_sent for record in failed)
    assert {record.error for record in failed} == {
        f"hanging:{name}, dialogue 7, observing session 1: took longer than 3 s "
        "(--strategy-timeout)"
        for name in HELD
    }


def test_what_hangs_with_the_whole_process_is_ended(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    """No thread beside it runs any more, so no other process can be told by one."""
    report = evaluate(
        [small_dialogue],
        strategies=["hanging:HoldingAll", "cumulative"],
        strategy_timeout=3,
        backend="processes",
        concurrency=1,
        out=tmp_path,
    )
    assert _outcomes(report) == [(1, {"strategy_timeout": 5}), (6, {})]


def test_a_cluster_ends_what_hangs(small_dialogue: Dialogue, tmp_path: Path) -> None:
    from memorycode.running.backends.ray_cluster import connected

    with connected(None, 2):
        report = evaluate(
            [small_dialogue],
            strategies=["hanging:Sleeping", "hanging:HoldingAll", "cumulative"],
            strategy_timeout=5,
            backend="ray",
            out=tmp_path,
        )
    assert _outcomes(report) == [(1, {"strategy_timeout": 5})] * 2 + [(6, {})]


def test_after_a_recall_that_hangs_nothing_is_asked(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    report = evaluate(
        [small_dialogue],
        strategies=["hanging:Sleeping:at=recall"],
        strategy_timeout=2,
        out=tmp_path,
    )
    assert _outcomes(report) == [(1, {"strategy_timeout": 5})]
    errors = {record.error for record in RunFolder(tmp_path).records() if record.failed}
    assert len(errors) == 1
    assert "recalling after session 1: took longer than 2 s" in errors.pop()


def test_the_fifth_stops_the_run_and_processes_go_on(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    """With another bound and other workers what failed is asked again."""
    dialogues = [small_dialogue.model_copy(update={"number": number}) for number in range(1, 8)]
    run: dict[str, Any] = {"strategies": ["hanging:Sleeping"], "out": tmp_path}
    report = evaluate(dialogues, strategy_timeout=1, concurrency=1, **run)
    assert "4 threads left behind already" in report.stopped
    assert "--backend processes" in report.stopped
    assert _outcomes(report) == [(5, {"strategy_timeout": 4 * 5 + 1})]
    assert _missing(report) == [16]
    assert "(strategy_timeout); in all" in (tmp_path / "run.log").read_text()
    again = evaluate(
        dialogues, strategy_timeout=2, backend="processes", retry_failed=True, concurrency=2, **run
    )
    assert again.stopped == ""
    assert _outcomes(again) == [(7, {"strategy_timeout": 35})]


def test_who_wakes_later_reaches_nothing(
    small_dialogue: Dialogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wake, woken, out = tmp_path / "wake", tmp_path / "woken", tmp_path / "out"
    monkeypatch.setenv("WAKE", str(wake))
    monkeypatch.setenv("WOKEN", str(woken))
    evaluate(
        [small_dialogue],
        strategies=["hanging:Waking"],
        models=["hanging:Counting"],
        embedder=HashedWords,
        strategy_timeout=2,
        out=out,
    )
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    wake.touch()
    _wait_until(woken.exists)
    assert woken.read_text() == "CancelledError CancelledError"
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before


class _Patient:
    """A model that takes its time, and has others wait until it is asked."""

    name, is_language_model = "patient", True

    def __init__(self) -> None:
        self.goes_on = threading.Event()

    def generate(self, prompt: Prompt) -> Completion:
        self.goes_on.wait(60)
        return Completion(text="yes")


def test_a_call_to_the_model_is_waited_for_and_counted() -> None:
    """The strategy is left behind afterwards, as its time is over."""
    model, done = _Patient(), threading.Event()
    left_behind: list[int] = []
    counted = CountedModel(model, len)
    calls = CallsInThread(0.2, lambda: left_behind.append(counted.calls))
    served = calls.model(counted)

    def hang() -> None:
        served.generate(Prompt(("a question",)))
        done.wait(60)

    threading.Timer(0.6, model.goes_on.set).start()
    with pytest.raises(StrategyHung, match="observing"):
        calls.call("observing", hang)
    assert left_behind == [1]
    assert counted.asked["calls"] == 1
    done.set()


# ── a real process ────────────────────────────────────────────────────────────────────────────


def _start(dialogue: Dialogue, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    write_dataset([dialogue], folder / "dataset")
    data, out, here = str(folder / "dataset"), str(folder / "out"), str(Path(__file__).parent)
    run = [sys.executable, "-m", "memorycode", "run", "--dataset", data, "--out", out]
    path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [*run, "--strategy", "hanging:Sleeping", *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.fixture
def ended() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that do not outlive the test, whatever becomes of it."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def test_a_thread_left_behind_keeps_no_process(
    small_dialogue: Dialogue, tmp_path: Path, ended: list[subprocess.Popen[str]]
) -> None:
    process = _start(small_dialogue, tmp_path, "--strategy-timeout", "2")
    ended.append(process)
    table, told = process.communicate(timeout=200)
    assert process.returncode == 1
    assert "strategy_timeout" in table
    assert "(--strategy-timeout); 1 of at most 4 threads left behind\n" in told


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_ctrl_c_says_what_it_waits_for_and_a_second_one_leaves(
    small_dialogue: Dialogue,
    tmp_path: Path,
    ended: list[subprocess.Popen[str]],
    backend: BackendName,
) -> None:
    process = _start(small_dialogue, tmp_path, "--backend", backend, "--concurrency", "1")
    ended.append(process)
    out = tmp_path / "out"
    _wait_until(lambda: _lines(out / "asked.jsonl") == 1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    assert process.stderr is not None
    told = next(line for line in process.stderr if complaints(line))
    assert told == (
        "memorycode: waiting for 1 question under way; press Ctrl-C again to leave now\n"
    )
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complaints(rest) == ["memorycode: stopped; the same command goes on from here"]
    assert [record.failed for record in RunFolder(out).records()] == [False]
    assert "stopped by KeyboardInterrupt; in all" in (out / "run.log").read_text()
