"""Signs of life on standard error: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars

from memorycode.generation.job import Outcome
from memorycode.running.records import Record

_SECONDS_BETWEEN_LINES = 15


class _Progress:
    """What is done and what failed, time gone and time left; used in a ``with`` statement."""

    _things = ""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._in_terminal = console.is_terminal
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[failed]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not self._in_terminal,
        )
        self._task: TaskID | None = None
        self._total = self._done = self._failed = 0
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def start(self, total: int, done: int) -> None:
        """Open the bar; what was done before stands in it already."""
        self._total, self._done = total, done
        self._task = self._bars.add_task(self._things, total=total, completed=done, failed="")
        if done:
            print(
                f"resumed: {done:,} of {total:,} {self._things} were there already", file=sys.stderr
            )

    def _step(self, failed: bool) -> None:
        with self._lock:
            self._done += 1
            self._failed += failed
            if self._task is not None:
                self._bars.update(self._task, advance=1, failed=self._failures)
            if not self._in_terminal and time.monotonic() > self._next_line:
                self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
                line = f"{self._done:,} of {self._total:,} {self._things} {self._failures}"
                print(line.rstrip(), file=sys.stderr, flush=True)

    @property
    def _failures(self) -> str:
        return f"{self._failed} failed" if self._failed else ""


class RunProgress(_Progress):
    """The questions of a run."""

    _things = "questions"

    def advance(self, record: Record) -> None:
        """One more question is done."""
        self._step(record.failed)


class GenerationProgress(_Progress):
    """The dialogues that are generated."""

    _things = "dialogues"

    def advance(self, outcome: Outcome) -> None:
        """One more dialogue is done."""
        self._step(bool(outcome.problem))
