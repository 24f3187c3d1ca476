"""Runs the tasks of a job over a pool of threads and writes the run's folder.

Models block, hence threads; a task asks its questions one after the other, with the history first
in the prompt, so that an endpoint's prefix cache can serve them. A thread plays its task itself or
waits for a process that does (`memorycode.running.backends`); what is written is written here.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Protocol

from memorycode.errors import Halted, ModelUnavailable
from memorycode.plugin_process import end_process
from memorycode.running.backends import Executor
from memorycode.running.job import Job, Task
from memorycode.running.meter import Meter
from memorycode.running.records import AskedRecord, Judgement, TaskEvent
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
    worker = _Worker(writer, progress, done)
    progress.start(job.planned, len(done))
    waiting = _shares(job, executor)
    running: set[Future[None]] = set()
    pool = ThreadPoolExecutor(max_workers=executor.size)
    try:
        # A few tasks ahead of the threads: a job of any size stays small in memory.
        for share in islice(waiting, 2 * executor.size):
            running.add(pool.submit(worker.run, share))
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                try:
                    future.result()
                except ModelUnavailable as error:
                    if not (done or worker.has_answers):
                        raise
                    # A quota that is used up in mid-run takes nothing from what was answered.
                    meter.end(f"{error}")
            if meter.stopped:
                worker.stop.set()
                continue
            for share in islice(waiting, len(finished)):
                running.add(pool.submit(worker.run, share))
    finally:
        # After an error or Ctrl-C the tasks under way finish their session, and no more.
        worker.stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _shares(job: Job, executor: Executor) -> Iterator[Share]:
    """What a thread takes at a time: a task; or, where workers share no memory, all tasks of a
    dialogue, so that one of them reads its transcript, if that leaves enough to go round."""
    tasks = map(executor.make_task, job.tasks())
    whole = executor.apart and len(job.dialogues) >= DIALOGUES_EACH * executor.size
    size = len(job.models) * len(job.strategies) if whole else 1
    return iter(lambda: tuple(islice(tasks, size)), ())


class _Worker:
    """Runs tasks in the pool's threads and writes down what they yield."""

    def __init__(self, writer: RunWriter, progress: Progress, done: frozenset[str]) -> None:
        self.stop, self.has_answers = threading.Event(), False
        self._process = os.getpid()
        self._writer, self._progress, self._done = writer, progress, done

    def run(self, share: Share) -> None:
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
            except BaseException:
                # Here and not where the result is read: by then this thread has the next task.
                self.stop.set()
                raise
            finally:
                # Also of a task that is stopped: what its memory has spent is spent.
                if task.played:
                    self._writer.add_task(task.summary(round(time.perf_counter() - started, 6)))

    def _write(self, event: TaskEvent) -> None:
        if os.getpid() != self._process:
            # A copy of the run that a plug-in made by a fork: there must be one only.
            end_process(1)
        if isinstance(event, Judgement):
            self._writer.add_judgement(event)
            return
        record, context = event
        if context is not None:
            self._writer.add_context(context)
        self._writer.add_asked(record)
        self.has_answers = self.has_answers or not record.failed
        if record.failed:
            self._writer.log(f"failed {record.outcome} {record.id}")
        self._progress.advance(record)
