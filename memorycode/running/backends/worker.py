"""Plays tasks in a worker process: the components of a run, loaded there once."""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from memorycode.errors import PluginError
from memorycode.plugin_process import kept_alive
from memorycode.running.backends.meter_server import Ask, RemoteMeter, StopFlag
from memorycode.running.backends.specs import Ended, RunSpec, TaskSpec, WorkerProblem
from memorycode.running.components import Components, load_components
from memorycode.running.job import Job, describe_model
from memorycode.running.manifest import RunSettings
from memorycode.running.model_stack import ModelStack
from memorycode.running.records import TaskEvent
from memorycode.running.strategy_calls import ToldCalls
from memorycode.running.task import TaskRunner


class Worker:
    """Plays the tasks of one run."""

    def __init__(self, run_spec: RunSpec) -> None:
        """Load what the run's spec names. Raises what loading raises, and `PluginError` where
        something is of another version than where the run was started."""
        with suppress(OSError):  # another machine need not have the folder
            os.chdir(run_spec.folder)
        sys.path.extend(place for place in run_spec.path if place not in sys.path)
        components = load_components(run_spec.experiment, run_spec.settings.prompts)
        _check_same(components, run_spec.settings)
        settings = run_spec.settings
        self._job = Job((), components.strategies, components.models, components.context, settings)
        strategies = zip(components.strategies, settings.strategies, strict=True)
        self._strategies = {entry.spec: (plugin, entry) for plugin, entry in strategies}
        self._models = {model.name: model for model in components.models}
        self._cache = None
        if run_spec.cache is not None:
            from memorycode.models.cached import ResponseCache

            self._cache = ResponseCache(run_spec.cache, run_spec.across_addresses)

    def play(self, task_spec: TaskSpec, ask: Ask) -> Iterator[TaskEvent | Ended]:
        """The task's questions as they are answered, and how it ended."""
        models = ModelStack(RemoteMeter(ask), self._job.context.count_tokens, self._cache)
        plugin, entry = self._strategies[task_spec.strategy]
        model = self._models[task_spec.model]
        planned = self._job.task(task_spec.dialogue, plugin, entry, model)
        bounded = self._job.context.strategy_timeout is not None
        task = TaskRunner(models, planned, ToldCalls(ask) if bounded else None)
        started = time.perf_counter()
        problem = None
        try:
            yield from task.run(task_spec.done, StopFlag(ask))
        except Exception as error:
            problem = WorkerProblem.of(error, traceback.format_exc())
        seconds = round(time.perf_counter() - started, 6)
        yield Ended(task.summary(seconds) if task.played else None, problem)


def play(run_spec: RunSpec, task_spec: TaskSpec, ask: Ask) -> Iterator[TaskEvent | Ended]:
    """Play a task in this process; what it lacks to do so is how the task ends."""
    with kept_alive():
        try:
            worker = _worker_of(run_spec)
        except Exception as error:
            yield Ended(None, WorkerProblem.of(error, traceback.format_exc()))
            return
        yield from worker.play(task_spec, ask)


# Of the latest run alone: a process that serves several drops the models of the earlier ones.
_worker_of = lru_cache(maxsize=1)(Worker)


def _check_same(components: Components, settings: RunSettings) -> None:
    """Records of one run are made by one version of everything that decides them."""
    strategies = zip(components.strategies, settings.strategies, strict=True)
    models = zip(components.model_plugins, components.models, settings.models, strict=True)
    differing = [entry.spec for plugin, entry in strategies if plugin.source != entry.source]
    differing += [
        entry.spec for plugin, model, entry in models if describe_model(plugin, model) != entry
    ]
    if differing:
        raise PluginError(
            f"{differing[0]} is another one on {platform.node()} than where the run was started: "
            "other code, or other options; install the same there and set the same variables"
        )
