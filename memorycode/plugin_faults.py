"""What plug-ins raise by mistake, told from what must go on: the user's own Ctrl-C.

A plug-in and the libraries behind it may raise anything: `asyncio.CancelledError` and what native
modules raise where they panic are no `Exception`, and `sys.exit` would end the run as if all were
well. Whatever it is, it is the fault of that plug-in alone.
"""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any

from memorycode.messages import without_half_pairs

_MOST_CHARACTERS = 100_000
"""Of a text, so that none takes all of the memory. Whoever shows one removes the secrets in it
first and cuts it then: half a key would not be found."""

MOST_SHOWN = 2000
"""Characters of a text that records and messages have."""


def plugin_faults() -> tuple[type[BaseException], ...]:
    """What is a plug-in's fault: for an ``except`` clause, ``except plugin_faults() as error``.

    Python evaluates it once something has been raised. That is everything but a Ctrl-C.
    """
    return () if _is_ctrl_c(sys.exception()) else (BaseException,)


def _is_ctrl_c(error: BaseException | None) -> bool:
    """Python hands the signal to the main thread alone, and nowhere where it is ignored, as in
    workers: any other `KeyboardInterrupt` was raised by hand."""
    return (
        isinstance(error, KeyboardInterrupt)
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    )


def said(error: BaseException) -> str:
    """An exception's text, also where asking for it raises."""
    try:
        return without_half_pairs(str(error))[:_MOST_CHARACTERS]
    except plugin_faults():
        return "(its text cannot be had)"


def named(error: BaseException) -> str:
    """An exception's class and text."""
    return f"{type(error).__name__}: {said(error)}"


def optional(plugin: object, attribute: str, default: Any) -> Any:
    """What a plug-in may have; `default` where it has none, or asking for it raises."""
    try:
        return getattr(plugin, attribute, default)
    except plugin_faults():
        return default
