"""What plug-ins may do to the process that they run in: they neither end it nor write its output.

Standard output belongs to tables and ``--json``. What plug-ins print, and the libraries behind
them, goes to standard error. And a run that did not finish must never end with status 0, as it
would where a plug-in calls `os._exit`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

end_process: Final = os._exit
"""`os._exit` as Python has it, for processes of ours that are to end by it."""

_SYSTEM: Final = sys.modules[os.name]
"""The module in C that `os` has these from: libraries take them from there too."""

_LEAVING: Final[dict[str, Callable[..., Any]]] = {
    name: getattr(os, name) for name in ("_exit", "execv", "execve", "abort")
}
"""What ends a process, or what runs in it, without Python's knowing."""


class _Kept:
    """Counts who wants the process to stay: runs may be under way in several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0

    def hold(self) -> None:
        with self._lock:
            self._holders += 1
            if self._holders == 1:
                for name, leave in _LEAVING.items():
                    refusing = _refusing(name, leave)
                    setattr(os, name, refusing)
                    setattr(_SYSTEM, name, refusing)

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            if not self._holders:
                for name, leave in _LEAVING.items():
                    setattr(os, name, leave)
                    setattr(_SYSTEM, name, leave)


def _refusing(name: str, leave: Callable[..., Any]) -> Callable[..., Any]:
    process = os.getpid()

    def refuse(*arguments: Any, **named: Any) -> Any:
        if os.getpid() != process:  # a child, made by a fork, has to end by it
            return leave(*arguments, **named)
        raise SystemExit(f"os.{name}() would end the run")

    return refuse


_kept = _Kept()


@contextmanager
def kept_alive() -> Iterator[None]:
    """Within the block `os._exit` and its kind raise `SystemExit` in this process, a fault of the
    plug-in that calls them. What ends the process from within C cannot be held up like that."""
    _kept.hold()
    try:
        yield
    finally:
        _kept.release()


def keep_alive_for_good() -> None:
    """As `kept_alive`, until the process ends: what a plug-in has Python do at its end cannot give
    it another status."""
    _kept.hold()


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """What is printed within the block goes to standard error, whoever prints: Python, the system,
    a library in C, a process that is started there."""
    _flush()
    saved = _copy_of_stdout()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _flush()
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


def redirect_stdout_for_good() -> None:
    """As `stdout_to_stderr`, until the process ends."""
    _flush()
    saved = _copy_of_stdout()
    if saved is not None:
        os.close(saved)
    sys.stdout = sys.stderr


def _copy_of_stdout() -> int | None:
    """A copy of the descriptor, which is then standard error; None where either is closed."""
    try:
        saved = os.dup(1)
    except OSError:
        return None
    try:
        os.dup2(2, 1)
    except OSError:
        os.close(saved)
        return None
    return saved


def _flush() -> None:
    """Write what Python and C hold back; it belongs where the output goes now."""
    for stream in (sys.stdout, sys.__stdout__):
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:
                stream.flush()
    if sys.platform != "win32":
        import ctypes

        ctypes.CDLL(None).fflush(None)
