"""One unit of work: play a dialogue to a strategy and ask a model at the checkpoints."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from memorycode.dialogue import Dialogue, Session
from memorycode.errors import ModelError, ModelUnavailable
from memorycode.plugins import StrategyPlugin
from memorycode.prompts import PromptPack
from memorycode.protocols import (
    Completion,
    MemoryStrategy,
    Model,
    Prompt,
    Scorer,
    StrategyContext,
)
from memorycode.running.asking import ContextStore, PromptBuilder
from memorycode.running.plan import Episode, Question
from memorycode.running.records import Record, StoredContext, UnitRecord

STRATEGY_ERROR = "strategy_error"
"""The outcome of a question whose strategy raised an exception."""

MODEL_ERROR = "model_error"
"""The outcome of a question whose model raised something else than a `ModelError`."""


@dataclass(frozen=True)
class Harness:
    """What all units of a run share."""

    prompts: PromptPack
    count_tokens: Callable[[str], int]
    scorers: Sequence[Scorer]
    seed: int
    token_budget: int | None = None


class CountedModel:
    """The run's model as a strategy sees it: its calls are counted as the memory's."""

    is_language_model = True

    def __init__(self, model: Model, count_tokens: Callable[[str], int]) -> None:
        self.name = model.name
        self.calls = self.prompt_tokens = self.completion_tokens = 0
        self._model, self._count_tokens = model, count_tokens

    def generate(self, prompt: Prompt) -> Completion:
        completion = self._model.generate(prompt)
        self.calls += 1
        if completion.usage:
            self.prompt_tokens += completion.usage.prompt_tokens
            self.completion_tokens += completion.usage.completion_tokens
        else:
            self.prompt_tokens += sum(map(self._count_tokens, prompt.parts))
            self.completion_tokens += self._count_tokens(completion.text)
        return completion


@dataclass
class UnitRunner:
    """Runs the episodes of one dialogue with one strategy and one model."""

    harness: Harness
    strategy: StrategyPlugin
    model: Model
    dialogue: Dialogue
    memory_seconds: float = 0.0
    memory_model: CountedModel | None = field(init=False)
    builder: PromptBuilder = field(init=False)
    store: ContextStore = field(init=False)

    def __post_init__(self) -> None:
        self.builder = PromptBuilder(self.harness.prompts, self.dialogue.context.speakers)
        self.store = ContextStore(self.dialogue)
        counted = CountedModel(self.model, self.harness.count_tokens)
        self.memory_model = counted if self.model.is_language_model else None

    def run(
        self, episodes: Sequence[Episode], done: Collection[str]
    ) -> Iterator[tuple[Record, StoredContext | None]]:
        """Ask every question that is not among `done` (ids), in order.

        Raises `ModelUnavailable` where going on makes no sense; every other failure is a record.
        """
        for number, episode in enumerate(episodes):
            if any(self._id(question) not in done for question in episode.all_questions):
                yield from self._run_episode(number, episode, done)

    def summary(self, seconds: float) -> UnitRecord:
        """What the unit took, once it is over."""
        counted = self.memory_model
        return UnitRecord(
            model=self.model.name,
            strategy=self.strategy.spec.text,
            dialogue=self.dialogue.number,
            seconds=seconds,
            memory_seconds=self.memory_seconds,
            memory_calls=counted.calls if counted else 0,
            memory_prompt_tokens=counted.prompt_tokens if counted else 0,
            memory_completion_tokens=counted.completion_tokens if counted else 0,
        )

    def _run_episode(
        self, number: int, episode: Episode, done: Collection[str]
    ) -> Iterator[tuple[Record, StoredContext | None]]:
        broken: str | None = None
        strategy: MemoryStrategy | None = None
        for session in episode.sessions:
            questions = [
                question
                for question in episode.questions.get(session.index, ())
                if self._id(question) not in done
            ]
            if broken is None:
                try:
                    strategy = strategy or self._build(number)
                    self._observe(strategy, session)
                except ModelUnavailable:
                    raise
                except Exception as error:
                    broken = self._blame(error, f"observing session {session.index}")
            for question in questions:
                if broken is not None or strategy is None:
                    yield self._failure(question, STRATEGY_ERROR, broken or ""), None
                else:
                    yield self._ask(strategy, question)

    def _build(self, episode: int) -> MemoryStrategy:
        seed = f"{self.harness.seed}/{self.strategy.spec.text}/{self.dialogue.number}/{episode}"
        return self.strategy.build(
            StrategyContext(
                speakers=self.dialogue.context.speakers,
                model=self.memory_model,
                count_tokens=self.harness.count_tokens,
                token_budget=self.harness.token_budget,
                rng=random.Random(seed),
                prompts=self.harness.prompts,
            )
        )

    def _observe(self, strategy: MemoryStrategy, session: Session) -> None:
        speakers = self.dialogue.context.speakers
        view = session.oracle_view(speakers) if strategy.oracle else session.view(speakers)
        with self._memory_clock():
            strategy.observe(view)

    def _ask(
        self, strategy: MemoryStrategy, question: Question
    ) -> tuple[Record, StoredContext | None]:
        try:
            with self._memory_clock():
                recall = strategy.recall(question.query)
            context = self.store.store(recall)
        except ModelUnavailable:
            raise
        except Exception as error:
            what = self._blame(error, f"recalling after session {question.session}")
            return self._failure(question, STRATEGY_ERROR, what), None
        prompt = self.builder.prompt(recall, question.query, question.ref)
        count = self.harness.count_tokens
        context_tokens = sum(map(count, prompt.parts[1:-1])) if recall.passages else 0
        ends = count(prompt.parts[0]) + count(prompt.parts[-1])
        asked = self._record(question).model_copy(
            update={
                "context": context.id,
                "context_tokens": context_tokens,
                "prompt_tokens": context_tokens + ends,
                "notes": recall.notes,
            }
        )
        return self._answered(asked, question, prompt), context

    def _answered(self, asked: Record, question: Question, prompt: Prompt) -> Record:
        started = time.perf_counter()
        try:
            completion = self.model.generate(prompt)
        except ModelUnavailable:
            raise
        except ModelError as error:
            return asked.model_copy(update={"outcome": error.kind, "error": str(error)})
        except Exception as error:
            what = f"{self.model.name}: {type(error).__name__}: {error}"
            return asked.model_copy(update={"outcome": MODEL_ERROR, "error": what})
        return asked.model_copy(
            update={
                "answer": completion.text,
                "reasoning": completion.reasoning,
                "finish_reason": completion.finish_reason,
                "usage": completion.usage,
                "latency": round(completion.latency or time.perf_counter() - started, 6),
                "verdicts": {
                    scorer.name: tuple(
                        scorer.judge(completion.text, question.rules, question.elicited)
                    )
                    for scorer in self.harness.scorers
                },
            }
        )

    def _failure(self, question: Question, outcome: str, error: str) -> Record:
        return self._record(question).model_copy(update={"outcome": outcome, "error": error})

    def _record(self, question: Question) -> Record:
        return Record(
            id=self._id(question),
            model=self.model.name,
            strategy=self.strategy.spec.text,
            dialogue=question.dialogue,
            setting=question.setting,
            session=question.session,
            number=question.number,
            query=question.query,
        )

    def _id(self, question: Question) -> str:
        return question.id(self.strategy.spec.text, self.model.name)

    def _blame(self, error: Exception, doing: str) -> str:
        return (
            f"{self.strategy.spec.text}, dialogue {self.dialogue.number}, {doing}: "
            f"{type(error).__name__}: {error}"
        )

    @contextmanager
    def _memory_clock(self) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.memory_seconds += time.perf_counter() - started
