"""The run's one meter, as tasks in other processes reach it.

Before each call a worker asks whether it may be sent, and afterwards says what became of it, so
that limits are as exact as in one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

from memorycode.errors import Halted
from memorycode.protocols import Usage
from memorycode.running.meter import Meter

Call = Literal["send", "answered", "failed", "stopping", "began", "ended"]
"""What a worker asks or tells: the meter's methods, whether tasks are to end, and that a call of
the strategy began, over what, or ended."""

Ask = Callable[..., str]
"""Called with a `Call` and what belongs to it. It returns a reason to stop, or ""."""

SECONDS_BETWEEN_LOOKS = 0.2
"""A worker asks no more often than that whether it is to stop."""


class StrategyWatch:
    """How long a worker's strategy has been at work on one call. While the worker waits for a model
    that does not matter: the model has a bound of its own."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self.doing = ""
        self._deadline: float | None = None
        self._waits = 0

    def note(self, call: Call, what: Sequence[Any]) -> None:
        """The worker has asked or told this, and was let through."""
        if call == "began" and self._seconds is not None:
            self.doing, self._deadline = str(what[0]), time.monotonic() + self._seconds
        elif call == "ended":
            self._deadline = None
        elif call != "stopping":
            self._waits += 1 if call == "send" else -1

    @property
    def left(self) -> float | None:
        """The seconds that the call still has; None where nothing bounds it now."""
        if self._deadline is None or self._waits > 0:
            return None
        return max(0.0, self._deadline - time.monotonic())


class MeterServer:
    """Answers workers: passes on to the meter what they ask and tell."""

    def __init__(self, meter: Meter, stopped: Callable[[], bool]) -> None:
        self.meter, self._stopped = meter, stopped

    def answer(self, watch: StrategyWatch, call: Call, *what: Any) -> str:
        """Why the run stops, where it does, else "". `watch` is the worker's."""
        try:
            if call == "stopping":
                return "the run stops" if self._stopped() else ""
            if call not in ("began", "ended"):
                getattr(self.meter, call)(*what)
        except Halted as error:
            return str(error)
        watch.note(call, what)
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
