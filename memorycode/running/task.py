"""One task: play a dialogue to a strategy and ask a model at the checkpoints."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from memorycode.dialogue import Dialogue
from memorycode.errors import ModelError, ModelUnavailable
from memorycode.plugin_faults import named, plugin_faults, said
from memorycode.plugins import StrategyPlugin
from memorycode.protocols import MemoryStrategy, Model, Prompt, Recall
from memorycode.running.checks import MODEL_ERROR, checked_completion, kind_of, was_cached
from memorycode.running.contexts import ContextStore
from memorycode.running.counted_model import CountedModel, usage_of
from memorycode.running.harness import Harness
from memorycode.running.plan import Episode, Question
from memorycode.running.playing import Asking, Player
from memorycode.running.records import (
    CONTEXT_TOO_LONG,
    STRATEGY_ERROR,
    MemoryCost,
    Record,
    StoredContext,
    TaskRecord,
)
from memorycode.running.redaction import redacted_line
from memorycode.scoring.attribution import Attributor, RulesFound


@dataclass
class TaskRunner:
    """Runs the episodes of one dialogue with one strategy and one model.

    `oracle` says what the manifest says: whether the strategy is shown gold labels. `played` is
    whether anything was shown to the strategy at all.
    """

    harness: Harness
    strategy: StrategyPlugin
    oracle: bool
    model: Model
    dialogue: Dialogue
    played: bool = field(init=False, default=False)
    memory_model: CountedModel | None = field(init=False)
    player: Player = field(init=False)
    store: ContextStore = field(init=False)

    def __post_init__(self) -> None:
        self.store = ContextStore(self.dialogue)
        reached = self.harness.access.to(self.model, 0)
        counted = CountedModel(reached, self.harness.count_tokens)
        self.memory_model = counted if self.model.is_language_model else None
        self.player = Player(
            self.harness,
            self.strategy,
            self.oracle,
            self.dialogue,
            memory_model=self.memory_model,
            room=self.harness.room_of(self.model),
        )

    def run(
        self, episodes: Sequence[Episode], done: Collection[str], stopped: Callable[[], bool]
    ) -> Iterator[tuple[Record, StoredContext | None]]:
        """Ask every question that is not among `done` (ids), in order.

        Looks at `stopped` before each session and question. Raises `Halted` where the run stops
        before a call, and `ModelUnavailable` where going on makes no sense; every other failure is
        a record.
        """
        for number, episode in enumerate(episodes):
            if any(self._id(question) not in done for question in episode.all_questions):
                for played in self._run_episode(number, episode, done, stopped):
                    yield played
                    if stopped():
                        return

    def summary(self, seconds: float) -> TaskRecord:
        """What the task took so far."""
        counted = self.memory_model
        return TaskRecord(
            model=self.model.name,
            strategy=self.strategy.spec.text,
            dialogue=self.dialogue.number,
            seconds=seconds,
            memory=MemoryCost.model_validate(
                {
                    "seconds": self.player.seconds,
                    "embedded_texts": self.player.embedder.texts,
                    "embedded_tokens": self.player.embedder.tokens,
                    **({} if counted is None else counted.counts),
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
        attributor = Attributor(episode.sessions, self.dialogue.context.speakers)
        for session in episode.sessions:
            if stopped():
                return
            self.played = True
            if broken is None:
                try:
                    strategy = strategy or self.player.build(number)
                    self.player.observe(strategy, session)
                except plugin_faults() as error:
                    broken = self._blame(error, f"observing session {session.index}")
                self._check_memory_is_whole()
            asked = [q for q in episode.questions.get(session.index, ()) if self._id(q) not in done]
            for _, samples in groupby(asked, key=lambda question: question.number):
                if broken is not None or strategy is None:
                    yield from self._failed(samples, broken)
                else:
                    yield from self._ask(strategy, list(samples), attributor)

    def _check_memory_is_whole(self) -> None:
        """Raise what ends the run where the memory's call to the model or the embedder did: a
        strategy may have caught it and gone on without the answer, or raised something else. One
        that raises the like without having asked them speaks of a model of its own."""
        for asked in (self.memory_model, self.player.embedder):
            if asked is not None and asked.gone is not None:
                raise asked.gone

    def _ask(
        self, strategy: MemoryStrategy, samples: Sequence[Question], attributor: Attributor
    ) -> Iterator[tuple[Record, StoredContext | None]]:
        """Recall once, and ask for each sample."""
        question = samples[0]
        try:
            asking = self.player.ask(strategy, question)
            context = self.store.store(asking.recall)
        except plugin_faults() as error:
            self._check_memory_is_whole()
            what = self._blame(error, f"recalling after session {question.session}")
            yield from self._failed(samples, what)
            return
        self._check_memory_is_whole()
        asked = {
            "context_tokens": asking.context_tokens,
            "prompt_tokens": asking.prompt_tokens,
            "context": context.id,
            "notes": asking.recall.notes,
            "cut": asking.cut,
        }
        found: RulesFound | None = None
        for sample in samples:
            answered = self._answer(asking, sample)
            # Transcripts are read for rules once the model has been asked, and while other threads
            # wait for it: nobody waits for the reading. All samples have one recall.
            found = found or attributor.found(
                question.rules, session=question.session, recall=asking.recall
            )
            judged = self._judge(sample, asking.recall, answered, attributor)
            yield self._record(sample, **asked, **answered, **judged, found=found), context

    def _failed(
        self, questions: Iterator[Question] | Sequence[Question], what: str | None
    ) -> Iterator[tuple[Record, None]]:
        for question in questions:
            yield self._record(question, outcome=STRATEGY_ERROR, error=what), None

    def _answer(self, asking: Asking, sample: Question) -> dict[str, Any]:
        """The fields of the record that the model fills."""
        if asking.overlong:
            return {"outcome": CONTEXT_TOO_LONG, "error": asking.overlong, "unsent": True}
        prompt = Prompt(parts=asking.prompt.parts, ref=sample.ref)
        model = self.harness.access.to(self.model, sample.sample)
        started = time.perf_counter()
        try:
            completion = checked_completion(model.generate(prompt), self.model)
        except ModelUnavailable:
            raise
        except ModelError as error:
            return {"outcome": kind_of(error), "error": said(error)}
        except plugin_faults() as error:
            return {"outcome": MODEL_ERROR, "error": named(error)}
        counted = (
            usage_of(completion, prompt, self.harness.count_tokens)
            if self.model.is_language_model
            else completion.usage
        )
        return {
            "answer": completion.text,
            "reasoning": completion.reasoning,
            "finish_reason": completion.finish_reason,
            "usage": counted,
            "latency": round(completion.latency or time.perf_counter() - started, 6),
            "cached": was_cached(completion),
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
        record = Record(
            id=self._id(question),
            model=self.model.name,
            strategy=self.strategy.spec.text,
            dialogue=question.dialogue,
            setting=question.setting,
            session=question.session,
            number=question.number,
            sample=question.sample,
            query=question.query,
            **fields,
        )
        return redacted_line(record, self.harness.secrets)

    def _id(self, question: Question) -> str:
        return question.id(self.strategy.spec.text, self.model.name)

    def _blame(self, error: BaseException, doing: str) -> str:
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        return (
            f"{self.strategy.spec.text}, dialogue {self.dialogue.number}, {doing}: "
            f"{named(error)}{place}"
        )
