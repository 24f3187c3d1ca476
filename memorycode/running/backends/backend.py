"""What a backend is, and which there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol, get_args

from memorycode.errors import UsageError
from memorycode.running.backends.recipe import Recipe
from memorycode.running.execution import BackendName
from memorycode.running.job import TaskMaker
from memorycode.running.meter import Meter
from memorycode.running.task import TaskRunner

BACKENDS: tuple[BackendName, ...] = get_args(BackendName)

ENDPOINT_CONCURRENCY = 8
"""How many tasks are under way at once, unless the caller says otherwise, where a model has to be
waited for. A stand-in computes in this process, where threads only get in each other's way."""


@dataclass(frozen=True)
class Crew:
    """`size` tasks are under way at once; `make_task` makes one that the crew plays. Workers that
    are `apart` share no memory."""

    size: int
    make_task: TaskMaker
    apart: bool = True


class Backend(Protocol):
    """Plays the tasks of a run."""

    name: BackendName

    def crew(
        self, recipe: Recipe, meter: Meter, concurrency: int | None
    ) -> AbstractContextManager[Crew]:
        """A crew for one run, dismissed at the end of the ``with`` statement.

        `concurrency` None leaves its size to the backend. `meter` is the run's: it counts every
        call, wherever it is sent from.
        """
        ...


class Threads:
    """Tasks are played by threads of this process: right where a model has to be waited for."""

    name: BackendName = "threads"

    @contextmanager
    def crew(self, recipe: Recipe, _meter: Meter, concurrency: int | None) -> Iterator[Crew]:
        yield Crew(
            concurrency or (ENDPOINT_CONCURRENCY if recipe.waits else 1), TaskRunner, apart=False
        )


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
