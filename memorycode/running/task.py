"""One task: play a dialogue to a strategy and ask a model at the checkpoints."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memorycode.dialogue import Dialogue, Session
from memorycode.errors import PLUGIN_FAULTS, ModelError, ModelUnavailable, PluginError
from memorycode.plugins import StrategyPlugin
from memorycode.prompts import PromptPack
from memorycode.protocols import (
    Embedder,
    MemoryStrategy,
    Model,
    Passage,
    Prompt,
    Recall,
    Scorer,
    StrategyContext,
)
from memorycode.running.budget import Cut, cut_to_budget
from memorycode.running.checks import (
    MODEL_ERROR,
    checked_completion,
    checked_kind,
    checked_recall,
    said,
)
from memorycode.running.contexts import ContextStore
from memorycode.running.counted_embedder import CountedEmbedder
from memorycode.running.counted_model import CountedModel
from memorycode.running.plan import Episode, Question
from memorycode.running.prompting import PromptBuilder
from memorycode.running.records import MemoryCost, Record, StoredContext, TaskRecord
from memorycode.scoring.attribution import Attributor

STRATEGY_ERROR = "strategy_error"
"""The outcome of a question whose strategy raised an exception."""


@dataclass(frozen=True)
class Harness:
    """What all tasks of a run share."""

    prompts: PromptPack
    count_tokens: Callable[[str], int]
    scorers: Sequence[Scorer]
    embedder: Embedder
    seed: int
    context_budget: int | None = None

    def context(
        self, dialogue: Dialogue, model: Model | None, embedder: Embedder, rng: random.Random
    ) -> StrategyContext:
        """What a strategy is built with for a dialogue."""
        return StrategyContext(
            speakers=dialogue.context.speakers,
            model=model,
            embedder=embedder,
            count_tokens=self.count_tokens,
            token_budget=self.context_budget,
            rng=rng,
            # A copy: what a strategy does to it must not reach the others' prompts.
            prompts=self.prompts.model_copy(deep=True),
        )


@dataclass
class TaskRunner:
    """Runs the episodes of one dialogue with one strategy and one model.

    `oracle` says what the manifest says: whether the strategy is shown gold labels.
    """

    harness: Harness
    strategy: StrategyPlugin
    oracle: bool
    model: Model
    dialogue: Dialogue
    memory_seconds: float = 0.0
    memory_model: CountedModel | None = field(init=False)
    memory_embedder: CountedEmbedder = field(init=False)
    builder: PromptBuilder = field(init=False)
    store: ContextStore = field(init=False)

    def __post_init__(self) -> None:
        self.builder = PromptBuilder(self.harness.prompts, self.dialogue.context.speakers)
        self.store = ContextStore(self.dialogue)
        self.memory_embedder = CountedEmbedder(self.harness.embedder, self.harness.count_tokens)
        self._bounded: tuple[Recall, tuple[Recall, Cut | None]] | None = None
        counted = CountedModel(self.model, self.harness.count_tokens)
        self.memory_model = counted if self.model.is_language_model else None

    def run(
        self, episodes: Sequence[Episode], done: Collection[str], stopped: Callable[[], bool]
    ) -> Iterator[tuple[Record, StoredContext | None]]:
        """Ask every question that is not among `done` (ids), in order.

        Looks at `stopped` before each session. Raises `ModelUnavailable` where going on makes no
        sense; every other failure is a record.
        """
        for number, episode in enumerate(episodes):
            if any(self._id(question) not in done for question in episode.all_questions):
                yield from self._run_episode(number, episode, done, stopped)

    def summary(self, seconds: float) -> TaskRecord:
        """What the task took, once it is over."""
        counted = self.memory_model
        calls = (
            {}
            if counted is None
            else {
                "calls": counted.calls,
                "prompt_tokens": counted.prompt_tokens,
                "completion_tokens": counted.completion_tokens,
                "failures": dict(counted.failures),
            }
        )
        return TaskRecord(
            model=self.model.name,
            strategy=self.strategy.spec.text,
            dialogue=self.dialogue.number,
            seconds=seconds,
            memory=MemoryCost.model_validate(
                {
                    "seconds": self.memory_seconds,
                    "embedded_texts": self.memory_embedder.texts,
                    "embedded_tokens": self.memory_embedder.tokens,
                    **calls,
                }
            ),
        )

    def _run_episode(
        self,
        number: int,
        episode: Episode,
        done: Collection[str],
        stopped: Callable[[], bool],
    ) -> Iterator[tuple[Record, StoredContext | None]]:
        broken: str | None = None
        strategy: MemoryStrategy | None = None
        attributor = Attributor(episode.sessions, self.dialogue.context.mentor)
        for session in episode.sessions:
            if stopped():
                return
            if broken is None:
                try:
                    strategy = strategy or self._build(number)
                    self._observe(strategy, session)
                except ModelUnavailable:
                    raise
                except PLUGIN_FAULTS as error:
                    broken = self._blame(error, f"observing session {session.index}")
            for question in episode.questions.get(session.index, ()):
                if self._id(question) in done:
                    continue
                if broken is not None or strategy is None:
                    yield self._record(question, outcome=STRATEGY_ERROR, error=broken), None
                else:
                    yield self._ask(strategy, question, attributor)

    def _build(self, episode: int) -> MemoryStrategy:
        seed = f"{self.harness.seed}/{self.strategy.spec.text}/{self.dialogue.number}/{episode}"
        context = self.harness.context(
            self.dialogue, self.memory_model, self.memory_embedder, random.Random(seed)
        )
        with self._memory_clock():
            strategy = self.strategy.build(context)
        if strategy.oracle != self.oracle:
            raise PluginError(f"oracle was {self.oracle} on trial and is {strategy.oracle} here")
        return strategy

    def _observe(self, strategy: MemoryStrategy, session: Session) -> None:
        speakers = self.dialogue.context.speakers
        view = session.oracle_view(speakers) if self.oracle else session.view(speakers)
        with self._memory_clock():
            strategy.observe(view)

    def _ask(
        self, strategy: MemoryStrategy, question: Question, attributor: Attributor
    ) -> tuple[Record, StoredContext | None]:
        try:
            with self._memory_clock():
                recalled = checked_recall(strategy.recall(question.query))
            recall, cut = self._within_budget(recalled)
            context = self.store.store(recall)
        except ModelUnavailable:
            raise
        except PLUGIN_FAULTS as error:
            what = self._blame(error, f"recalling after session {question.session}")
            return self._record(question, outcome=STRATEGY_ERROR, error=what), None
        prompt = self.builder.prompt(recall, question.query, question.ref)
        asked = self._lengths(recall, prompt) | {
            "context": context.id,
            "notes": recall.notes,
            "cut": cut,
            "found": attributor.found(question.rules, session=question.session, recall=recall),
        }
        answered = self._answer(prompt)
        judged = self._judge(question, recall, answered, attributor)
        return self._record(question, **asked, **answered, **judged), context

    def _within_budget(self, recall: Recall) -> tuple[Recall, Cut | None]:
        """The recall as far as the budget holds it; one recall is cut once for all questions."""
        budget = self.harness.context_budget
        if budget is None:
            return recall, None
        if self._bounded is None or self._bounded[0] is not recall:
            self._bounded = recall, cut_to_budget(recall, budget, self._cost)
        return self._bounded[1]

    def _cost(self, passage: Passage) -> int:
        return self.harness.count_tokens(self.builder.part(passage))

    def _lengths(self, recall: Recall, prompt: Prompt) -> dict[str, Any]:
        first, *middle, last = map(self.harness.count_tokens, prompt.parts)
        return {
            "context_tokens": sum(middle) if recall.passages else 0,
            "prompt_tokens": first + sum(middle) + last,
        }

    def _answer(self, prompt: Prompt) -> dict[str, Any]:
        """The fields of the record that the model fills."""
        started = time.perf_counter()
        try:
            completion = checked_completion(self.model.generate(prompt), self.model)
        except ModelUnavailable:
            raise
        except ModelError as error:
            return {"outcome": checked_kind(error.kind), "error": said(error)}
        except PLUGIN_FAULTS as error:
            return {"outcome": MODEL_ERROR, "error": f"{type(error).__name__}: {said(error)}"}
        return {
            "answer": completion.text,
            "reasoning": completion.reasoning,
            "finish_reason": completion.finish_reason,
            "usage": completion.usage,
            "latency": round(completion.latency or time.perf_counter() - started, 6),
        }

    def _judge(
        self,
        question: Question,
        recall: Recall,
        answered: Mapping[str, Any],
        attributor: Attributor,
    ) -> dict[str, Any]:
        """The fields of the record that the scorers fill; none for a failure."""
        if "answer" not in answered:
            return {}
        answer, rules = answered["answer"], question.rules
        verdicts, causes = {}, {}
        for scorer in self.harness.scorers:
            verdicts[scorer.name] = scorer.judge(answer, rules, question.elicited)
            causes[scorer.name] = attributor.causes(
                answer,
                rules,
                verdicts[scorer.name],
                session=question.session,
                recall=recall,
                scorer=scorer,
            )
        return {"verdicts": verdicts, "causes": {k: v for k, v in causes.items() if v}}

    def _record(self, question: Question, **fields: Any) -> Record:
        return Record(
            id=self._id(question),
            model=self.model.name,
            strategy=self.strategy.spec.text,
            dialogue=question.dialogue,
            setting=question.setting,
            session=question.session,
            number=question.number,
            query=question.query,
            **fields,
        )

    def _id(self, question: Question) -> str:
        return question.id(self.strategy.spec.text, self.model.name)

    def _blame(self, error: BaseException, doing: str) -> str:
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        return (
            f"{self.strategy.spec.text}, dialogue {self.dialogue.number}, {doing}: "
            f"{type(error).__name__}: {said(error)}{place}"
        )

    @contextmanager
    def _memory_clock(self) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.memory_seconds += time.perf_counter() - started
