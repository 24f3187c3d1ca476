"""Plays tasks in a worker process: the parts of a run, loaded there once."""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from memorycode.errors import PluginError
from memorycode.plugin_process import kept_alive
from memorycode.running.access import MeteredAccess
from memorycode.running.backends.calls import Ask, DistantMeter, Lookout
from memorycode.running.backends.recipe import Ended, Played, Problem, Recipe, Unit
from memorycode.running.job import Job, describe_model
from memorycode.running.manifest import RunSettings
from memorycode.running.parts import Parts, load_parts
from memorycode.running.task import TaskRunner


class Stage:
    """Plays the units of one run."""

    def __init__(self, recipe: Recipe) -> None:
        """Load what the recipe names. Raises what loading raises, and `PluginError` where
        something is of another version than where the run was started."""
        with suppress(OSError):  # another machine need not have the folder
            os.chdir(recipe.folder)
        sys.path.extend(place for place in recipe.path if place not in sys.path)
        parts = load_parts(recipe.experiment, recipe.settings.prompts)
        _check_same(parts, recipe.settings)
        settings = recipe.settings
        self._job = Job((), parts.strategies, parts.models, parts.harness, settings)
        self._cache = None
        if recipe.cache is not None:
            from memorycode.models.cached import ResponseCache

            self._cache = ResponseCache(recipe.cache)

    def play(self, unit: Unit, ask: Ask) -> Iterator[Played | Ended]:
        """The unit's questions as they are answered, and how it ended."""
        harness = self._job.harness
        access = MeteredAccess(DistantMeter(ask), harness.count_tokens, self._cache)
        job = replace(self._job, harness=replace(harness, access=access))
        task, episodes = job.task(unit.dialogue, unit.strategy, unit.model, TaskRunner)
        started = time.perf_counter()
        problem = None
        try:
            yield from task.run(episodes, unit.done, Lookout(ask))
        except Exception as error:
            problem = Problem.of(error, traceback.format_exc())
        seconds = round(time.perf_counter() - started, 6)
        yield Ended(task.summary(seconds) if task.played else None, problem)


def play(recipe: Recipe, unit: Unit, ask: Ask) -> Iterator[Played | Ended]:
    """Play a unit in this process; what it lacks to do so is how the unit ends."""
    with kept_alive():
        try:
            stage = _stage_of(recipe)
        except Exception as error:
            yield Ended(None, Problem.of(error, traceback.format_exc()))
            return
        yield from stage.play(unit, ask)


# Of the latest run alone: a process that serves several drops the models of the earlier ones.
_stage_of = lru_cache(maxsize=1)(Stage)


def _check_same(parts: Parts, settings: RunSettings) -> None:
    """Records of one run are made by one version of everything that decides them."""
    strategies = zip(parts.strategies, settings.strategies, strict=True)
    models = zip(parts.model_plugins, parts.models, settings.models, strict=True)
    differing = [entry.spec for plugin, entry in strategies if plugin.source != entry.source]
    differing += [
        entry.spec for plugin, model, entry in models if describe_model(plugin, model) != entry
    ]
    if differing:
        raise PluginError(
            f"{differing[0]} is another one on {platform.node()} than where the run was started: "
            "other code, or other options; install the same there and set the same variables"
        )
