"""Recalls what a retriever finds for the question.

The paper's retrieval ablation (arXiv 2502.13791, appendix D) is the default: the unit is the
session, the query the piece of code asked for, the order that of time, and *dynamic* k the number
of sessions that carry instructions. That number comes from the gold labels, so a dynamic k makes
this strategy an oracle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from memory_strategies.gold import gold_of
from memory_strategies.query_writer import QueryWriter
from memorycode.dialogue import AskAfter, OracleView, SessionView
from memorycode.errors import PluginError
from memorycode.protocols import (
    Hit,
    OracleRetriever,
    Passage,
    Recall,
    Retriever,
    StrategyContext,
    Unit,
)
from memorycode.retrieval.fusion import search
from memorycode.retrieval.gold import sees_gold
from memorycode.retrieval.queries import INFORMED, QueryForm, written_queries
from memorycode.retrieval.top_k import Candidates, said_of_all, top_k
from memorycode.retrieval.units import Speaker, check_unit, cut_session


class Rag:
    """What a retriever finds for the question.

    `k` is a number, a share such as ``20%``, ``budget`` (as many as the run's budget holds), a
    size such as ``2000tokens``, ``cliff`` (up to the steepest fall of the score), or ``dynamic``:
    the paper's, which marks it as an oracle. `query` is the form of the query, `unit` what is
    retrieved (session, exchange, turn, window:N), `speaker` whose turns, `order` that of the
    recall. `retriever` must be a fresh one.
    """

    ask_after: AskAfter = "last"

    def __init__(
        self,
        context: StrategyContext,
        *,
        retriever: Retriever,
        k: int | str = "dynamic",
        query: QueryForm = "task",
        unit: str = "session",
        speaker: Speaker = "all",
        order: Literal["time", "score"] = "time",
    ) -> None:
        self._top_k = top_k(k)
        self.oracle = self._top_k.is_oracle or sees_gold(retriever)
        if query in INFORMED:
            self.note = f"query={query} knows what kinds of rules the benchmark has."
        self._writer = QueryWriter(context) if query == "model" else None
        self._context, self._retriever = context, retriever
        self._query, self._unit, self._speaker = query, check_unit(unit), speaker
        self._order = order
        self._units: list[Unit] = []
        self._gold_sessions = 0

    def observe(self, session: SessionView) -> None:
        """Index the session's units. Raises `PluginError` if an oracle's view has no gold."""
        if self.oracle:
            self._gold_sessions += bool(gold_of(session, "rag as an oracle"))
        if isinstance(self._retriever, OracleRetriever) and isinstance(session, OracleView):
            self._retriever.label(session)
        units = cut_session(session, self._unit, self._speaker)
        self._retriever.add(units)
        self._units += units

    def recall(self, query: str) -> Recall:
        """The units taken, in their order; `notes` say how many, and what was asked."""
        queries = self._queries(query)
        candidates = Candidates(
            units=len(self._units),
            tokens=lambda position: self._context.cost(self._passage(position)),
            budget=self._context.token_budget,
            gold_sessions=self._gold_sessions,
        )
        hits = self._hits(queries, self._top_k.depth(candidates))
        k = self._top_k(hits, candidates)
        taken = [hit.position for hit in hits[:k]]
        if self._order == "time":
            taken.sort()
        notes: dict[str, JsonValue] = {"k": k, "queries": list[JsonValue](queries)}
        notes |= said_of_all(len(taken), len(self._units))
        return Recall(passages=tuple(map(self._passage, taken)), notes=notes)

    def _queries(self, task: str) -> tuple[str, ...]:
        if self._writer is not None:
            return (self._writer(task),)
        return written_queries(self._query, task)

    def _passage(self, position: int) -> Passage:
        unit = self._units[position]
        return Passage(text=unit.text, session=unit.session)

    def _hits(self, queries: Sequence[str], depth: int) -> Sequence[Hit]:
        """The units that have to be looked at, best first, each once."""
        found: dict[int, Hit] = {}
        for hit in search(self._retriever.search, queries, depth):
            if not 0 <= hit.position < len(self._units):
                raise PluginError(
                    f"{type(self._retriever).__name__} found unit {hit.position}, but "
                    f"{len(self._units)} were added; positions count from 0"
                )
            found.setdefault(hit.position, hit)
        return list(found.values())
