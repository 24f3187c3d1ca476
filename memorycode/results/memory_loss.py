"""How many of its own calls a memory went on without, and whether its scores mean anything then."""

from __future__ import annotations

from memorycode.frozen import Frozen
from memorycode.running.records import MemoryCost

MOST_LOST = 0.02
"""Of a memory's own calls. What has lost more is listed and not ranked: its scores are those of a
memory that was not let do what it does."""


class MemoryLoss(Frozen):
    """Of a memory's own calls `failed` failed, and `unreadable` had an answer that the strategy
    could make nothing of; None where nobody counted these."""

    calls: int = 0
    failed: int = 0
    unreadable: int | None = 0

    @property
    def lost(self) -> int:
        """As far as they are known."""
        return self.failed + (self.unreadable or 0)

    @property
    def share(self) -> float:
        return self.lost / self.calls if self.calls else 0.0

    @property
    def is_ranked(self) -> bool:
        """Whether the scores may stand beside others'."""
        return self.share <= MOST_LOST


def memory_loss(memory: MemoryCost) -> MemoryLoss:
    """What the memory lost."""
    return MemoryLoss(calls=memory.calls, failed=memory.lost_calls, unreadable=memory.unreadable)
