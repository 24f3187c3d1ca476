"""Recalls a summary that is rewritten after each session, by the model or without one.

Recursive summarisation (Wang et al., arXiv 2308.15022): the new summary is made of the old one and
the newest session alone. A run whose model writes no prose gets the extractive variant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pydantic import JsonValue

from memory_strategies.extractive import ExtractiveSummary
from memory_strategies.query_free import QueryFreeMemory
from memory_strategies.rewriting import Rewriter
from memorycode.dialogue import SessionView
from memorycode.errors import UsageError
from memorycode.protocols import Passage, Recall, StrategyContext


class Summary(Protocol):
    """A bounded text that takes in one session after another."""

    @property
    def text(self) -> str: ...

    @property
    def notes(self) -> Mapping[str, JsonValue]: ...

    def update(self, session: SessionView) -> None: ...


class RollingSummary(QueryFreeMemory):
    """A summary rewritten after each session; extractive where no model can write it.

    It takes at most `limit` tokens in the prompt, and no more than the run's token budget. A model
    that fails leaves the old summary as it is.
    """

    def __init__(self, context: StrategyContext, *, limit: int = 1000) -> None:
        if limit < 1:
            raise UsageError(f"rolling_summary: limit is a number of tokens from 1 on, not {limit}")
        limit = context.bounded(limit) or limit
        self._summary: Summary
        if context.model is None:
            self.variant = "extractive"
            self.note = "extractive: no language model to summarise with; sentences are picked."
            self._summary = ExtractiveSummary(limit, lambda text: context.cost(Passage(text=text)))
        else:
            self.variant = "model"
            self._summary = Rewriter(
                context, context.model, limit, prompt="summarise", variable="summary"
            )

    def _take_in(self, session: SessionView) -> None:
        """Raises `ModelUnavailable`."""
        self._summary.update(session)

    def _remembered(self) -> Recall:
        return Recall.from_text(self._summary.text, variant=self.variant, **self._summary.notes)
