"""Recalls every instruction's text in the order told, old versions too; an oracle.

The paper's INSTRUCTIONS-CHAIN (arXiv 2502.13791): the history without all that is no
instruction. What is left to the reader is to let the latest version win.
"""

from __future__ import annotations

from memory_strategies.gold import gold_of
from memory_strategies.query_free import QueryFreeMemory
from memorycode.dialogue import SessionView
from memorycode.protocols import Passage, Recall, StrategyContext
from memorycode.transcripts import labelled


class InstructionChain(QueryFreeMemory):
    """Every instruction's text in order, old versions too, and nothing else."""

    oracle: bool = True
    variant: str = ""
    note: str = ""

    def __init__(self, context: StrategyContext) -> None:
        self._mentor = context.speakers.mentor
        self._passages: list[Passage] = []

    def _take_in(self, session: SessionView) -> None:
        """Raises `PluginError` for a view without gold."""
        self._passages += [
            Passage(text=labelled(self._mentor, instruction.text), session=session.index)
            for instruction in gold_of(session, "instruction_chain")
        ]

    def _remembered(self) -> Recall:
        return Recall(passages=tuple(self._passages))
