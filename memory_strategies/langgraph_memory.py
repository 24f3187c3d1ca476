"""Recalls what LangGraph's long-term memory finds: its `InMemoryStore` with semantic search.

The store that LangGraph's agents keep memories in (LangChain, langgraph 1.x,
https://docs.langchain.com/oss/python/langgraph/persistence). It is not told what to keep: here
every turn is put into it as it was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from memory_strategies.found_units import DEFAULT_K, FoundUnits
from memorycode.dialogue import SessionView
from memorycode.extras import Needs, needed
from memorycode.protocols import Hit, StrategyContext, Unit


class LangGraphMemory(FoundUnits):
    """The best `k` turns of a LangGraph store.

    `k` is a number, or ``budget`` for as many as the run's budget holds. Needs the extra
    ``langgraph``. Each dialogue has a store of its own, in memory.
    """

    needs: ClassVar[Needs] = {"langgraph": ("langgraph.store",)}
    embeds: ClassVar[bool] = True

    def __init__(self, context: StrategyContext, *, k: int | str = DEFAULT_K) -> None:
        super().__init__(context, "langgraph", k)
        needed("langgraph", "langgraph.store.memory")
        from memorycode.bridges.langgraph_store import LangGraphStore

        self._turns = LangGraphStore(context.embedder)

    def _store(self, session: SessionView, units: Sequence[Unit], first: int) -> Sequence[Unit]:
        del session  # the units are all of it
        self._turns.put({place: unit.text for place, unit in enumerate(units, first)})
        return units

    def _search(self, query: str, k: int) -> Sequence[Hit]:
        return self._turns.search(query, k)
