"""Asks a model again where that can help, at the pace that its endpoint takes."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from tenacity import (
    AttemptManager,
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
)
from tenacity.wait import wait_random_exponential

from memorycode.errors import ModelError
from memorycode.models.failures import PassingFailure
from memorycode.models.pacing import Pacer

LONGEST_WAIT = 300.0
"""Seconds: an endpoint that wants to be left alone for longer is not waited for."""

_BACK_OFF = wait_random_exponential(multiplier=0.5, max=60)
_JITTER = 0.1
"""Of what the endpoint asks to wait: those who were sent away together come back one by one."""


class Attempts:
    """The attempts at each call to one model; shared between threads. One call goes

    ::

        for attempt in attempts:
            with attempt:
                return ask()

    and what `ask` raises is raised, save that a passing failure is followed by up to `max_retries`
    more attempts. Before each it waits: as long as the endpoint asks, else for a random time that
    grows with every attempt. While it waits it takes nobody's place, and the time counts for no
    deadline.
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
        self._most = max_retries + 1
        self._retrying = Retrying(
            retry=retry_if_exception_type(PassingFailure),
            stop=self._is_last,
            wait=_pause,
            sleep=sleep_using_event(self._over) if sleep is None else sleep,
            retry_error_callback=_give_up,
        )

    def __iter__(self) -> Iterator[AbstractContextManager[None]]:
        return map(self._paced, self._retrying)

    def close(self) -> None:
        """Wait no longer, now and from now on: each call under way has one attempt left."""
        self._over.set()

    def _is_last(self, state: RetryCallState) -> bool:
        made = state.attempt_number
        return made >= self._most or self._over.is_set() or _is_too_long_to_wait(state)

    @contextmanager
    def _paced(self, attempt: AttemptManager) -> Iterator[None]:
        with attempt, self.pacer.turn():
            yield


def _failure(state: RetryCallState) -> PassingFailure:
    """What the last attempt of a call failed by, where tenacity asks what is to come of it."""
    failure = state.outcome and state.outcome.exception()
    assert isinstance(failure, PassingFailure)
    return failure


def _is_too_long_to_wait(state: RetryCallState) -> bool:
    return (_failure(state).retry_after or 0) > LONGEST_WAIT


def _pause(state: RetryCallState) -> float:
    asked = _failure(state).retry_after
    return _BACK_OFF(state) if asked is None else asked * (1 + random.uniform(0, _JITTER))


def _give_up(state: RetryCallState) -> None:
    """Raise the last failure, with what was done about it."""
    failure, made = _failure(state), state.attempt_number
    history = f" (asked {made} times)" if made > 1 else ""
    if _is_too_long_to_wait(state):
        history = f" (asks to be left alone for {failure.retry_after:.0f} s, which is too long)"
    raise ModelError(f"{failure}{history}", kind=failure.kind)
