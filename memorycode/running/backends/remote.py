"""A task that another process plays, as the process sees it that writes the run's folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Protocol

from memorycode.errors import MemorycodeError, StrategyHung, WorkerLost
from memorycode.running.backends.specs import Ended, TaskSpec
from memorycode.running.job import PlannedTask
from memorycode.running.records import Asked, TaskEvent, TaskRecord

ATTEMPTS = 3
"""How often a task is played before a run gives up on one whose worker dies each time."""


class Workers(Protocol):
    """Processes that play tasks."""

    def play(self, task_spec: TaskSpec, stopped: Callable[[], bool]) -> Iterator[TaskEvent | Ended]:
        """Hand the task to a worker; its questions as they come in, and, last, how it ended.

        Once `stopped` says so, the worker is told to end before the next question. Raises
        `WorkerLost` where the worker dies, and `StrategyHung` once it was ended because the
        strategy took longer than it may.
        """
        ...


class RemoteTask:
    """One task, played by a worker; when that dies, what is missing is asked through another."""

    def __init__(self, workers: Workers, task: PlannedTask) -> None:
        self._workers, self._task = workers, task
        self._ended: Ended | None = None

    @property
    def played(self) -> bool:
        """Whether it is known what the task took. What a worker that died had spent is not."""
        return self._ended is not None and self._ended.task is not None

    def summary(self, _seconds: float) -> TaskRecord:
        """What the task took, by the worker's clock: waiting for a worker is no work."""
        assert self._ended and self._ended.task, "asked for where it was played"
        return self._ended.task

    def run(self, done: Collection[str], stopped: Callable[[], bool]) -> Iterator[TaskEvent]:
        """As `TaskRunner.run`. Raises `MemorycodeError` where one worker after the other dies."""
        task, asked = self._task, self._task.ids
        had = set(asked.intersection(done))
        for _ in range(ATTEMPTS):
            if had == asked or stopped():
                return
            task_spec = TaskSpec(task.dialogue, task.entry.spec, task.model.name, frozenset(had))
            try:
                for event in self._played(task_spec, stopped):
                    if isinstance(event, Asked):
                        had.add(event.record.id)
                    yield event
                return
            except WorkerLost:
                continue
            except StrategyHung as hung:
                yield from self._timed_out(had, str(hung))
                return
        raise MemorycodeError(
            f"{ATTEMPTS} workers in a row died of {task}, perhaps for want of memory; "
            "what was answered is kept, and the same command goes on from here"
        )

    def _timed_out(self, had: Collection[str], doing: str) -> Iterator[TaskEvent]:
        for question in self._task.questions:
            if self._task.id_of(question) not in had:
                yield Asked(self._task.timed_out(question, doing), None)

    def _played(self, task_spec: TaskSpec, stopped: Callable[[], bool]) -> Iterator[TaskEvent]:
        for heard in self._workers.play(task_spec, stopped):
            if not isinstance(heard, Ended):
                yield heard
                continue
            self._ended = heard
            if heard.problem is not None:
                raise heard.problem.error()
