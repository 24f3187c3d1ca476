"""Recalls what a LlamaIndex vector index finds: `VectorStoreIndex` in memory.

LlamaIndex (Liu 2022, https://github.com/run-llama/llama_index), with one node per turn or per
session, its default vector store and its default retriever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from memory_strategies.found_units import DEFAULT_K, FoundUnits
from memorycode.dialogue import SessionView
from memorycode.extras import Needs, needed
from memorycode.protocols import Hit, StrategyContext, Unit


class LlamaIndexMemory(FoundUnits):
    """The best `k` units of a vector index.

    `k` is a number, or ``budget`` for as many as the run's budget holds; `unit` is ``turn``,
    ``exchange`` or ``session``. Needs the extra ``llama-index``. Units are stored as they are, so
    that nothing is split, and no language model is asked.
    """

    needs: ClassVar[Needs] = {"llama-index": ("llama_index.core",)}
    embeds: ClassVar[bool] = True

    def __init__(
        self, context: StrategyContext, *, k: int | str = DEFAULT_K, unit: str = "turn"
    ) -> None:
        super().__init__(context, "llama_index", k, unit)
        needed("llama-index", "llama_index.core")
        from llama_index.core import VectorStoreIndex
        from llama_index.core.callbacks import CallbackManager

        from memorycode.bridges.llama_index_embedding import LlamaIndexEmbedding

        embedding = LlamaIndexEmbedding(context.embedder)
        # All that it would else take from LlamaIndex's global settings is given.
        self._index = VectorStoreIndex(
            nodes=[],
            embed_model=embedding,
            callback_manager=CallbackManager([]),
            transformations=[embedding],
        )
        self._new: list[tuple[int, str]] = []

    def _store(self, session: SessionView, units: Sequence[Unit], first: int) -> Sequence[Unit]:
        """Units wait for the next search: the index writes itself out anew at each insert."""
        del session  # the units are all of it
        self._new += [(place, unit.text) for place, unit in enumerate(units, first)]
        return units

    def _search(self, query: str, k: int) -> Sequence[Hit]:
        from llama_index.core.schema import TextNode

        if self._new:
            self._index.insert_nodes(
                [TextNode(id_=str(place), text=text) for place, text in self._new]
            )
            self._new = []
        found = self._index.as_retriever(similarity_top_k=k).retrieve(query)
        return [Hit(position=int(hit.node.node_id), score=hit.score) for hit in found]
