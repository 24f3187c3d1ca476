"""What a run needs in memory, and what its manifest says of strategies and models."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from memorycode.dialogue import Checkpoints, Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.models.secrets import Secrets
from memorycode.plugin_faults import optional
from memorycode.plugins import ModelPlugin, StrategyPlugin
from memorycode.protocols import MemoryStrategy, Model
from memorycode.running.harness import Harness
from memorycode.running.manifest import ModelEntry, RunSettings, StrategyEntry
from memorycode.running.plan import Episode, plan_episodes
from memorycode.running.records import Record, StoredContext, TaskRecord


class Task(Protocol):
    """One task, wherever it is played: see `TaskRunner`."""

    @property
    def played(self) -> bool: ...

    def run(
        self, episodes: Sequence[Episode], done: Collection[str], stopped: Callable[[], bool]
    ) -> Iterator[tuple[Record, StoredContext | None]]: ...

    def summary(self, seconds: float, /) -> TaskRecord: ...


TaskMaker = Callable[[Harness, StrategyPlugin, bool, Model, Dialogue], Task]
"""Makes a task of what all tasks share, a strategy, whether that is an oracle, a model and a
dialogue."""


@dataclass(frozen=True)
class Job:
    """A run in memory: the parts that the settings only name."""

    dialogues: Sequence[Dialogue]
    strategies: Sequence[StrategyPlugin]
    models: Sequence[Model]
    harness: Harness
    settings: RunSettings

    @property
    def planned(self) -> int:
        """The number of questions in all, each sample counted."""
        return sum(entry.planned for entry in self.settings.strategies) * len(self.models)

    def tasks(self, make: TaskMaker) -> Iterator[tuple[Task, tuple[Episode, ...]]]:
        """Dialogue by dialogue, so that what was read of a transcript is still at hand; the longest
        first, so that no long one is what everybody waits for in the end."""
        for dialogue in sorted(self.dialogues, key=lambda d: len(d.sessions), reverse=True):
            for model in self.models:
                for plugin in self.strategies:
                    yield self.task(dialogue, plugin.spec.text, model.name, make)

    def task(
        self, dialogue: Dialogue, strategy: str, model: str, make: TaskMaker
    ) -> tuple[Task, tuple[Episode, ...]]:
        """The task of a strategy, by its spec, and a model, by its name; and what is played."""
        pairs = zip(self.strategies, self.settings.strategies, strict=True)
        plugin, entry = next(pair for pair in pairs if pair[1].spec == strategy)
        asked = next(one for one in self.models if one.name == model)
        task = make(self.harness, plugin, entry.oracle, asked, dialogue)
        return task, self.episodes(dialogue, entry)

    def episodes(self, dialogue: Dialogue, entry: StrategyEntry) -> tuple[Episode, ...]:
        """What a strategy is played of a dialogue, and asked."""
        settings = self.settings
        return plan_episodes(dialogue, settings.setting, entry.checkpoints, settings.samples)


def describe_strategy(
    plugin: StrategyPlugin,
    dialogues: Sequence[Dialogue],
    *,
    setting: Setting,
    checkpoints: Checkpoints | None,
    harness: Harness,
    models: Sequence[Model],
    samples: int = 1,
) -> StrategyEntry:
    """What the manifest says of a strategy; it is built on trial, once per model, to learn that."""
    trials = {model.name: _trial(plugin, dialogues, harness, model) for model in models}
    trial = trials[models[0].name]
    clean = harness.secrets.removed_from
    chosen = checkpoints or trial.checkpoints
    planned = samples * sum(
        len(questions)
        for dialogue in dialogues
        for episode in plan_episodes(dialogue, setting, chosen)
        for questions in episode.questions.values()
    )
    return StrategyEntry(
        spec=plugin.spec.text,
        source=plugin.source,
        oracle=trial.oracle,
        variants={name: clean(optional(trial, "variant", "")) for name, trial in trials.items()},
        notes={name: clean(optional(trial, "note", "")) for name, trial in trials.items()},
        checkpoints=chosen,
        planned=planned,
    )


def describe_model(plugin: ModelPlugin, model: Model) -> ModelEntry:
    """What the manifest says of a model."""
    secrets = Secrets.known_to(model)
    options: dict[str, JsonValue] = dict(optional(model, "options", {}))
    if isinstance(headers := options.get("headers"), Mapping):
        # Any of their values may be a secret.
        options["headers"] = [*sorted(headers)]
    return ModelEntry(
        spec=plugin.text,
        source=plugin.source,
        name=model.name,
        is_language_model=model.is_language_model,
        note=secrets.removed_from(optional(model, "note", "")),
        options={name: secrets.removed_from_value(value) for name, value in options.items()},
    )


def _trial(
    plugin: StrategyPlugin, dialogues: Sequence[Dialogue], harness: Harness, model: Model
) -> MemoryStrategy:
    if not dialogues:
        raise UsageError("there is no dialogue to run on")
    usable = model if model.is_language_model else None
    rng = random.Random(harness.seed)
    return plugin.build(harness.context(dialogues[0], usable, harness.embedder, rng))
