"""What a run needs in memory, and what its manifest says of strategies and models."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import JsonValue

from memorycode.dialogue import AskAfter, Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.models.secrets import Secrets
from memorycode.optional_members import note_of, options_of, variant_of
from memorycode.plugins import ModelPlugin, StrategyPlugin, StrategyTraits
from memorycode.protocols import Model
from memorycode.running.manifest import ModelEntry, RunSettings, StrategyEntry
from memorycode.running.plan import Episode, Question, plan_episodes
from memorycode.running.records import STRATEGY_TIMEOUT, AskedRecord, TaskEvent, TaskRecord
from memorycode.running.redaction import redacted_line
from memorycode.running.run_context import RunContext


class Task(Protocol):
    """One task under way, wherever it is played: see `TaskRunner`."""

    @property
    def played(self) -> bool: ...

    def run(self, done: Collection[str], stopped: Callable[[], bool], /) -> Iterator[TaskEvent]: ...

    def summary(self, seconds: float, /) -> TaskRecord: ...


@dataclass(frozen=True)
class PlannedTask:
    """What a task is made of: a strategy, with what the manifest says of it, a model, a dialogue
    and what is played of that. `context` is what all tasks of a run share."""

    context: RunContext
    plugin: StrategyPlugin
    entry: StrategyEntry
    model: Model
    dialogue: Dialogue
    episodes: tuple[Episode, ...]

    def id_of(self, question: Question) -> str:
        """The question's identity in the run."""
        return question.id(self.entry.spec, self.model.name)

    @property
    def ids(self) -> frozenset[str]:
        """Of all its questions."""
        return frozenset(map(self.id_of, self.questions))

    @property
    def questions(self) -> Iterator[Question]:
        """All of them, in the order in which they are asked."""
        for episode in self.episodes:
            yield from episode.all_questions

    def record(self, question: Question, **fields: Any) -> AskedRecord:
        """What is written down of a question; `fields` are what came of it."""
        record = AskedRecord(
            id=self.id_of(question),
            model=self.model.name,
            strategy=self.entry.spec,
            dialogue=question.dialogue,
            setting=question.setting,
            session=question.session,
            number=question.number,
            repeat=question.repeat,
            query=question.query,
            **fields,
        )
        return redacted_line(record, self.context.secrets.with_environment())

    def timed_out(self, question: Question, doing: str) -> AskedRecord:
        """What is written down where the strategy took too long over something."""
        error = (
            f"{self.entry.spec}, dialogue {self.dialogue.number}, {doing}: took longer than "
            f"{self.context.strategy_timeout:g} s (--strategy-timeout)"
        )
        return self.record(question, outcome=STRATEGY_TIMEOUT, error=error)

    def __str__(self) -> str:
        return f"dialogue {self.dialogue.number} with {self.entry.spec} and {self.model.name}"


@dataclass(frozen=True)
class Job:
    """A run in memory: the components that the settings only name."""

    dialogues: Sequence[Dialogue]
    strategies: Sequence[StrategyPlugin]
    models: Sequence[Model]
    context: RunContext
    settings: RunSettings

    @property
    def planned(self) -> int:
        """The number of questions in all, each repeat counted."""
        return sum(entry.planned for entry in self.settings.strategies) * len(self.models)

    def tasks(self) -> Iterator[PlannedTask]:
        """Dialogue by dialogue, so that what was read of a transcript is still at hand; the longest
        first, so that no long one is what everybody waits for in the end."""
        for dialogue in sorted(self.dialogues, key=lambda d: len(d.sessions), reverse=True):
            for model in self.models:
                for plugin, entry in zip(self.strategies, self.settings.strategies, strict=True):
                    yield self.task(dialogue, plugin, entry, model)

    def task(
        self, dialogue: Dialogue, plugin: StrategyPlugin, entry: StrategyEntry, model: Model
    ) -> PlannedTask:
        """The task of a strategy and a model of this job on a dialogue."""
        episodes = self.episodes(dialogue, entry)
        return PlannedTask(self.context, plugin, entry, model, dialogue, episodes)

    def episodes(self, dialogue: Dialogue, entry: StrategyEntry) -> tuple[Episode, ...]:
        """What a strategy is played of a dialogue, and asked."""
        settings = self.settings
        return plan_episodes(dialogue, settings.setting, entry.ask_after, settings.repeats)


def describe_strategy(
    plugin: StrategyPlugin,
    dialogues: Sequence[Dialogue],
    *,
    setting: Setting,
    ask_after: AskAfter | None,
    context: RunContext,
    models: Sequence[Model],
    repeats: int = 1,
) -> StrategyEntry:
    """What the manifest says of a strategy; it is built on trial, once per model, where its class
    does not say that."""
    if not dialogues:
        raise UsageError("there is no dialogue to run on")
    stated = plugin.stated_traits
    traits = {m.name: stated or _tried(plugin, dialogues[0], context, m) for m in models}
    first = traits[models[0].name]
    clean = context.secrets.with_environment().removed_from
    chosen = ask_after or first.ask_after
    planned = repeats * sum(
        len(questions)
        for dialogue in dialogues
        for episode in plan_episodes(dialogue, setting, chosen)
        for questions in episode.questions.values()
    )
    return StrategyEntry(
        spec=plugin.spec.text,
        source=plugin.source,
        oracle=first.oracle,
        variants={name: clean(one.variant) for name, one in traits.items()},
        notes={name: clean(one.note) for name, one in traits.items()},
        ask_after=chosen,
        planned=planned,
    )


def describe_model(plugin: ModelPlugin, model: Model) -> ModelEntry:
    """What the manifest says of a model."""
    secrets = Secrets.known_to(model)
    options: dict[str, JsonValue] = dict(options_of(model))
    if isinstance(headers := options.get("headers"), Mapping):
        # Any of their values may be a secret.
        options["headers"] = [*sorted(headers)]
    return ModelEntry(
        spec=plugin.text,
        source=plugin.source,
        name=model.name,
        is_language_model=model.is_language_model,
        note=secrets.removed_from(note_of(model)),
        options={name: secrets.removed_from_value(value) for name, value in options.items()},
    )


def _tried(
    plugin: StrategyPlugin, dialogue: Dialogue, context: RunContext, model: Model
) -> StrategyTraits:
    usable = model if model.is_language_model else None
    rng = random.Random(context.seed)
    trial = plugin.build(context.strategy_context(dialogue, usable, context.embedder, rng))
    return StrategyTraits(
        oracle=trial.oracle,
        ask_after=trial.ask_after,
        variant=variant_of(trial),
        note=note_of(trial),
    )
