"""Work spread over several processes. Ctrl-C reaches the one that started them, and no other."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any, TypeVar

from memorycode.errors import MemorycodeError
from memorycode.plugin_process import end_process, kept_alive, redirect_stdout_for_good

T = TypeVar("T")
R = TypeVar("R")


def spread(build: Callable[[], Callable[[T], R]], items: Sequence[T], workers: int) -> Generator[R]:
    """What the function that `build` gives makes of each item, in the order in which it is done.

    `build` is called once in each process, so it may set up what all its items need; it and the
    items have to be picklable. With one worker all is done in this process. Closed early, it ends
    what is under way. Raises `MemorycodeError` where a process dies.
    """
    workers = min(workers, len(items))
    if workers <= 1:
        yield from map(build(), items)
        return
    # A forked copy of a process with threads (a progress bar has one) may hang.
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    with _interrupted_later():  # half an executor leaves semaphores behind
        executor = ProcessPoolExecutor(workers, context, _start, (build, theirs))
    try:
        yield from _completed(executor, items)
    except BaseException:
        ours.close()  # nobody waits for what is still being made
        raise
    finally:
        executor.shutdown(cancel_futures=True)
        ours.close()
        theirs.close()


def _completed(executor: ProcessPoolExecutor, items: Sequence[Any]) -> Iterator[Any]:
    try:
        for future in as_completed(_submitted(executor, items)):
            yield future.result()
    except BrokenProcessPool as error:
        raise MemorycodeError(
            "a process has died, perhaps for want of memory; the same call goes on where it stopped"
        ) from error


def _submitted(executor: ProcessPoolExecutor, items: Sequence[Any]) -> list[Future[Any]]:
    futures = []
    for item in items:
        with _interrupted_later():  # it is here that the executor starts its processes
            futures.append(executor.submit(_work_here, item))
    return futures


@contextlib.contextmanager
def _interrupted_later() -> Iterator[None]:
    """Puts Ctrl-C off until the end of the block, and for ever in processes that it starts.

    A terminal sends it to all of them. One that is starting would die of it with a traceback,
    whether it were struck itself or cut off from a parent that was.
    """
    struck: list[int] = []
    # Another thread may take the signal in spite of the mask; Python then handles it in this one.
    with interrupts_handled(lambda number, _: struck.append(number)), interrupts_blocked():
        yield
    if struck:
        signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def interrupts_handled(
    handler: Callable[[int, FrameType | None], None] | signal.Handlers,
) -> Iterator[None]:
    """Within the block Ctrl-C is handled so, where this thread is the one that handles signals."""
    if threading.current_thread() is not threading.main_thread():  # it handles no signals
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """What is started here never sees Ctrl-C, which a terminal sends to all processes: a new one
    inherits what signals the thread that starts it has blocked."""
    if sys.platform == "win32":  # it has no such masks
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ── in a worker ───────────────────────────────────────────────────────────────────────────────

_work: Callable[[Any], Any] | None = None
"""Of a worker process, set once when it starts."""


def _start(build: Callable[[], Callable[[Any], Any]], parent: Connection) -> None:
    global _work  # noqa: PLW0603  the only way to hand something to all tasks of a process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where there are no masks
    redirect_stdout_for_good()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _work = build()


def _end_with(parent: Connection) -> None:
    """A worker whose parent was killed would go on writing without the folder's lock.

    Nothing is ever sent: the connection is at its end when the parent closes it or is gone.
    """
    parent.poll(None)
    end_process(1)


def _work_here(item: Any) -> Any:
    assert _work, "the process was started by _start"
    with kept_alive():
        return _work(item)
