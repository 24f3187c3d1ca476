"""Recalls a ledger of the guidelines that hold: a new version replaces the one it updates.

A memory that keeps facts instead of talk and is kept in order by operations on them (as Mem0 does,
Chhikara et al., arXiv 2504.19413). The operations come from a model, one call per session, or from
rules of plain English where there is none.
"""

from __future__ import annotations

from typing import Literal, Protocol

from pydantic import JsonValue

from memory_strategies.ledgers.language import LanguageExtraction
from memory_strategies.ledgers.ledger import Ledger
from memory_strategies.ledgers.model import ModelExtraction
from memory_strategies.needed_model import needed_model
from memory_strategies.query_free import QueryFreeMemory
from memorycode.dialogue import SessionView
from memorycode.errors import UsageError
from memorycode.protocols import Recall, StrategyContext


class Extraction(Protocol):
    """A way to tell what a session changes in a ledger."""

    @property
    def notes(self) -> dict[str, JsonValue]: ...

    def update(self, ledger: Ledger, session: SessionView) -> None: ...


class InstructionLedger(QueryFreeMemory):
    """The guidelines that hold, each once, in the mentor's name and under its session.

    `extraction` is ``model``, ``language`` (rules of English, no model) or ``auto``: the model
    where the run has one. At most `limit` tokens are kept, and no more than the run's budget.
    """

    def __init__(
        self,
        context: StrategyContext,
        *,
        extraction: Literal["auto", "model", "language"] = "auto",
        limit: int | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise UsageError(
                f"instruction_ledger: limit is a number of tokens from 1 on, not {limit}"
            )
        self._ledger = Ledger(context.cost, context.bounded(limit))
        self._extraction: Extraction
        if extraction == "language" or (extraction == "auto" and context.model is None):
            self.variant = "language"
            self.note = "language: no language model extracts the guidelines; rules of English do."
            self._extraction = LanguageExtraction()
        else:
            self.variant = "model"
            model = needed_model(context, "instruction_ledger:extraction=model", "extracts")
            self._extraction = ModelExtraction(context, model)

    def _take_in(self, session: SessionView) -> None:
        """Raises `ModelUnavailable`."""
        self._extraction.update(self._ledger, session)

    def _remembered(self) -> Recall:
        notes = {"variant": self.variant, "dropped": self._ledger.dropped, **self._extraction.notes}
        return Recall(passages=self._ledger.passages, notes=notes)
