"""What a run needs in memory, and what its manifest says of strategies and models."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.plugins import StrategyPlugin
from memorycode.protocols import MemoryStrategy, Model, StrategyContext
from memorycode.running.manifest import ModelEntry, RunSettings, StrategyEntry
from memorycode.running.plan import Checkpoints, Episode, plan_episodes
from memorycode.running.unit import Harness, UnitRunner


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
    *,
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
    """What the manifest says of a model; a name and password in an address are left out."""
    given = {key: _without_login(value) for key, value in options.items() if value is not None}
    return ModelEntry(
        spec=spec, name=model.name, is_language_model=model.is_language_model, options=given
    )


def _without_login(address: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=""))


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
