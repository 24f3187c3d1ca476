"""Recalls what a model finds in several searches, each written after seeing the ones before.

Retrieval in steps (IRCoT, Trivedi et al., arXiv 2212.10509; ReAct, Yao et al., arXiv 2210.03629): a
rule need not share a word with the piece of code asked for, so that one query seldom finds all.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from memory_strategies.needed_model import needed_model
from memory_strategies.rag import Rag
from memory_strategies.search_steps import STEP_SCHEMA, Step, step_in
from memorycode.dialogue import AskAfter, SessionView
from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.protocols import Passage, Prompt, Recall, Retriever, StrategyContext
from memorycode.retrieval.top_k import TOOK_ALL


class AgenticSearch:
    """The sessions that up to `steps` searches of the model's find, k each, in time order.

    The first search is for the question as it stands, the model writes the others. Needs a language
    model: raises `UsageError` without one. `retriever` must be a fresh one.
    """

    ask_after: AskAfter = "last"

    def __init__(
        self, context: StrategyContext, *, retriever: Retriever, steps: int = 3, k: int = 4
    ) -> None:
        for name, value in (("steps", steps), ("k", k)):
            if value < 1:
                raise UsageError(f"agentic_search: {name} is a number from 1 on, not {value}")
        self._context, self._steps = context, steps
        self._model = needed_model(context, "agentic_search", "writes its queries")
        self._index = Rag(context, retriever=retriever, k=k)
        self.oracle = self._index.oracle  # as some retrievers are
        self._recalls: dict[str, Recall] = {}
        self._is_empty = True

    def observe(self, session: SessionView) -> None:
        """Index the session; what was recalled before is recalled anew."""
        self._recalls.clear()
        self._is_empty = False
        self._index.observe(session)

    def recall(self, query: str) -> Recall:
        """What the searches for `query` find together; one state is searched once per query.

        `notes` say the queries and what went wrong. Raises `ModelUnavailable`.
        """
        if query not in self._recalls:
            self._recalls[query] = self._searched(query)
        return self._recalls[query]

    def _searched(self, query: str) -> Recall:
        first = self._index.recall(query)
        found = dict.fromkeys(first.passages)
        queries, mishaps = [query], {"failed": 0, "unreadable": 0, "repeated": 0}
        for _ in range(0 if self._is_empty else self._steps):
            step = self._next_step(query, queries, tuple(found), mishaps)
            if step is None or not step.query:
                break
            if step.query in queries:  # it would find the same, and lead to the same again
                mishaps["repeated"] += 1
                break
            queries.append(step.query)
            found |= dict.fromkeys(self._index.recall(step.query).passages)
        notes: dict[str, JsonValue] = {"queries": list[JsonValue](queries), **mishaps}
        if TOOK_ALL in first.notes:
            notes[TOOK_ALL] = True
        return Recall(passages=_in_time_order(found), notes=notes)

    def _next_step(
        self,
        query: str,
        queries: list[str],
        found: tuple[Passage, ...],
        mishaps: dict[str, int],
    ) -> Step | None:
        """What the model answers; None, and a mishap more, where that is of no use."""
        try:
            answer = self._model.generate(self._prompt(query, queries, found)).text
        except ModelUnavailable:
            raise
        except ModelError:
            mishaps["failed"] += 1
            return None
        step = step_in(answer)
        if step is None:
            mishaps["unreadable"] += 1
            self._context.report_unreadable()
        return step

    def _prompt(self, query: str, queries: list[str], found: tuple[Passage, ...]) -> Prompt:
        pack = self._context.prompts
        text = pack.render(
            "next_search",
            query=query,
            queries="\n".join(f"- {asked}" for asked in queries),
            found="".join(pack.passage(p.text, p.session) for p in _in_time_order(found)).strip(),
            **self._context.speakers.model_dump(),
        )
        return Prompt(parts=(text,), schema=STEP_SCHEMA)


def _in_time_order(found: Mapping[Passage, None] | tuple[Passage, ...]) -> tuple[Passage, ...]:
    return tuple(sorted(found, key=lambda passage: passage.session or 0))
