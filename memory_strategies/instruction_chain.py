"""Recalls every instruction's text in the order told, old versions too; an oracle.

The paper's INSTRUCTIONS-CHAIN (arXiv 2502.13791): the history without all that is no
instruction. What is left to the reader is to let the latest version win.
"""

from __future__ import annotations

from memorycode.dialogue import Checkpoints, OracleView, SessionView
from memorycode.errors import PluginError
from memorycode.protocols import Passage, Recall, StrategyContext


class InstructionChain:
    """Every instruction's text in order, old versions too, and nothing else."""

    oracle: bool = True
    checkpoints: Checkpoints = "last"

    def __init__(self, context: StrategyContext) -> None:
        self._mentor = context.speakers.mentor
        self._passages: list[Passage] = []
        self._recall: Recall | None = None

    def observe(self, session: SessionView) -> None:
        """Append the session's instructions. Raises `PluginError` for a view without gold."""
        if not isinstance(session, OracleView):
            raise PluginError(
                f"instruction_chain reads the gold instructions, but session {session.index} came "
                "as a SessionView; hand an oracle OracleViews"
            )
        self._passages += [
            Passage(text=f"{self._mentor}: {instruction.text}", session=session.index)
            for instruction in session.instructions
        ]
        self._recall = None

    def recall(self, query: str) -> Recall:
        """All instructions so far, whatever the query."""
        del query
        if self._recall is None:
            self._recall = Recall(passages=tuple(self._passages))
        return self._recall
