"""What a backend is, and which there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol, get_args

from memorycode.errors import UsageError
from memorycode.running.backends.specs import RunSpec
from memorycode.running.execution import BackendName
from memorycode.running.job import PlannedTask, Task
from memorycode.running.meter import Meter
from memorycode.running.model_stack import ModelStack
from memorycode.running.strategy_calls import CallsInThread
from memorycode.running.task import TaskRunner

BACKENDS: tuple[BackendName, ...] = get_args(BackendName)

ENDPOINT_CONCURRENCY = 8
"""How many tasks are under way at once, unless the caller says otherwise, where a model has to be
waited for. A stand-in computes in this process, where threads only get in each other's way."""


@dataclass(frozen=True)
class Executor:
    """Plays `size` tasks at once, those that `make_task` makes. Workers that are `apart` share no
    memory."""

    size: int
    make_task: Callable[[PlannedTask], Task]
    apart: bool = True


class Backend(Protocol):
    """Plays the tasks of a run."""

    name: BackendName

    def executor(
        self, run_spec: RunSpec, meter: Meter, models: ModelStack, concurrency: int | None
    ) -> AbstractContextManager[Executor]:
        """An executor for one run, dismissed at the end of the ``with`` statement.

        Args:
            run_spec: What other processes need to know.
            meter: The run's: it counts every call, wherever it is sent from.
            models: How tasks of this process reach their models.
            concurrency: How many tasks at once; None leaves it to the backend.
        """
        ...


class Threads:
    """Tasks are played by threads of this process: right where a model has to be waited for."""

    name: BackendName = "threads"

    @contextmanager
    def executor(
        self, run_spec: RunSpec, meter: Meter, models: ModelStack, concurrency: int | None
    ) -> Iterator[Executor]:
        size = concurrency or (ENDPOINT_CONCURRENCY if run_spec.waits else 1)
        seconds = run_spec.settings.strategy_timeout

        def make_task(task: PlannedTask) -> TaskRunner:
            calls = CallsInThread(seconds, meter.leave_behind) if seconds else None
            return TaskRunner(models, task, calls)

        yield Executor(size, make_task, apart=False)


def make_backend(name: BackendName = "threads", ray_address: str | None = None) -> Backend:
    """The backend of that name. `ray_address` is where a Ray cluster answers; None starts one on
    this machine, unless the variable RAY_ADDRESS names one.

    Raises `UsageError` for an unknown name and for an address without ``ray``, and `PluginError`
    where Ray is not installed.
    """
    if ray_address and name != "ray":
        raise UsageError(f"--ray-address goes with --backend ray, not with {name}")
    if name not in _MAKERS:
        raise UsageError(f"no backend named {name!r}; there are {', '.join(BACKENDS)}")
    return _MAKERS[name](ray_address)


def _processes(_: str | None) -> Backend:
    from memorycode.running.backends.processes import Processes

    return Processes()


def _ray(address: str | None) -> Backend:
    from memorycode.running.backends.ray_cluster import RayCluster

    return RayCluster(address or os.environ.get("RAY_ADDRESS") or None)


_MAKERS: dict[BackendName, Callable[[str | None], Backend]] = {
    "threads": lambda _: Threads(),
    "processes": _processes,
    "ray": _ray,
}
