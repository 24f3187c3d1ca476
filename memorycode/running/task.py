"""One task: play a dialogue to a strategy and ask a model at the checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from typing import Any

from memorycode.errors import ModelError, ModelUnavailable, StrategyHung
from memorycode.optional_members import address_of
from memorycode.plugin_faults import MOST_SHOWN, named, plugin_faults, said
from memorycode.protocols import Completion, Prompt
from memorycode.running.checks import MODEL_ERROR, checked_completion, kind_of, was_cached
from memorycode.running.counted_model import usage_of
from memorycode.running.episode import DueQuestion, EpisodeRunner, PreparedPrompt
from memorycode.running.job import PlannedTask
from memorycode.running.judging import AnswerJudge
from memorycode.running.model_stack import ModelStack
from memorycode.running.plan import Question
from memorycode.running.records import (
    CONTEXT_TOO_LONG,
    STRATEGY_ERROR,
    Asked,
    TaskEvent,
    TaskRecord,
)
from memorycode.running.strategy_calls import StrategyCalls


class TaskRunner:
    """Runs a task: all that one model is asked about one dialogue with one strategy."""

    def __init__(
        self, models: ModelStack, task: PlannedTask, calls: StrategyCalls | None = None
    ) -> None:
        """Prepare to run it; `calls` calls the strategy: directly, unless given."""
        self._models, self._task, self._calls = models, task, calls
        self._address = address_of(task.model)
        model = models.reach(task.model, 0) if task.model.is_language_model else None
        self._runner = EpisodeRunner(
            task.context,
            task.plugin,
            task.dialogue,
            oracle=task.entry.oracle,
            model=model,
            room=task.context.room_of(task.model),
            calls=calls,
        )

    @property
    def played(self) -> bool:
        """Whether anything was shown to the strategy at all."""
        return self._runner.played

    def run(self, done: Collection[str], stopped: Callable[[], bool]) -> Iterator[TaskEvent]:
        """Ask every question that is not among `done` (ids), in order.

        Looks at `stopped` before each session and question. Raises `Halted` where the run stops
        before a call, and `ModelUnavailable` where going on makes no sense; every other failure is
        a record.
        """

        def is_open(question: Question) -> bool:
            return self._task.id_of(question) not in done

        context = self._task.context
        try:
            for number, episode in enumerate(self._task.episodes):
                if any(map(is_open, episode.all_questions)):
                    judge = AnswerJudge(
                        context.scorers, context.reader, self._task.dialogue, episode
                    )
                    for due in self._runner.play(number, episode, is_open, stopped):
                        yield from self._ask(due, judge, stopped)
        finally:
            if self._calls is not None:
                self._calls.close()

    def summary(self, seconds: float) -> TaskRecord:
        """What the task took so far."""
        return TaskRecord(
            model=self._task.model.name,
            strategy=self._task.entry.spec,
            dialogue=self._task.dialogue.number,
            seconds=seconds,
            memory=self._runner.memory_cost,
        )

    def _ask(
        self, due: DueQuestion, judge: AnswerJudge, stopped: Callable[[], bool]
    ) -> Iterator[TaskEvent]:
        """Ask once for each repeat."""
        prepared = due.prepared
        if prepared is None:
            for question in due.repeats:
                if isinstance(due.failure, StrategyHung):
                    record = self._task.timed_out(question, str(due.failure))
                else:
                    failure = {"outcome": STRATEGY_ERROR, "error": f"{due.failure}"}
                    record = self._task.record(question, **failure)
                yield Asked(record, None)
            return
        common = {
            "context_tokens": prepared.context_tokens,
            "prompt_tokens": prepared.prompt_tokens,
            "context": prepared.context.id,
            "notes": prepared.recall.notes,
            "truncated": prepared.truncated,
        }
        for question in due.repeats:
            if stopped():
                return
            record = self._task.record(question, **common, **self._answer(prepared, question))
            yield Asked(record, prepared.context)
            # After the answer is written down, and while other threads wait for their models:
            # nobody waits for transcripts to be read.
            yield judge.judgement(record, question, prepared.recall)

    def _answer(self, prepared: PreparedPrompt, question: Question) -> dict[str, Any]:
        """The fields of the record that the model fills."""
        if prepared.overlong:
            return {"outcome": CONTEXT_TOO_LONG, "error": prepared.overlong, "unsent": True}
        prompt = Prompt(parts=prepared.prompt.parts, ref=question.ref)
        task = self._task
        started = time.perf_counter()
        try:
            reached = self._models.reach(task.model, question.repeat)
            completion = checked_completion(reached.generate(prompt), task.model, prompt)
        except ModelUnavailable:
            raise
        except ModelError as error:
            failed = {"outcome": kind_of(error), "error": self._clean(said(error))}
        except plugin_faults() as error:
            failed = {"outcome": MODEL_ERROR, "error": self._clean(named(error))}
        else:
            return self._answered(completion, prompt, started)
        return failed | {"address": self._address}

    def _answered(self, completion: Completion, prompt: Prompt, started: float) -> dict[str, Any]:
        task = self._task
        counted = (
            usage_of(completion, prompt, task.context.count_tokens)
            if task.model.is_language_model
            else completion.usage
        )
        return {
            "answer": completion.text,
            "reasoning": completion.reasoning,
            "finish_reason": completion.finish_reason,
            "usage": counted,
            "latency": round(completion.latency or time.perf_counter() - started, 6),
            "cached": was_cached(completion),
            "address": "" if was_cached(completion) else self._address,
        }

    def _clean(self, told: str) -> str:
        """What was raised, as a record may have it."""
        secrets = self._task.context.secrets.with_environment()
        return secrets.removed_from(told)[:MOST_SHOWN]
