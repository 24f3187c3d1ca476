"""Asks a model again where that can help, at the pace that its endpoint takes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    sleep_using_event,
    stop_after_attempt,
    stop_when_event_set,
)
from tenacity.wait import wait_random_exponential

from memorycode.errors import ModelError
from memorycode.models.failures import PassingFailure
from memorycode.models.pacing import Pacer
from memorycode.protocols import Completion

LONGEST_WAIT = 300.0
"""Seconds: an endpoint that wants to be left alone for longer is not waited for."""

_BACK_OFF = wait_random_exponential(multiplier=0.5, max=60)
_JITTER = 0.1
"""Of what the endpoint asks to wait: those who were sent away together come back one by one."""


class Attempts:
    """Makes the calls to one model; shared between threads.

    A passing failure is followed by up to `max_retries` more attempts. Before each it waits: as
    long as the endpoint asks, else for a random time that grows with every attempt. While it waits
    it takes nobody's place, and the time counts for no deadline.
    """

    def __init__(
        self,
        max_retries: int,
        *,
        sleep: Callable[[float], None] | None = None,
        pacer: Pacer | None = None,
    ) -> None:
        self.pacer = pacer or Pacer()
        self._over = threading.Event()
        self._retrying = Retrying(
            stop=stop_after_attempt(max_retries + 1) | stop_when_event_set(self._over),
            wait=_pause,
            retry=retry_if_exception(_is_worth_waiting_for),
            sleep=sleep_using_event(self._over) if sleep is None else sleep,
            reraise=True,
        )

    def call(self, attempt: Callable[[], Completion]) -> Completion:
        """What the attempt returns. Raises the `ModelError` of the last one."""
        made = 0

        def once() -> Completion:
            nonlocal made
            made += 1
            with self.pacer.turn():
                return attempt()

        try:
            return self._retrying(once)
        except PassingFailure as failure:
            raise ModelError(f"{failure}{_history(made, failure)}", kind=failure.kind) from None

    def close(self) -> None:
        """Wait no longer, now and from now on: each call under way has one attempt left."""
        self._over.set()


def _is_worth_waiting_for(error: BaseException) -> bool:
    return isinstance(error, PassingFailure) and (error.retry_after or 0) <= LONGEST_WAIT


def _pause(state: RetryCallState) -> float:
    failure = state.outcome.exception() if state.outcome else None
    asked = failure.retry_after if isinstance(failure, PassingFailure) else None
    if asked is None:
        return _BACK_OFF(state)
    return asked * (1 + random.uniform(0, _JITTER))


def _history(made: int, failure: PassingFailure) -> str:
    if not _is_worth_waiting_for(failure):
        return f" (asks to be left alone for {failure.retry_after:.0f} s, which is too long)"
    return f" (asked {made} times)" if made > 1 else ""
