"""What a strategy does to the process that it runs in: what is written, started and replaced."""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import os
import pkgutil
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from memorycode.errors import ForkRefused

Names = Mapping[str, tuple[object, ...]]
"""What each name stands for, held so that no other object is taken for it."""

_OURS = ("memorycode", "memory_strategies", "baselines")
_LOOKED_AT = ("memorycode.running", "memorycode.scoring", "memorycode.results", "memory_strategies")
"""Packages that are imported before the strategy is, so that what it replaces in them shows."""

_OF_PYTHON = (
    *("ast", "builtins", "hashlib", "io", "json", "math", "os", "random", "re", "statistics"),
    *("time", "tokenize"),
)
_SPECIAL = frozenset({"__call__", "__eq__", "__getattribute__", "__hash__", "__init__", "__new__"})
"""The members of classes with such names that are looked at: Python and pydantic write others."""

_PATIENCE = 2.0
"""Seconds that threads and processes are given to end."""

# ── what is replaced ──────────────────────────────────────────────────────────────────────────


def import_looked_at() -> None:
    """Import what a run is scored and reported with."""
    for name in _LOOKED_AT:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            with contextlib.suppress(ImportError):  # an adapter to what is not installed
                importlib.import_module(module.name)


def names_in_modules() -> Names:
    """The modules of ours that are loaded, some of Python's, and what their names stand for."""
    found: dict[str, tuple[object, ...]] = {}
    for name, module in list(sys.modules.items()):
        if name in _OF_PYTHON or name.split(".")[0] in _OURS:
            found[name] = (module,)
            for key, value in list(vars(module).items()):
                if not key.startswith("__"):
                    found[f"{name}.{key}"] = (value, *_within(key, value))
                    if isinstance(value, type) and value.__module__ == name:
                        found |= _members(f"{name}.{key}", value)
    return found


def replaced(before: Names, after: Names, own: str) -> list[str]:
    """The names that stand for something else now, but those of the strategy's `own` module."""
    changed = [
        name
        for name, was in before.items()
        if not _is_same(was, after.get(name, ())) and not _is_below(name, own)
    ]
    added = [
        name
        for name, (value, *_) in after.items()
        if name not in before
        and not isinstance(value, ModuleType)
        and name.rpartition(".")[0] in before
        and not _is_below(name, own)
    ]
    return sorted({*changed, *added})


def _within(key: str, value: object) -> tuple[object, ...]:
    """What a function is made of, and what a constant holds."""
    if isinstance(value, FunctionType):
        return (value.__code__, value.__defaults__, value.__kwdefaults__)
    if key.isupper() and type(value) is dict:
        return (*value, *value.values())
    return tuple(value) if key.isupper() and type(value) is list else ()


def _members(name: str, class_: type) -> Iterator[tuple[str, tuple[object, ...]]]:
    for key, value in list(vars(class_).items()):
        if key in _SPECIAL or not key.startswith("_"):
            yield f"{name}.{key}", (value, *_within(key, value))


