"""Recalls the sessions that a retriever finds for the question, in time order.

The paper's retrieval ablation (arXiv 2502.13791, appendix D): the unit is the session, the query
is the piece of code asked for, and *dynamic* k is the number of sessions that carry instructions.
That number comes from the gold labels, so a dynamic k makes this strategy an oracle.
"""

from __future__ import annotations

from typing import Literal

from memorycode.dialogue import Checkpoints, OracleView, SessionView
from memorycode.errors import PluginError, UsageError
from memorycode.protocols import Passage, Recall, Retriever, StrategyContext, Unit


class Rag:
    """The sessions that a retriever finds for the question, in time order.

    Marked as an oracle unless `k` is a number. `retriever` must be a fresh one.
    """

    oracle: bool = True
    checkpoints: Checkpoints = "last"

    def __init__(
        self,
        context: StrategyContext,
        *,
        retriever: Retriever,
        k: int | Literal["dynamic"] = "dynamic",
    ) -> None:
        del context  # the retriever brings what it needs
        if k != "dynamic" and not (isinstance(k, int) and k >= 1):
            raise UsageError(f"rag: k is 'dynamic' or a whole number from 1 on, not {k!r}")
        self.oracle = k == "dynamic"
        self._k = k
        self._retriever = retriever
        self._passages: list[Passage] = []
        self._instruction_sessions = 0

    def observe(self, session: SessionView) -> None:
        """Index the session. Raises `PluginError` if k is dynamic and the view has no gold."""
        if self._k == "dynamic":
            self._instruction_sessions += _carries_instructions(session)
        self._retriever.add([Unit(text=session.text, session=session.index)])
        self._passages.append(Passage(text=session.text, session=session.index))

    def recall(self, query: str) -> Recall:
        """The best k sessions for `query`, oldest first; `notes` say what k was."""
        k = self._instruction_sessions if self._k == "dynamic" else self._k
        hits = self._retriever.search(query, k) if k else []
        found = tuple(self._passage(p) for p in sorted({hit.position for hit in hits}))
        return Recall(passages=found, notes={"k": k})

    def _passage(self, position: int) -> Passage:
        if not 0 <= position < len(self._passages):
            raise PluginError(
                f"{type(self._retriever).__name__} found unit {position}, but "
                f"{len(self._passages)} were added; positions count from 0"
            )
        return self._passages[position]


def _carries_instructions(session: SessionView) -> bool:
    if not isinstance(session, OracleView):
        raise PluginError(
            f"rag with k='dynamic' counts the gold sessions, but session {session.index} came as a "
            "SessionView; hand it OracleViews or give k as a number"
        )
    return bool(session.instructions)
