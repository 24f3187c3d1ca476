"""How many calls to one model are under way at once: as many as the endpoint takes.

Additive increase, multiplicative decrease, as in TCP's congestion avoidance: a refusal for too
many requests halves the number, a run of successes adds one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from memorycode.errors import ModelError

MOST = 256
"""Calls at once that no endpoint is asked to exceed; the run's concurrency is the usual bound."""

_ANSWERED = "answered"


class Pacer:
    """Shared by the threads that ask one model."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._limit = most
        self._under_way = 0
        self._successes = 0
        self._round = 0
        self._free = threading.Condition()

    @property
    def limit(self) -> int:
        """How many calls may be under way at once."""
        with self._free:
            return self._limit

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits until a call may begin; what it raises within says how it went."""
        began = self._begin()
        outcome = "failed"
        try:
            yield
            outcome = _ANSWERED
        except ModelError as error:
            outcome = error.kind
            raise
        finally:
            self._end(began, outcome)

    def _begin(self) -> int:
        with self._free:
            self._free.wait_for(lambda: self._under_way < self._limit)
            self._under_way += 1
            return self._round

    def _end(self, began: int, outcome: str) -> None:
        with self._free:
            if outcome == "rate_limit":
                self._slow_down(began)
            elif outcome == _ANSWERED:
                self._speed_up()
            self._under_way -= 1
            self._free.notify_all()

    def _slow_down(self, began: int) -> None:
        self._successes = 0
        # Calls that began before the last halving say nothing about the number it left.
        if began == self._round:
            self._limit = max(1, min(self._limit, self._under_way) // 2)
            self._round += 1

    def _speed_up(self) -> None:
        self._successes += 1
        if self._successes >= self._limit:
            self._successes = 0
            self._limit = min(self._most, self._limit + 1)
