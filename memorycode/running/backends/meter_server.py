"""The run's one meter, as tasks in other processes reach it.

Before each call a worker asks whether it may be sent, and afterwards says what became of it, so
that limits are as exact as in one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal

from memorycode.protocols import Usage
from memorycode.running.meter import Halted, Meter

Call = Literal["send", "answered", "failed", "stopping"]
"""What a worker asks or tells: the meter's methods, and whether tasks are to end."""

Ask = Callable[..., str]
"""Called with a `Call` and what belongs to it. It returns a reason to stop, or ""."""

SECONDS_BETWEEN_LOOKS = 0.2
"""A worker asks no more often than that whether it is to stop."""


class MeterServer:
    """Answers workers: passes on to the meter what they ask and tell."""

    def __init__(self, meter: Meter, stopped: Callable[[], bool]) -> None:
        self.meter, self._stopped = meter, stopped

    def answer(self, call: Call, *what: Any) -> str:
        """Why the run stops, where it does, else ""."""
        if call == "stopping":
            return "the run stops" if self._stopped() else ""
        try:
            getattr(self.meter, call)(*what)
        except Halted as error:
            return str(error)
        return ""


class RemoteMeter:
    """The meter in a worker. Where it cannot be reached no call may be sent: the run is over."""

    def __init__(self, ask: Ask) -> None:
        self.stopped = ""
        self._ask = ask

    def send(self, model: str, prompt_tokens: int) -> None:
        """One call is about to be sent. Raises `Halted` where it may not."""
        self._tell("send", model, prompt_tokens)

    def answered(self, model: str, prompt_tokens: int, usage: Usage) -> None:
        self._tell("answered", model, prompt_tokens, usage)

    def failed(self, model: str, prompt_tokens: int, kind: str, problem: str) -> None:
        self._tell("failed", model, prompt_tokens, kind, problem)

    def _tell(self, call: Call, *what: Any) -> None:
        try:
            self.stopped = self._ask(call, *what)
        except Exception as error:
            # Not a failure of the model, which it would be taken for.
            self.stopped = f"the run cannot be reached any more: {type(error).__name__}"
            raise Halted(self.stopped) from error
        if self.stopped:
            raise Halted(self.stopped)


class StopFlag:
    """Whether a task is to end, as a worker learns it."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._stops = False
        self._asked = time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        if not self._stops and now - self._asked >= SECONDS_BETWEEN_LOOKS:
            self._asked = now
            self._stops = bool(self._ask("stopping"))
        return self._stops
