"""Recalls one bounded state that the model rewrites after each session, and nothing else.

Memory of a fixed size that every step overwrites, as agents are trained to keep it in MEM1 (Zhou et
al., arXiv 2506.15841) and MemAgent (Yu et al., arXiv 2507.02259). Here no model is trained: the
prompt asks for the state, in sections.
"""

from __future__ import annotations

from memory_strategies.needed_model import needed_model
from memory_strategies.query_free import QueryFreeMemory
from memory_strategies.rewriting import Rewriter
from memorycode.dialogue import SessionView
from memorycode.errors import UsageError
from memorycode.protocols import Recall, StrategyContext


class WorkingState(QueryFreeMemory):
    """What holds now, what it replaced and what is open, in at most `limit` tokens.

    The limit is also bounded by the run's token budget. Needs a language model: raises
    `UsageError` without one. A model that fails leaves the old state as it is.
    """

    def __init__(self, context: StrategyContext, *, limit: int = 1000) -> None:
        if limit < 1:
            raise UsageError(f"working_state: limit is a number of tokens from 1 on, not {limit}")
        self._state = Rewriter(
            context,
            needed_model(context, "working_state", "rewrites its state"),
            context.bounded(limit) or limit,
            prompt="rewrite_state",
            variable="state",
        )

    def _take_in(self, session: SessionView) -> None:
        """Raises `ModelUnavailable`."""
        self._state.update(session)

    def _remembered(self) -> Recall:
        return Recall.from_text(self._state.text, **self._state.notes)
