"""What else a strategy does than remember: a run's process is shared by all that it plays."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memorycode.conformance.finding import ConformanceCheck
from memorycode.conformance.subject import Subject, passages_of
from memorycode.conformance.witness import witnessed
from memorycode.errors import Fault

_ARGUMENTS: tuple[tuple[str, ...], ...] = (
    ("memorycode", "run", "--model", "openai/gpt-4o", "--dataset", "dataset", "--out", "runs/a"),
    ("memorycode", "check", "mine:Memory"),
    ("evaluation.py",),
)
_SHOWN = 3
"""So many of what was found are named."""


def _no_output(subject: Subject) -> str:
    written = witnessed(subject).written.strip()
    if written:
        raise Fault(
            f"it wrote {_beginning(written)} to the terminal, where tables and progress stand; say "
            "it by logging, or in the recall's notes"
        )
    return "nothing written to standard output or error"


def _nothing_left_running(subject: Subject) -> str:
    seen = witnessed(subject)
    if seen.forks:
        raise Fault(
            f"it called {seen.forks[0]}(), which doubles a process that has threads and open "
            "records; start a program by subprocess, or use multiprocessing's 'spawn'"
        )
    if seen.left_running:
        raise Fault(
            f"it left {_listed(seen.left_running)} running after the dialogue was over; end with "
            "the instance what it starts, by weakref.finalize for one"
        )
    return "no fork, and no thread or process left when the dialogue was over"


def _nothing_replaced(subject: Subject) -> str:
    seen = witnessed(subject)
    if seen.replaced:
        raise Fault(
            f"it replaced {_listed(seen.replaced)}, which other strategies and the scorers use; "
            "wrap or subclass in its own module what is to behave otherwise"
        )
    if seen.changed:
        raise Fault(
            f"it changed {_listed(seen.changed)}, which the whole process shares; keep what it "
            "sets in the instance, draw from context.rng, and put back what has to be changed"
        )
    return "modules, environment, working directory, signal handlers and seeds are as they were"


def _same_arguments(subject: Subject) -> str:
    dialogue = subject.synthetic(34, 6).dialogue
    plain = passages_of(subject.start(dialogue).play())
    for arguments in _ARGUMENTS:
        with _command_line(arguments):
            recalled = passages_of(subject.start(dialogue).play())
        if recalled != plain:
            what = (
                f"with the command line {' '.join(arguments)!r} it recalled something else; take "
                "parameters after the star of __init__, and leave sys.argv alone"
            )
            subject.blame_difference(dialogue, plain, what)
    return f"{len(_ARGUMENTS)} other command lines: the same recall"


@contextmanager
def _command_line(arguments: Sequence[str]) -> Iterator[None]:
    """In place, for whoever has taken the list itself."""
    before = list(sys.argv), list(sys.orig_argv)
    try:
        sys.argv[:] = arguments
        sys.orig_argv[:] = [sys.executable, *arguments]
        yield
    finally:
        sys.argv[:], sys.orig_argv[:] = before


def _beginning(text: str) -> str:
    line = text.splitlines()[0]
    return repr(line if len(line) <= 60 else f"{line[:60]}…")


def _listed(found: Sequence[str]) -> str:
    more = len(found) - _SHOWN
    return ", ".join(found[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


NO_OUTPUT = ConformanceCheck(
    "no_output",
    "a dialogue is played in a fresh process whose standard output and error are looked at",
    _no_output,
)
NOTHING_REPLACED = ConformanceCheck(
    "nothing_replaced",
    "after a dialogue, modules, classes and what a process shares are as they were before",
    _nothing_replaced,
)
NOTHING_LEFT_RUNNING = ConformanceCheck(
    "nothing_left_running",
    "forks are refused, and after a dialogue threads and processes have to be gone",
    _nothing_left_running,
)
SAME_ARGUMENTS = ConformanceCheck(
    "same_arguments",
    "the same dialogue with other command lines in sys.argv",
    _same_arguments,
    compares=True,
)
