"""Runs the units of a plan over a pool of threads and writes the run's folder.

Models block, hence threads; a unit asks its questions one after the other, with the history first
in the prompt, so that an endpoint's prefix cache can serve them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Protocol

from memorycode.running.folder import RunWriter
from memorycode.running.job import Job
from memorycode.running.plan import Episode
from memorycode.running.records import Record
from memorycode.running.unit import UnitRunner


class Progress(Protocol):
    """Is told of every question that is done; for progress bars."""

    def start(self, total: int, done: int) -> None: ...

    def advance(self, record: Record) -> None: ...


class NoProgress:
    """Tells nobody."""

    def start(self, total: int, done: int) -> None:
        pass

    def advance(self, record: Record) -> None:
        pass


def run_job(job: Job, writer: RunWriter, *, concurrency: int, progress: Progress) -> None:
    """Ask every planned question that the folder does not have yet.

    Raises `ModelUnavailable` where a model cannot be used at all; what was answered is kept.
    """
    worker = _Worker(writer, progress)
    total = sum(entry.planned for entry in job.settings.strategies) * len(job.models)
    progress.start(total, min(len(worker.done), total))
    waiting = job.units()
    running: set[Future[None]] = set()
    with ThreadPoolExecutor(max_workers=concurrency) as pool:
        try:
            # A few units ahead of the threads: a plan of any size stays small in memory.
            for unit, episodes in islice(waiting, 2 * concurrency):
                running.add(pool.submit(worker.run, unit, episodes))
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    future.result()
                for unit, episodes in islice(waiting, len(finished)):
                    running.add(pool.submit(worker.run, unit, episodes))
        finally:
            # After an error or Ctrl-C the others finish the question under way, and no more.
            worker.stop.set()


class _Worker:
    """Runs units in the pool's threads and writes down what they yield."""

    def __init__(self, writer: RunWriter, progress: Progress) -> None:
        self.stop = threading.Event()
        self.done = frozenset(record.id for record in writer.folder.records())
        self._writer, self._progress = writer, progress

    def run(self, unit: UnitRunner, episodes: Sequence[Episode]) -> None:
        started = time.perf_counter()
        asked = False
        for record, context in unit.run(episodes, self.done):
            if context is not None:
                self._writer.add_context(context)
            self._writer.add_record(record)
            self._progress.advance(record)
            asked = True
            if self.stop.is_set():
                return
        if asked:
            self._writer.add_unit(unit.summary(round(time.perf_counter() - started, 6)))
