"""Signs of life on standard error: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from datetime import timedelta
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

from memorycode.generation.job import DialogueOutcome
from memorycode.reporting.console import printable
from memorycode.running.meter import Meter
from memorycode.running.records import AskedRecord

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
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not self._in_terminal,
        )
        self._task: TaskID | None = None
        self._total = self._done = self._done_before = self._failed = 0
        self._has_told = False
        self._began = time.monotonic()
        self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        """What stands there last is how it ended, and not how it was a while ago."""
        if self._task is not None:
            self._bars.update(self._task, state=self._state)
        self._bars.stop()
        if self._has_told:
            self._tell()

    def start(self, total: int, done: int) -> None:
        """Open the bar; what was done before stands in it already."""
        self._total, self._done, self._done_before = total, done, done
        self._began = time.monotonic()
        self._task = self._bars.add_task(self._things, total=total, completed=done, state="")
        if done:
            print(
                f"resumed: {done:,} of {total:,} {self._things} were there already", file=sys.stderr
            )

    def _step(self, failed: bool) -> None:
        with self._lock:
            self._done += 1
            self._failed += failed
            if self._task is not None:
                self._bars.update(self._task, advance=1, state=self._state)
            if not self._in_terminal and time.monotonic() > self._next_line:
                self._next_line = time.monotonic() + _SECONDS_BETWEEN_LINES
                self._has_told = True
                self._tell(self._left)

    def _tell(self, *more: str) -> None:
        line = f"{self._done:,} of {self._total:,} {self._things}"
        print(", ".join(filter(None, (line, self._state, *more))), file=sys.stderr, flush=True)

    @property
    def _state(self) -> str:
        return f"{self._failed} failed" if self._failed else ""

    @property
    def _rate(self) -> float:
        """Per second, of what was done in this process."""
        seconds = time.monotonic() - self._began
        return (self._done - self._done_before) / seconds if seconds > 0 else 0.0

    @property
    def _speed(self) -> str:
        rate = self._rate
        if not rate:
            return ""
        return f"{rate:,.1f} a second" if rate >= 1 else f"{60 * rate:,.1f} a minute"

    @property
    def _left(self) -> str:
        rate = self._rate
        if not rate:
            return ""
        return f"{timedelta(seconds=round((self._total - self._done) / rate))} left"


def _short(tokens: int) -> str:
    """``1.2M``: how much it is, at a glance."""
    for size, letter in ((1_000_000_000, "G"), (1_000_000, "M"), (1000, "k")):
        if tokens >= size:
            return f"{tokens / size:.1f}{letter}"
    return str(tokens)


class RunProgress(_Progress):
    """The questions of a run; behind their number what is sent, what fails and what it costs."""

    _things = "questions"

    def __init__(self) -> None:
        super().__init__()
        self._kinds: Counter[str] = Counter()
        self._meter: Meter | None = None

    def watch(self, meter: Meter) -> None:
        """What the run sends is read from here."""
        self._meter = meter

    def tell(self, line: str) -> None:
        """On a line of its own, on standard error."""
        print(f"memorycode: {printable(line)}", file=sys.stderr)

    def advance(self, record: AskedRecord) -> None:
        """One more question is done."""
        if record.failed:
            with self._lock:
                self._kinds[record.outcome] += 1
        self._step(record.failed)

    @property
    def _state(self) -> str:
        parts = [self._speed, *(f"{count} {kind}" for kind, count in self._kinds.most_common(3))]
        spent = self._meter.spent if self._meter is not None else None
        if spent is not None and spent.prompt_tokens:
            parts.append(f"{_short(spent.prompt_tokens + spent.completion_tokens)} tokens")
        if spent is not None and spent.dollars:
            parts.append(f"${spent.dollars:,.2f}")
        return ", ".join(filter(None, parts))


class RescoringProgress(_Progress):
    """The answers that are judged again, once for each scorer."""

    _things = "answers"

    def advance(self) -> None:
        """One more is judged."""
        self._step(False)


class GenerationProgress(_Progress):
    """The dialogues that are generated."""

    _things = "dialogues"

    def advance(self, outcome: DialogueOutcome) -> None:
        """One more dialogue is done."""
        self._step(bool(outcome.problem))


class GridProgress:
    """Texts that have vectors, then dialogues measured; used in a ``with`` statement."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def embedding(self, done: int, total: int) -> None:
        self._show("texts with vectors", done, total)

    def measuring(self, done: int, total: int) -> None:
        self._show("dialogues", done, total)

    def _show(self, things: str, done: int, total: int) -> None:
        if things not in self._tasks:
            self._tasks[things] = self._bars.add_task(things, total=total)
        self._bars.update(self._tasks[things], completed=done)
