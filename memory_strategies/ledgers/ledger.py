"""A keyed ledger of guidelines: a new wording replaces the one that stood under its key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache

from memorycode.protocols import Passage

MAX_ENTRIES = 300
"""As many as are kept, however generous the bound in tokens."""

MAX_CHARACTERS = 600
"""Of one entry's text: a guideline is a sentence or two."""


class Ledger:
    """Passages by key, in the order in which their wording was written.

    All of them together cost at most `limit` tokens (None: no bound); the oldest goes first, and
    `dropped` counts those that had to go.
    """

    def __init__(self, cost: Callable[[Passage], int], limit: int | None) -> None:
        self.dropped = 0
        self._cost = lru_cache(maxsize=2 * MAX_ENTRIES)(cost)
        self._limit = limit
        self._entries: dict[Hashable, Passage] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[tuple[Hashable, Passage]]:
        return iter(self._entries.items())

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What holds, oldest wording first; what stands under several keys stands here once."""
        return tuple(dict.fromkeys(self._entries.values()))

    def write(self, key: Hashable, passage: Passage) -> None:
        """Put a wording in place of the one under `key`, or add it; it is then the newest.

        Raises `ValueError` for a text longer than `MAX_CHARACTERS`.
        """
        if len(passage.text) > MAX_CHARACTERS:
            raise ValueError(f"an entry has at most {MAX_CHARACTERS} characters")
        self.withdraw(key)
        self._entries[key] = passage
        self._keep_to_bounds()

    def withdraw(self, key: Hashable) -> bool:
        """Take out what stands under `key`; False where nothing did."""
        return self._entries.pop(key, None) is not None

    def _keep_to_bounds(self) -> None:
        while self._entries and self._is_over():
            self.withdraw(next(iter(self._entries)))
            self.dropped += 1

    def _is_over(self) -> bool:
        if len(self._entries) > MAX_ENTRIES:
            return True
        return self._limit is not None and sum(map(self._cost, self.passages)) > self._limit
