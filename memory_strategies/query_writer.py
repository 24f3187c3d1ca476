"""A query in the model's words: what to search a memory for before a piece of code is written."""

from __future__ import annotations

from memory_strategies.needed_model import needed_model
from memorycode.errors import ModelError, ModelUnavailable
from memorycode.protocols import Prompt, StrategyContext

_LONGEST = 1000
"""Characters; more is no query."""


class QueryWriter:
    """Asks the model once for each piece of code (as in query rewriting, arXiv 2305.14283)."""

    def __init__(self, context: StrategyContext) -> None:
        self._model = needed_model(context, "rag", "writes its queries")
        self._context = context
        self._written: dict[str, str] = {}

    def __call__(self, task: str) -> str:
        """The model's query, or the task itself where none comes back."""
        if task not in self._written:
            self._written[task] = self._ask(task) or task
        return self._written[task]

    def _ask(self, task: str) -> str:
        names = self._context.speakers.model_dump()
        text = self._context.prompts.render("write_query", query=task, **names)
        try:
            answer = self._model.generate(Prompt(parts=(text,))).text
        except ModelUnavailable:
            raise
        except ModelError:  # counted by the harness as a failure of the memory's
            return ""
        query = " ".join(answer.split())[:_LONGEST]
        if not query:
            self._context.report_unreadable()
        return query
