"""Runs the tasks of a job over several threads and writes the run's folder.

Models block, hence threads; a task asks its questions one after the other, with the history first
in the prompt, so that an endpoint's prefix cache can serve them. A thread plays its task itself or
waits for a process that does (`memorycode.running.backends`); what is written is written here.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from memorycode.errors import Halted, ModelUnavailable
from memorycode.plugin_faults import optional
from memorycode.plugin_process import end_process
from memorycode.running.backends import Executor
from memorycode.running.job import Job, Task
from memorycode.running.meter import MOST_LEFT_BEHIND, Meter
from memorycode.running.records import STRATEGY_TIMEOUT, AskedRecord, Judgement, TaskEvent
from memorycode.running.writer import RunWriter

Share = tuple[Task, ...]
"""Tasks that are run one after the other."""

DIALOGUES_EACH = 4
"""With fewer for each worker, the last ones would be waited for while the others have nothing."""


class Progress(Protocol):
    """Is told of every question that is done; for progress bars."""

    def watch(self, meter: Meter) -> None:
        """What the run sends can be read from `meter` while it goes on."""
        ...

    def tell(self, line: str) -> None:
        """Something that whoever runs this should know."""
        ...

    def start(self, total: int, done: int) -> None:
        """`done` of the `total` questions were answered before."""
        ...

    def advance(self, record: AskedRecord) -> None: ...


class NoProgress:
    """Tells nobody."""

    def watch(self, meter: Meter) -> None:
        pass

    def tell(self, line: str) -> None:
        pass

    def start(self, total: int, done: int) -> None:
        pass

    def advance(self, record: AskedRecord) -> None:
        pass


NO_PROGRESS = NoProgress()


def run_job(
    job: Job,
    writer: RunWriter,
    meter: Meter,
    *,
    executor: Executor,
    progress: Progress,
    retry_failed: bool = False,
) -> None:
    """Ask every planned question that the folder does not have yet, or until the meter stops it.

    Args:
        job: What is planned.
        writer: Of the folder.
        meter: Says when to stop.
        executor: Plays the tasks.
        progress: Is told of every question.
        retry_failed: Whether failed questions are asked again.

    Raises:
        ModelUnavailable: a model cannot be used at all. Where there are answers already the meter
            says so instead.
    """
    done = frozenset(
        id_ for id_, failed in writer.recorded.items() if not (failed and retry_failed)
    )
    progress.start(job.planned, len(done))
    threads = _Threads(_shares(job, executor), writer, progress, meter, done)
    try:
        threads.start(executor.size)
        threads.wait()
    except KeyboardInterrupt:
        threads.stop.set()
        progress.tell(f"{threads.under_way}{_bound(job)}; press Ctrl-C again to leave now")
        threads.wait()
        raise
    finally:
        threads.leave()
    if threads.problem is not None:
        raise threads.problem


def _bound(job: Job) -> str:
    """How long what is under way may take, as far as that is known."""
    asked = [model for model in job.models if model.is_language_model]
    known = [optional(model, "timeout", None) for model in asked]
    seconds = [one for one in known if isinstance(one, (int, float))]
    strategy = job.context.strategy_timeout
    if not asked:
        return "" if strategy is None else f", up to {strategy:g} s"
    if len(seconds) < len(asked):
        return ""
    longest = f", up to {max(seconds):g} s for an attempt at a model"
    return longest if strategy is None else f"{longest} and {strategy:g} s for a strategy"


def _shares(job: Job, executor: Executor) -> Iterator[Share]:
    """What a thread takes at a time: a task; or, where workers share no memory, all tasks of a
    dialogue, so that one of them reads its transcript, if that leaves enough to go round."""
    tasks = map(executor.make_task, job.tasks())
    whole = executor.apart and len(job.dialogues) >= DIALOGUES_EACH * executor.size
    size = len(job.models) * len(job.strategies) if whole else 1
    return iter(lambda: tuple(islice(tasks, size)), ())


class _Threads:
    """Run tasks and write down what they yield. No thread keeps the interpreter from ending: one
    may hang in a strategy.

    `problem` is the first thing that a task raised.
    """

    def __init__(
        self,
        shares: Iterator[Share],
        writer: RunWriter,
        progress: Progress,
        meter: Meter,
        done: frozenset[str],
    ) -> None:
        self.stop = threading.Event()
        self._left = self._has_answers = False
        self._process = os.getpid()
        # Taken one by one: a job of any size stays small in memory.
        self._shares, self._taking = shares, threading.Lock()
        self._writer, self._progress, self._meter, self._done = writer, progress, meter, done
        self._hung: set[tuple[int, str, str]] = set()
        self._alive = 0
        self._ending = threading.Condition()
        self.problem: BaseException | None = None

    def start(self, size: int) -> None:
        for _ in range(size):
            with self._ending:
                self._alive += 1
            threading.Thread(target=self._work, daemon=True).start()

    def wait(self) -> None:
        """Until all are done."""
        with self._ending:  # to join a thread once more after a Ctrl-C waits for nothing
            self._ending.wait_for(lambda: not self._alive)

    @property
    def under_way(self) -> str:
        """What is waited for."""
        count = self._alive
        return f"waiting for {count} question{'s' * (count != 1)} under way"

    def leave(self) -> None:
        """Nothing is written any more, whoever is at work still."""
        self.stop.set()
        self._left = True

    def _work(self) -> None:
        try:
            while (share := self._next()) is not None:
                self._run(share)
                if self._meter.stopped:
                    self.stop.set()
        except BaseException as error:
            # At once: the other threads are not to begin anything more.
            self.stop.set()
            if isinstance(error, ModelUnavailable) and (self._done or self._has_answers):
                # A quota that is used up in mid-run takes nothing from what was answered.
                self._meter.end(f"{error}")
            else:
                self.problem = self.problem or error
        finally:
            with self._ending:
                self._alive -= 1
                self._ending.notify_all()

    def _next(self) -> Share | None:
        with self._taking:
            return None if self.stop.is_set() else next(self._shares, None)

    def _run(self, share: Share) -> None:
        """Run some tasks, one after the other, until the run is stopped; what a task raises stops
        it."""
        for task in share:
            if self.stop.is_set():
                return
            started = time.perf_counter()
            try:
                for event in task.run(self._done, self.stop.is_set):
                    self._write(event)
            except Halted:
                # The run stops as it should: whoever waits for the tasks asks why.
                self.stop.set()
            finally:
                # Also of a task that is stopped: what its memory has spent is spent.
                if task.played and not self._left:
                    self._writer.add_task(task.summary(round(time.perf_counter() - started, 6)))

    def _write(self, event: TaskEvent) -> None:
        if os.getpid() != self._process:
            # A copy of the run that a plug-in made by a fork: there must be one only.
            end_process(1)
        if self._left:
            raise Halted("nobody waits for this any more")
        if isinstance(event, Judgement):
            self._writer.add_judgement(event)
            return
        record, context = event
        if context is not None:
            self._writer.add_context(context)
        self._writer.add_asked(record)
        self._has_answers = self._has_answers or not record.failed
        if record.failed:
            self._writer.log(f"failed {record.outcome} {record.id}")
        if record.outcome == STRATEGY_TIMEOUT:
            self._tell_hung(record)
        self._progress.advance(record)

    def _tell_hung(self, record: AskedRecord) -> None:
        """Once for each task."""
        with self._taking:
            task = (record.dialogue, record.strategy, record.model)
            is_new = task not in self._hung
            self._hung.add(task)
        if self._meter.stopped:
            self.stop.set()
        elif is_new:
            left = self._meter.left_behind
            what = f"{left} of at most {MOST_LEFT_BEHIND} threads" if left else "a process"
            ended = "left behind" if left else "ended"
            self._progress.tell(f"{record.error}; {what} {ended}")
