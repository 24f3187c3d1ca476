"""Tasks played by a Ray cluster: an existing one, or one that is started on this machine.

Each is a Ray task that streams what it yields. The meter lives in an actor, for workers cannot call
the process that started the run. Ray's own retries are off: they would play a task from its start,
and pay again for the questions whose answers have arrived (`RemoteTask` knows which).
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from memorycode.errors import MemorycodeError, StrategyHung, UsageError, WorkerLost
from memorycode.extras import needed
from memorycode.plugin_process import stdout_to_stderr
from memorycode.processes import interrupts_handled
from memorycode.running.backends.backend import Executor
from memorycode.running.backends.meter_server import Call, MeterServer, StrategyWatch
from memorycode.running.backends.processes import available_cpus
from memorycode.running.backends.remote import RemoteTask
from memorycode.running.backends.specs import Ended, RunSpec, TaskSpec
from memorycode.running.backends.worker import play
from memorycode.running.execution import BackendName
from memorycode.running.meter import Meter
from memorycode.running.model_stack import ModelStack
from memorycode.running.records import TaskEvent

OBJECT_STORE_BYTES = 256 * 2**20
"""Of a cluster that is started here. A task is a dialogue, at most half a megabyte."""

SECONDS_TO_REACH = 10.0
"""What a cluster has to let itself be reached."""

SECONDS_BETWEEN_LOOKS = 1.0
"""How long a thread waits for a worker before it looks whether the run stops, and how old the
meter's numbers may be that people are shown."""

SECONDS_IN_A_PARCEL = 0.25
"""Quick answers travel together; one that took longer than that is sent at once."""


class RayCluster:
    """`address` is where a cluster answers; None starts one here and ends it after the run.

    Where the process is connected to a cluster already, that one is used, and left as it is.
    """

    name: BackendName = "ray"

    def __init__(self, address: str | None) -> None:
        """Raises `UsageError` for an address of Ray's client, which cannot stream, and
        `PluginError` where Ray is not installed."""
        if address and address.startswith("ray://"):
            raise UsageError(
                f"--ray-address {address}: start the run on a machine of the cluster and write "
                "HOST:PORT, the address that `ray start` was given"
            )
        needed("ray", "ray")
        self._address = address

    @contextmanager
    def executor(
        self, run_spec: RunSpec, meter: Meter, _models: ModelStack, concurrency: int | None
    ) -> Iterator[Executor]:
        import ray

        with connected(self._address, concurrency or available_cpus()):
            cluster: Any = ray  # of which not all is typed
            size = concurrency or max(1, int(cluster.cluster_resources().get("CPU", 1)))
            workers = RayWorkers(run_spec, meter)
            try:
                yield Executor(size, partial(RemoteTask, workers))
            finally:
                workers.close()


@contextmanager
def connected(address: str | None, cpus: int) -> Iterator[None]:
    """With a cluster: the one that this process has, the one at the address, or a new one of so
    many CPUs. Raises `UsageError` where there is none."""
    import ray

    if ray.is_initialized():
        yield
        return
    connect = partial(ray.init, log_to_driver=False, logging_level=logging.ERROR)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody else is told of a run
    try:
        if address is not None:
            _try_to_reach(address)
            connect(address)
        else:
            connect(
                "local",  # and not one that happens to run on this machine
                num_cpus=cpus,
                include_dashboard=False,
                object_store_memory=OBJECT_STORE_BYTES,
            )
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise UsageError(_why_not(address, error)) from error
    try:
        yield
    finally:
        ray.shutdown()


def _why_not(address: str | None, error: Exception) -> str:
    if address is None:
        return f"Ray cannot be started here: {error}"
    told = f"no Ray cluster answers at {address}: {error}"
    if type(error) is not ConnectionError:
        return told
    # Ray's own, where somebody listens; that it was the token, only its log says.
    return (
        f"{told} (where `ray start` has turned token authentication on, the run needs "
        "RAY_AUTH_MODE=token and the cluster's token too)"
    )