def _is_same(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _is_below(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}.")


# ── what is set for the whole process ─────────────────────────────────────────────────────────


def process_state() -> dict[str, Any]:
    """What all plug-ins of a process share, by the words that name it."""
    state: dict[str, Any] = {
        f"the environment's {name}": value for name, value in os.environ.items()
    }
    for number in signal.valid_signals():
        with contextlib.suppress(ValueError):
            state[f"the handler of {signal.Signals(number).name}"] = signal.getsignal(number)
    state |= {f"sys.{name}": getattr(sys, name) for name in ("stdin", "stdout", "stderr")}
    state["sys.argv"] = list(sys.argv)
    state["sys.excepthook"] = sys.excepthook
    state["the recursion limit"] = sys.getrecursionlimit()
    state["the working directory"] = Path.cwd()
    state["the seed of the random module"] = _Chance(random.getstate()[1][:-1])
    numpy = importlib.import_module("numpy.random")
    state["the seed of numpy.random"] = _Chance(tuple(map(int, numpy.get_state()[1])))
    return state


def changed_state(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The words for what is another one now."""
    return sorted(
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    )


@dataclass(frozen=True, eq=False)
class _Chance:
    """The words of a Mersenne twister. Libraries draw from those that all share, which is no harm;
    one that is seeded again would repeat what others draw."""

    words: tuple[int, ...]

    def __eq__(self, later: object) -> bool:
        """Whether drawing alone leads from here to there."""
        if not isinstance(later, _Chance):
            return False
        drawn = random.Random()
        drawn.setstate((_TWISTER, (*self.words, len(self.words)), None))
        for _ in range(_MOST_TWISTS):
            if drawn.getstate()[1][:-1] == later.words:
                return True
            drawn.getrandbits(32 * len(self.words))
        return False

    __hash__ = None  # type: ignore[assignment]


_TWISTER = 3  # the version of the state that Python's own has
_MOST_TWISTS = 500


# ── what is written ───────────────────────────────────────────────────────────────────────────


@contextmanager
def written_to(*descriptors: int) -> Iterator[bytearray]:
    """What is written to these file descriptors in the block, whoever writes; there once it has
    ended. What `warnings` and `logging` say of themselves is none of it."""
    written = bytearray()
    with tempfile.TemporaryFile() as file, warnings.catch_warnings(), _unheard_logging():
        warnings.simplefilter("ignore")
        saved = [os.dup(descriptor) for descriptor in descriptors]
        _flush()
        for descriptor in descriptors:
            os.dup2(file.fileno(), descriptor)
        try:
            yield written
        finally:
            _flush()
            for descriptor, copy in zip(descriptors, saved, strict=True):
                os.dup2(copy, descriptor)
                os.close(copy)
            file.seek(0)
            written += file.read(_MOST_READ)


_MOST_READ = 10_000


@contextmanager
def _unheard_logging() -> Iterator[None]:
    last, logging.lastResort = logging.lastResort, logging.NullHandler()
    try:
        yield
    finally:
        logging.lastResort = last


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()  # type: ignore[union-attr]


# ── what is started ───────────────────────────────────────────────────────────────────────────


_forks: list[str] = []


def refuse_forks() -> None:
    """From now on `os.fork` and its kind raise `ForkRefused` in this process: what is forked would
    go on with the checks, beside the kit."""
    sys.addaudithook(_refuse_fork)


def _refuse_fork(event: str, _: object) -> None:
    if event in ("os.fork", "os.forkpty"):
        _forks.append(event)
        raise ForkRefused(
            f"{event}() doubles a process that has threads and open records; start a program by "
            "subprocess, or use multiprocessing's 'spawn'"
        )


def forks_tried() -> list[str]:
    """What was refused so far."""
    return list(_forks)


def threads() -> set[threading.Thread]:
    return set(threading.enumerate())


def left_running(
    before: set[threading.Thread], known: set[threading.Thread], own: str
) -> list[str]:
    """What goes on after a play and does not end by itself soon: processes, and threads.

    Args:
        before: The threads that there were before anything was played.
        known: Those after a first play: what a library starts once for all is no leak.
        own: The strategy's module, whose threads are never taken for a library's.
    """
    gc.collect()
    end = time.monotonic() + _PATIENCE
    while (left := _running(before, known, own)) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def _running(before: set[threading.Thread], known: set[threading.Thread], own: str) -> list[str]:
    new = threads() - before
    left = sorted(t.name for t in new if t not in known or _is_below(_home(t), own))
    return [f"the thread {name!r}" for name in left] + ["a process"] * _has_child()


def _home(thread: threading.Thread) -> str:
    """The module that a thread's code stands in."""
    if type(thread) is not threading.Thread:
        return type(thread).__module__
    return str(getattr(getattr(thread, "_target", None), "__module__", ""))


def _has_child() -> bool:
    """Whether a process that this one started still runs; those that have ended are forgotten."""
    if not hasattr(os, "waitid"):
        return False
    try:
        while os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG) is not None:
            pass
    except ChildProcessError:
        return False
    return True
