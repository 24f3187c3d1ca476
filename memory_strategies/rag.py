"""Recalls the sessions that a retriever finds for the question, in time order.

The paper's retrieval ablation (arXiv 2502.13791, appendix D): the unit is the session, the query
is the piece of code asked for, and *dynamic* k is the number of sessions that carry instructions.
That number comes from the gold labels, so a dynamic k makes this strategy an oracle.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_strategies.gold import gold_of
from memorycode.dialogue import Checkpoints, SessionView
from memorycode.errors import PluginError
from memorycode.protocols import Hit, Passage, Recall, Retriever, StrategyContext, Unit
from memorycode.retrieval.how_many import Stock, how_many


class Rag:
    """The sessions that a retriever finds for the question, in time order.

    `k` is a number, a share such as ``20%``, ``budget`` (as many as the run's budget holds), a
    size such as ``2000tokens``, ``cliff`` (up to the steepest fall of the score), or ``dynamic``:
    the paper's, which marks it as an oracle. `retriever` must be a fresh one.
    """

    oracle: bool = True
    checkpoints: Checkpoints = "last"

    def __init__(
        self, context: StrategyContext, *, retriever: Retriever, k: int | str = "dynamic"
    ) -> None:
        self._how_many = how_many(k)
        self.oracle = self._how_many.is_oracle
        self._context = context
        self._retriever = retriever
        self._passages: list[Passage] = []
        self._instruction_sessions = 0

    def observe(self, session: SessionView) -> None:
        """Index the session. Raises `PluginError` if k is dynamic and the view has no gold."""
        if self.oracle:
            self._instruction_sessions += bool(gold_of(session, "rag with k='dynamic'"))
        self._retriever.add([Unit(text=session.text, session=session.index)])
        self._passages.append(Passage(text=session.text, session=session.index))

    def recall(self, query: str) -> Recall:
        """The best k sessions for `query`, oldest first; `notes` say what k was."""
        stock = Stock(
            units=len(self._passages),
            tokens=lambda position: self._context.cost(self._passages[position]),
            budget=self._context.token_budget,
            gold_sessions=self._instruction_sessions,
        )
        hits = self._hits(query, self._how_many.depth(stock))
        k = self._how_many(hits, stock)
        found = sorted(hit.position for hit in hits[:k])
        return Recall(passages=tuple(self._passages[place] for place in found), notes={"k": k})

    def _hits(self, query: str, depth: int) -> Sequence[Hit]:
        """The sessions that have to be looked at, best first, each once."""
        found: dict[int, Hit] = {}
        for hit in self._retriever.search(query, depth) if depth else ():
            if not 0 <= hit.position < len(self._passages):
                raise PluginError(
                    f"{type(self._retriever).__name__} found unit {hit.position}, but "
                    f"{len(self._passages)} were added; positions count from 0"
                )
            found.setdefault(hit.position, hit)
        return list(found.values())
