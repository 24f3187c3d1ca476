"""Recalls every session verbatim, as `full_history` does, but is asked after each session.

One run gives the curve of learning and forgetting; its last point is the paper's HISTORY setting.
"""

from __future__ import annotations

from memory_strategies.full_history import FullHistory
from memorycode.dialogue import AskAfter


class Cumulative(FullHistory):
    """All sessions verbatim, asked after every session: the curve of learning and forgetting."""

    ask_after: AskAfter = "every"
