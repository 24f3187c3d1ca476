"""Recalls a summary that is rewritten after each session, by the model or without one.

Recursive summarisation (Wang et al., arXiv 2308.15022): the new summary is made of the old one and
the newest session alone. A run whose model writes no prose gets the extractive variant.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Protocol

from pydantic import JsonValue

from memory_strategies.extractive import ExtractiveSummary, sentence_ends
from memorycode.dialogue import Checkpoints, SessionView
from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.protocols import Model, Prompt, Recall, StrategyContext


class Summary(Protocol):
    """A bounded text that takes in one session after another."""

    variant: str
    notes: dict[str, JsonValue]

    @property
    def text(self) -> str: ...

    def update(self, session: SessionView) -> None: ...


class RollingSummary:
    """A summary rewritten after each session; extractive where no model can write it.

    It has at most `limit` tokens, and no more than the run's token budget.
    """

    oracle: bool = False
    checkpoints: Checkpoints = "last"

    def __init__(self, context: StrategyContext, *, limit: int = 1000) -> None:
        if limit < 1:
            raise UsageError(f"rolling_summary: limit is a number of tokens from 1 on, not {limit}")
        if context.token_budget is not None:
            limit = min(limit, context.token_budget)
        self._summary: Summary = (
            ExtractiveSummary(limit, context.count_tokens)
            if context.model is None
            else ModelSummary(context, context.model, limit)
        )
        self.variant = self._summary.variant
        if self.variant == "extractive":
            self.note = "extractive: no language model to summarise with; sentences are picked."
        self._recall: Recall | None = None

    def observe(self, session: SessionView) -> None:
        """Rewrite the summary. Raises `ModelUnavailable`; other failures keep the old one."""
        self._summary.update(session)
        self._recall = None

    def recall(self, query: str) -> Recall:
        """The summary, whatever the query."""
        del query
        if self._recall is None:
            self._recall = Recall.from_text(self._summary.text, **self._summary.notes)
        return self._recall


class ModelSummary:
    """A summary in the model's words. `notes` count the sessions that it could not take in."""

    variant: str = "model"

    def __init__(self, context: StrategyContext, model: Model, limit: int) -> None:
        self.text = ""
        self.notes: dict[str, JsonValue] = {"variant": self.variant}
        self._context = context
        self._model = model
        self._limit = limit
        self._mishaps = {"failed": 0, "empty": 0, "cut": 0}

    def update(self, session: SessionView) -> None:
        """Ask for the next summary and keep the old one if none comes back."""
        written = self._written(session)
        kept = self._cut(written)
        if kept != written:
            self._mishaps["cut"] += 1
        self.text = kept or self.text
        self.notes = {"variant": self.variant, **self._mishaps}

    def _written(self, session: SessionView) -> str:
        try:
            text = self._model.generate(self._prompt(session)).text.strip()
        except ModelUnavailable:
            raise
        except ModelError:
            self._mishaps["failed"] += 1
            return ""
        if not text:
            self._mishaps["empty"] += 1
        return text

    def _cut(self, text: str) -> str:
        """As many whole sentences from the start as the limit holds."""
        ends = sentence_ends(text)
        held = bisect_right(
            ends, self._limit, key=lambda end: self._context.count_tokens(text[:end])
        )
        return text[: ends[held - 1]].rstrip() if held else ""

    def _prompt(self, session: SessionView) -> Prompt:
        pack, speakers = self._context.prompts, session.speakers.model_dump()
        text = pack.render(
            "summarise",
            summary=self.text or pack.render("nothing", **speakers).strip(),
            session=session.text,
            limit=max(1, self._limit * 3 // 4),  # in words, of which three make about four tokens
            **speakers,
        )
        return Prompt(parts=(text,))
