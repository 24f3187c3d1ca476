"""What a run will send, worked out before anything is sent.

Strategies that ask no model are played as the run plays them, so that their prompts are known to
the token. One that asks a model is played on one dialogue of middling length, with a stand-in for
the model, and what it asks there, per session and per question, is taken for all; so are the
lengths of its prompts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memorycode.dialogue import Dialogue
from memorycode.errors import ModelError
from memorycode.experiment import Experiment
from memorycode.frozen import Frozen
from memorycode.models.window import answer_limit
from memorycode.plugins import StrategyPlugin
from memorycode.prices import Price, PriceList
from memorycode.protocols import Completion, Model, Prompt, Usage
from memorycode.running.episode import DueQuestion, EpisodeRunner
from memorycode.running.job import Job
from memorycode.running.manifest import StrategyEntry
from memorycode.running.plan import Episode, Question

ANSWER_TOKENS = 400
"""Taken for the length of an answer where nothing bounds it: a few functions with their words."""

MEMORY_TOKENS = 400
"""Taken for the length of what a model writes for a memory: a summary, a few notes."""

_MOST_CALLS = 10_000
"""A strategy that asks for ever, for want of an answer that suits it, is stopped here."""


class Forecast(Frozen):
    """What one strategy with one model will send.

    `prompt_tokens` are exact, in the run's tokenizer, unless `is_estimate`; `memory_*` are the
    memory's own calls, always estimates. `max_tokens` bounds an answer where the options do, and is
    then taken for its length; `answer_tokens` are assumed in any case. `unsent` counts the
    questions whose prompt is over the model's limit, `broken` those that the strategy fails.
    `dollars` is None where no price is known; what the cache of answers or the endpoint's own
    would save is not taken off.
    """

    strategy: str
    model: str
    questions: int
    unsent: int = 0
    broken: int = 0
    prompt_tokens: int = 0
    max_tokens: int | None = None
    answer_tokens: int = 0
    memory_calls: int = 0
    memory_prompt_tokens: int = 0
    memory_completion_tokens: int = 0
    is_estimate: bool = False
    dollars: float | None = None

    @property
    def calls(self) -> int:
        return self.questions - self.unsent - self.broken + self.memory_calls

    @property
    def usage(self) -> Usage:
        """All tokens, the memory's among them."""
        return Usage(
            prompt_tokens=self.prompt_tokens + self.memory_prompt_tokens,
            completion_tokens=self.answer_tokens + self.memory_completion_tokens,
        )


@dataclass
class _Played:
    """What playing some dialogues came to. The memory's calls are kept apart: those of its
    building, which go with the sessions, and those of its recalls, which go with the questions."""

    questions: int = 0
    sessions: int = 0
    unsent: int = 0
    broken: int = 0
    prompt_tokens: int = 0
    building: Counter[str] = field(default_factory=Counter)
    recalling: Counter[str] = field(default_factory=Counter)

    @property
    def asks(self) -> bool:
        return bool(self.building or self.recalling)


class _StandIn:
    """Stands in for a language model: answers a text of the assumed length."""

    name = "stand-in"
    is_language_model = True

    def __init__(self) -> None:
        self._calls = 0

    def generate(self, prompt: Prompt) -> Completion:
        """Raises `ModelError` once it has been asked beyond all measure."""
        del prompt
        self._calls += 1
        if self._calls > _MOST_CALLS:
            raise ModelError("asked too often", kind="stand_in")
        return Completion(text="word " * MEMORY_TOKENS)


def forecast(job: Job, prices: PriceList, experiment: Experiment) -> Iterator[Forecast]:
    """One forecast for each strategy with each model of an experiment, whose job this is."""
    for model, choice in zip(job.models, experiment.models, strict=True):
        limit = answer_limit(choice.over(experiment.model_options).given)
        price = prices.of(model.name) if model.is_language_model else None
        for plugin, entry in zip(job.strategies, job.settings.strategies, strict=True):
            yield _priced(_Forecaster(job, plugin, entry, model).forecast(limit), price)


def _priced(found: Forecast, price: Price | None) -> Forecast:
    return found.model_copy(update={"dollars": price.dollars(found.usage)}) if price else found


@dataclass(frozen=True)
class _Forecaster:
    job: Job
    plugin: StrategyPlugin
    entry: StrategyEntry
    model: Model

    def forecast(self, max_tokens: int | None) -> Forecast:
        one = self._play([self._middling])
        played = one if one.asks else self._play(self.job.dialogues)
        questions = self.entry.planned
        # Both are 1 where all dialogues were played.
        per_question = questions / max(1, played.questions)
        per_session = self._sessions() / max(1, played.sessions)
        unsent, broken = (round(per_question * n) for n in (played.unsent, played.broken))
        paid = self.model.is_language_model
        memory_calls, memory_tokens = (
            round(per_session * played.building[what] + per_question * played.recalling[what])
            for what in ("calls", "prompt_tokens")
        )
        return Forecast(
            strategy=self.entry.spec,
            model=self.model.name,
            questions=questions,
            unsent=unsent,
            broken=broken,
            prompt_tokens=round(per_question * played.prompt_tokens),
            max_tokens=max_tokens,
            answer_tokens=(questions - unsent - broken) * (max_tokens or ANSWER_TOKENS)
            if paid
            else 0,
            memory_calls=memory_calls,
            memory_prompt_tokens=memory_tokens,
            memory_completion_tokens=memory_calls * MEMORY_TOKENS,
            is_estimate=played.asks,
        )

    @property
    def _middling(self) -> Dialogue:
        by_length = sorted(self.job.dialogues, key=lambda dialogue: len(dialogue.sessions))
        return by_length[len(by_length) // 2]

    def _sessions(self) -> int:
        return sum(
            len(episode.sessions)
            for dialogue in self.job.dialogues
            for episode in self.job.episodes(dialogue, self.entry)
        )

    def _play(self, dialogues: Sequence[Dialogue]) -> _Played:
        played = _Played()
        for dialogue in dialogues:
            for number, episode in enumerate(self.job.episodes(dialogue, self.entry)):
                self._play_episode(dialogue, number, episode, played)
        return played

    def _play_episode(
        self, dialogue: Dialogue, number: int, episode: Episode, played: _Played
    ) -> None:
        """As a task does it, without asking."""
        context = self.job.context
        runner = EpisodeRunner(
            context,
            self.plugin,
            dialogue,
            oracle=self.entry.oracle,
            model=_StandIn() if self.model.is_language_model else None,
            room=context.room_of(self.model),
        )
        played.sessions += len(episode.sessions)
        recalling: Counter[str] = Counter()
        for due in runner.play(number, episode, wanted=_every, stopped=_never):
            recalling.update(due.asked)
            _count(due, played)
        played.recalling.update(recalling)
        played.building.update(runner.asked - recalling)


def _every(_: Question) -> bool:
    return True


def _never() -> bool:
    return False


def _count(due: DueQuestion, played: _Played) -> None:
    repeats = len(due.repeats)
    played.questions += repeats
    if due.prepared is None:
        played.broken += repeats
    elif due.prepared.overlong:
        played.unsent += repeats
    else:
        played.prompt_tokens += due.prepared.prompt_tokens * repeats
