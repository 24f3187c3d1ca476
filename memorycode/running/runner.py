"""Runs the units of a plan over a pool of threads and writes the run's folder.

Models block, hence threads; a unit asks its questions one after the other, with the history first
in the prompt, so that an endpoint's prefix cache can serve them.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.plugins import StrategyPlugin
from memorycode.protocols import MemoryStrategy, Model, StrategyContext
from memorycode.running.folder import RunWriter
from memorycode.running.manifest import ModelEntry, RunSettings, StrategyEntry
from memorycode.running.plan import Checkpoints, Episode, plan_episodes
from memorycode.running.records import Record
from memorycode.running.unit import Harness, UnitRunner


class Progress(Protocol):
    """Is told of every question that is done; for progress bars."""

    def start(self, total: int, done: int) -> None: ...

    def advance(self, record: Record) -> None: ...


class NoProgress:
    """Tells nobody."""

    def start(self, total: int, done: int) -> None:
        pass

    def advance(self, record: Record) -> None:
        pass


@dataclass(frozen=True)
class Job:
    """A run in memory: the parts that the settings only name."""

    dialogues: Sequence[Dialogue]
    strategies: Sequence[StrategyPlugin]
    models: Sequence[Model]
    harness: Harness
    settings: RunSettings

    def checkpoints(self, strategy: StrategyPlugin) -> Checkpoints:
        return next(
            entry.checkpoints
            for entry in self.settings.strategies
            if entry.spec == strategy.spec.text
        )

    def episodes(self, strategy: StrategyPlugin, dialogue: Dialogue) -> tuple[Episode, ...]:
        return plan_episodes(dialogue, self.settings.setting, self.checkpoints(strategy))

    def units(self) -> Iterator[tuple[UnitRunner, tuple[Episode, ...]]]:
        """Dialogue by dialogue, so that what was read of a transcript is still at hand."""
        for dialogue in self.dialogues:
            for model in self.models:
                for strategy in self.strategies:
                    unit = UnitRunner(self.harness, strategy, model, dialogue)
                    yield unit, self.episodes(strategy, dialogue)


def describe_strategy(
    plugin: StrategyPlugin,
    dialogues: Sequence[Dialogue],
    setting: Setting,
    checkpoints: Checkpoints | None,
    harness: Harness,
    models: Sequence[Model],
) -> StrategyEntry:
    """What the manifest says of a strategy; it is built on trial, once per model, to learn that."""
    trials = {model.name: _trial(plugin, dialogues, harness, model) for model in models}
    trial = trials[models[0].name]
    chosen = checkpoints or trial.checkpoints
    planned = sum(
        len(questions)
        for dialogue in dialogues
        for episode in plan_episodes(dialogue, setting, chosen)
        for questions in episode.questions.values()
    )
    return StrategyEntry(
        spec=plugin.spec.text,
        oracle=trial.oracle,
        variants={name: getattr(trial, "variant", "") for name, trial in trials.items()},
        checkpoints=chosen,
        planned=planned,
    )


def describe_model(spec: str, model: Model, options: dict[str, str | None]) -> ModelEntry:
    """What the manifest says of a model."""
    given = {key: value for key, value in options.items() if value is not None}
    return ModelEntry(
        spec=spec, name=model.name, is_language_model=model.is_language_model, options=given
    )


def _trial(
    plugin: StrategyPlugin, dialogues: Sequence[Dialogue], harness: Harness, model: Model
) -> MemoryStrategy:
    if not dialogues:
        raise UsageError("there is no dialogue to run on")
    return plugin.build(
        StrategyContext(
            speakers=dialogues[0].context.speakers,
            model=model if model.is_language_model else None,
            count_tokens=harness.count_tokens,
            token_budget=harness.token_budget,
            rng=random.Random(harness.seed),
            prompts=harness.prompts,
        )
    )


def run_job(job: Job, writer: RunWriter, *, concurrency: int, progress: Progress) -> None:
    """Ask every planned question that the folder does not have yet.

    Raises `ModelUnavailable` where a model cannot be used at all; what was answered is kept.
    """
    done = {record.id for record in writer.folder.records()}
    total = sum(entry.planned for entry in job.settings.strategies) * len(job.models)
    progress.start(total, min(len(done), total))
    stop = threading.Event()
    with ThreadPoolExecutor(max_workers=concurrency) as pool:
        waiting = iter(job.units())
        running: set[Future[None]] = set()
        try:
            while True:
                _refill(running, waiting, 2 * concurrency, pool, (done, writer, progress, stop))
                if not running:
                    return
                finished, running = wait(running, return_when="FIRST_COMPLETED")
                for future in finished:
                    future.result()
        finally:
            # After an error or Ctrl-C the others finish the question under way, and no more.
            stop.set()
            wait(running, return_when=FIRST_EXCEPTION)


def _refill(
    running: set[Future[None]],
    waiting: Iterator[tuple[UnitRunner, tuple[Episode, ...]]],
    most: int,
    pool: ThreadPoolExecutor,
    shared: tuple[set[str], RunWriter, Progress, threading.Event],
) -> None:
    """Submit units until `most` are under way: a plan of any size stays small in memory."""
    while len(running) < most:
        unit = next(waiting, None)
        if unit is None:
            return
        running.add(pool.submit(_run_unit, *unit, *shared))


def _run_unit(
    unit: UnitRunner,
    episodes: Iterable[Episode],
    done: set[str],
    writer: RunWriter,
    progress: Progress,
    stop: threading.Event,
) -> None:
    started = time.perf_counter()
    asked = False
    for record, context in unit.run(tuple(episodes), done):
        if context is not None:
            writer.add_context(context)
        writer.add_record(record)
        progress.advance(record)
        asked = True
        if stop.is_set():
            return
    if asked:
        writer.add_unit(unit.summary(round(time.perf_counter() - started, 6)))
