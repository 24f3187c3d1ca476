"""Several processes: Ctrl-C is one process's to handle, and none is left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from memorycode.datasets import load_dataset
from memorycode.processes import _interrupted_later
from tests.commands import complaints

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such signals")

INTERRUPTED = (130, -signal.SIGINT)
"""A shell shows both as 130."""


def start(out: Path, *arguments: object) -> subprocess.Popen[str]:
    """The command as a terminal runs it: in a process group of its own."""
    command = ["generate", "--out", out, *arguments]
    return subprocess.Popen(
        [sys.executable, "-m", "memorycode", *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not true():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def ends(process: subprocess.Popen[str]) -> tuple[int, str]:
    """How the process ends and what it complains of."""
    try:
        _, complaint = process.communicate(timeout=100)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, complaint


@pytest.mark.parametrize("delay", [0, 0.2, 0.6, 1.5])
def test_ctrl_c_is_told_in_one_line_however_early(tmp_path: Path, delay: float) -> None:
    process = start(tmp_path, "--preset", "stress", "--dialogues", 40, "--workers", 4)
    # The manifest is written right before the processes are started.
    wait_until((tmp_path / "manifest.json").exists, process)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    status, complaint = ends(process)
    assert status in INTERRUPTED
    assert complaints(complaint) == ["memorycode: stopped; the same command goes on from here"]
    if any((tmp_path / "dataset").glob("*.json")):
        assert load_dataset(tmp_path)  # what is there is whole


# ── with a model that is slow ─────────────────────────────────────────────────────────────────


class Silent:
    """Takes every connection and never says a word; counts them."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"
        self.connections: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                self.connections.append(self._listening.accept()[0])
            except OSError:
                return

    def wait_for_hang_up(self) -> None:
        """Until the other side of each connection is gone."""
        for connection in self.connections:
            connection.settimeout(60)
            with suppress(ConnectionError):
                while connection.recv(65536):
                    pass

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        for connection in self.connections:
            connection.close()


@pytest.fixture
def silent() -> Iterator[Silent]:
    with closing(Silent()) as server:
        yield server


def asking(out: Path, server: Silent) -> subprocess.Popen[str]:
    """A job both of whose processes wait for a model."""
    process = start(
        out, "--renderer", "openai/tiny", "--base-url", server.url, "--workers", 2, "--sessions", 3
    )
    wait_until(lambda: len(server.connections) == 2, process)
    return process


def test_nobody_waits_for_what_is_being_made(tmp_path: Path, silent: Silent) -> None:
    process = asking(tmp_path, silent)
    os.killpg(process.pid, signal.SIGINT)
    status, complaint = ends(process)
    assert status in INTERRUPTED
    assert len(complaints(complaint)) == 1
    silent.wait_for_hang_up()


def test_a_process_does_not_outlive_the_one_that_started_it(tmp_path: Path, silent: Silent) -> None:
    process = asking(tmp_path, silent)
    process.kill()
    process.wait()
    silent.wait_for_hang_up()
    ends(process)


# ── the shield ────────────────────────────────────────────────────────────────────────────────


def test_ctrl_c_comes_at_the_end_of_what_must_not_be_cut_short() -> None:
    before = signal.getsignal(signal.SIGINT)
    steps = []
    with pytest.raises(KeyboardInterrupt), _interrupted_later():
        os.kill(os.getpid(), signal.SIGINT)
        steps.append("went on")
    assert steps == ["went on"]
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_a_thread_that_takes_the_signal_makes_no_difference() -> None:
    steps = []
    over = threading.Event()
    thread = threading.Thread(target=over.wait)  # has no signals blocked
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt), _interrupted_later():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            steps.append("went on")
    finally:
        over.set()
        thread.join()
    assert steps == ["went on"]


def test_a_process_that_is_started_there_never_sees_it() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('alive')"
    with _interrupted_later():
        done = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        )
    assert done.stdout == "alive\n"


def test_it_may_be_used_outside_the_main_thread() -> None:
    done = []

    def work() -> None:
        with _interrupted_later():
            done.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [1]
