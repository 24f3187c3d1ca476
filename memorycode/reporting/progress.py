"""A progress bar on standard error."""

from __future__ import annotations

import threading

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

from memorycode.running.records import Record


class RichProgress:
    """Questions done, failures, time gone and time left. Silent where there is no terminal."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[failed]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._failed = 0
        self._lock = threading.Lock()

    def __enter__(self) -> RichProgress:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def start(self, total: int, done: int) -> None:
        """Open the bar; `done` questions of an earlier run stand in it already."""
        self._task = self._bars.add_task("questions", total=total, completed=done, failed="")

    def advance(self, record: Record) -> None:
        if self._task is None:
            return
        with self._lock:
            self._failed += record.failed
            failed = f"{self._failed} failed" if self._failed else ""
        self._bars.update(self._task, advance=1, failed=failed)