def _try_to_reach(address: str) -> None:
    """Raises `OSError` where nobody listens, of which Ray makes sure for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        with socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_REACH):
            pass


class RayWorkers:
    """Plays each task as one of Ray's, a CPU each."""

    def __init__(self, run_spec: RunSpec, meter: Meter) -> None:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._here = ray.get_runtime_context().get_node_id()
        self._meter = meter
        self._run_spec = ray.put(run_spec)
        remote: Any = ray.remote  # whose types lack some of what it takes
        self._play = remote(num_cpus=1, max_retries=0, num_returns="streaming")(_play)
        # On this machine, which has to stay as long as the run does.
        beside = NodeAffinitySchedulingStrategy(self._here, soft=True)
        actor = remote(num_cpus=0, scheduling_strategy=beside)(_MeterActor)
        self._server = actor.remote(meter, run_spec.settings.strategy_timeout)
        self._bounded = run_spec.settings.strategy_timeout is not None
        self._following = threading.Lock()
        self._followed = time.monotonic()
        self._closed = False

    def play(self, task_spec: TaskSpec, stopped: Callable[[], bool]) -> Iterator[TaskEvent | Ended]:
        """As `Workers.play`."""
        import ray

        task = uuid.uuid4().hex
        parcels = self._play.remote(self._run_spec, task_spec, self._server, task, self._here)
        while True:
            if stopped():
                self._close_server()
            for heard in self._next(parcels):
                if isinstance(heard, Ended):
                    self._follow(0)
                    yield heard
                    return
                yield heard
            self._follow(SECONDS_BETWEEN_LOOKS)
            if self._bounded and (doing := self._hangs(task)):
                ray.cancel(parcels, force=True)
                raise StrategyHung(doing)

    def close(self) -> None:
        """No task is under way any more: the meter has its last numbers."""
        import ray

        with _told():
            self._follow(0)
            ray.kill(self._server)

    def _next(self, parcels: Any) -> list[TaskEvent | Ended]:
        """What a worker has sent, or nothing after a while."""
        import ray
        from ray import exceptions

        lost = (
            exceptions.WorkerCrashedError,
            exceptions.NodeDiedError,
            exceptions.OutOfMemoryError,
            exceptions.ObjectLostError,
        )
        try:
            ready, _ = ray.wait([parcels], timeout=SECONDS_BETWEEN_LOOKS)
            if not ready:
                return []
            heard: list[TaskEvent | Ended] = ray.get(next(parcels))
        except (StopIteration, *lost) as error:
            raise WorkerLost from error
        except exceptions.RayError as error:
            raise _problem(error) from error
        return heard

    def _follow(self, age: float) -> None:
        """Bring this process's meter up to date, unless it is younger than that."""
        import ray

        with self._following, _told():
            if time.monotonic() - self._followed < age:
                return
            self._meter.follow(ray.get(self._server.counted.remote()))
            self._followed = time.monotonic()

    def _hangs(self, task: str) -> str:
        """What the strategy of a task hangs in, if it does."""
        import ray

        with _told():
            doing: str = ray.get(self._server.hangs.remote(task))
        return doing

    def _close_server(self) -> None:
        if not self._closed:
            self._closed = True
            self._server.close.remote()


@contextmanager
def _told() -> Iterator[None]:
    from ray.exceptions import RayError

    try:
        yield
    except RayError as error:
        raise _problem(error) from error


def _problem(error: Exception) -> MemorycodeError:
    return MemorycodeError(
        f"Ray: {type(error).__name__}: {error}; what was answered is kept, "
        "and the same command goes on from here"
    )


# ── elsewhere in the cluster ──────────────────────────────────────────────────────────────────


class _MeterActor(MeterServer):
    """The actor with the meter."""

    def __init__(self, meter: Meter, strategy_timeout: float | None) -> None:
        self._closed = False
        self._watches = defaultdict[str, StrategyWatch](lambda: StrategyWatch(strategy_timeout))
        super().__init__(meter, lambda: self._closed)

    def answer_task(self, task: str, call: Call, *what: Any) -> str:
        """As `answer`, of a task by its name."""
        return self.answer(self._watches[task], call, *what)

    def hangs(self, task: str) -> str:
        """What the strategy of a task has been over for too long, if it has."""
        watch = self._watches[task]
        return watch.doing if watch.left == 0 else ""

    def close(self) -> None:
        """Tasks are to end before their next question."""
        self._closed = True

    def counted(self) -> Meter:
        return self.meter


def _play(
    run_spec: RunSpec, task_spec: TaskSpec, server: Any, task: str, home: str
) -> Iterator[list[TaskEvent | Ended]]:
    """Play a task in a Ray worker. `task` is its name with the server, `home` the node that the run
    was started on: the file of answers can be shared there alone."""
    import ray

    if ray.get_runtime_context().get_node_id() != home:
        run_spec = replace(run_spec, cache=None)

    def ask(*question: Any) -> str:
        answer: str = ray.get(server.answer_task.remote(task, *question))
        return answer

    # Its worker may serve others, too, and is left as it was found.
    with interrupts_handled(signal.SIG_IGN), stdout_to_stderr():
        # What a worker still holds when its strategy hangs would be lost with it.
        bounded = run_spec.settings.strategy_timeout is not None
        seconds = 0.0 if bounded else SECONDS_IN_A_PARCEL
        yield from _parcels(play(run_spec, task_spec, ask), seconds)


def _parcels(
    heard: Iterator[TaskEvent | Ended], seconds: float
) -> Iterator[list[TaskEvent | Ended]]:
    parcel: list[TaskEvent | Ended] = []
    sent = time.monotonic()
    for one in heard:
        parcel.append(one)
        if time.monotonic() - sent >= seconds:
            yield parcel
            parcel, sent = [], time.monotonic()
    yield parcel
