"""Tasks played by processes of this machine, for work that is bound by the CPU.

Each thread of the run has one process to itself, and a pipe to it. A process that dies takes no
other with it, as it would in a pool that shares a queue, and its pipe says so at once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from memorycode.errors import StrategyHung, WorkerLost
from memorycode.plugin_process import redirect_stdout_for_good
from memorycode.processes import interrupts_blocked
from memorycode.running.backends.backend import Executor
from memorycode.running.backends.meter_server import MeterServer, StrategyWatch
from memorycode.running.backends.remote import RemoteTask
from memorycode.running.backends.specs import Ended, RunSpec, TaskSpec
from memorycode.running.backends.worker import play
from memorycode.running.execution import BackendName
from memorycode.running.meter import Meter
from memorycode.running.model_stack import ModelStack
from memorycode.running.records import TaskEvent

SECONDS_TO_LEAVE = 1.5
"""What a process has to end by itself when its pipe is closed. Whoever leaves waits for that."""


class Processes:
    """As many processes as there are CPUs, unless the caller says otherwise."""

    name: BackendName = "processes"

    @contextmanager
    def executor(
        self, run_spec: RunSpec, meter: Meter, _models: ModelStack, concurrency: int | None
    ) -> Iterator[Executor]:
        size = concurrency or available_cpus()
        workers = ProcessWorkers(run_spec, meter, size)
        try:
            yield Executor(size, partial(RemoteTask, workers))
        finally:
            workers.close()


def available_cpus() -> int:
    """The CPUs that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ProcessWorkers:
    """Processes, started when they are needed, that play tasks for threads."""

    def __init__(self, run_spec: RunSpec, meter: Meter, size: int) -> None:
        self._run_spec, self._meter = run_spec, meter
        self._size = size
        self._started: set[_Process] = set()
        self._closed = False
        # The one that was free last is taken first, so that a small job starts few.
        self._free: queue.LifoQueue[_Process | None] = queue.LifoQueue()
        for _ in range(size):
            self._free.put(None)

    def play(self, task_spec: TaskSpec, stopped: Callable[[], bool]) -> Iterator[TaskEvent | Ended]:
        """As `Workers.play`; called by no more threads than there are processes."""
        process = self._free.get()
        try:
            if process is None:
                process = _Process(self._run_spec)
                self._started.add(process)
                if self._closed:
                    raise WorkerLost
            yield from process.play(task_spec, MeterServer(self._meter, stopped))
        except BaseException:
            # It is dead, or in the middle of a task that nobody waits for any more.
            if process is not None:
                self._started.discard(process)
                process.close()
                process = None
            raise
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End the processes. A task that is under way still is one that nobody waits for."""
        self._closed = True
        deadline = time.monotonic() + SECONDS_TO_LEAVE
        free = []
        while not self._free.empty():
            free.append(self._free.get())
        idle = [process for process in free if process is not None]
        for process in self._started - {*idle}:
            process.kill()
        for process in idle:
            process.hang_up()
        for process in idle:
            process.close(max(0.0, deadline - time.monotonic()))
        # The threads of those that were killed see to the rest.
        with contextlib.suppress(queue.Empty):
            for _ in range(self._size - len(free)):
                if ended := self._free.get(timeout=SECONDS_TO_LEAVE):
                    ended.close()


class _Process:
    """One worker process and the pipe to it."""

    def __init__(self, run_spec: RunSpec) -> None:
        # A forked copy of a process with threads may hang.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._bound = run_spec.settings.strategy_timeout
        self._process = context.Process(target=_serve, args=(run_spec, theirs))
        with interrupts_blocked():  # whoever started it decides what becomes of the work
            self._process.start()
        theirs.close()  # only the process has that end now: when it dies, ours is at its end

    def play(self, task_spec: TaskSpec, server: MeterServer) -> Iterator[TaskEvent | Ended]:
        watch = StrategyWatch(self._bound)
        try:
            self._pipe.send(task_spec)
            while True:
                if not self._pipe.poll(watch.left):
                    self.kill()
                    raise StrategyHung(watch.doing)
                heard = self._pipe.recv()
                if isinstance(heard, _Question):
                    self._pipe.send(server.answer(watch, *heard))
                    continue
                yield heard
                if isinstance(heard, Ended):
                    return
        except (EOFError, OSError) as error:
            raise WorkerLost from error

    def kill(self) -> None:
        """End it at once; who reads from it learns that it is gone."""
        with contextlib.suppress(ValueError):  # it was closed in between
            self._process.kill()

    def hang_up(self) -> None:
        """Let it end by itself."""
        self._pipe.close()

    def close(self, seconds: float = SECONDS_TO_LEAVE) -> None:
        self.hang_up()
        self._process.join(seconds)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


# ── in the worker ─────────────────────────────────────────────────────────────────────────────


class _Question(tuple[Any, ...]):
    """What a worker asks: a `Call` and what belongs to it."""

    __slots__ = ()


def _serve(run_spec: RunSpec, pipe: Connection) -> None:
    """Play tasks until the other end of the pipe is closed, or its process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where there are no masks
    redirect_stdout_for_good()

    def ask(*question: Any) -> str:
        pipe.send(_Question(question))
        answer: str = pipe.recv()
        return answer

    with contextlib.suppress(EOFError, OSError):
        while True:
            task_spec = pipe.recv()
            for heard in play(run_spec, task_spec, ask):
                pipe.send(heard)
