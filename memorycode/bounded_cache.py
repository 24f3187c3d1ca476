"""A bounded memory for what was worked out from texts, shared between threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps the results of `make`, the least recently used going first.

    `size` says how much a key takes; the keys kept take no more than `capacity` together. Two
    threads that need the same result at once may both work it out, so it must not vary.
    """

    def __init__(self, make: Callable[[K], V], *, size: Callable[[K], int], capacity: int) -> None:
        self._make = make
        self._size = size
        self._capacity = capacity
        self._held = 0
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, key: K) -> V:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = self._make(key)
        with self._lock:
            self._keep(key, value)
        return value

    def _keep(self, key: K, value: V) -> None:
        if key in self._kept or self._size(key) > self._capacity:
            return
        self._kept[key] = value
        self._held += self._size(key)
        while self._held > self._capacity:
            oldest, _ = self._kept.popitem(last=False)
            self._held -= self._size(oldest)
