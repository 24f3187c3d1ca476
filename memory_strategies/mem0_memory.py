"""Recalls what mem0 finds, the memory layer of Chhikara et al. (arXiv 2504.19413), its open source.

With ``infer=false`` mem0 keeps each turn as it was said; with ``infer=true`` the run's model picks
out what is worth keeping, by mem0's own prompts. Vectors lie in Qdrant, in memory.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import JsonValue

from memory_strategies.found_units import DEFAULT_K, FoundUnits, is_mentees
from memory_strategies.needed_model import needed_model
from memorycode.bridges.mem0_memory import Mem0, load_mem0, reads_answer
from memorycode.dialogue import SessionView
from memorycode.errors import ModelError, UsageError
from memorycode.extras import Needs
from memorycode.protocols import Completion, Hit, Prompt, StrategyContext, Unit

_USER = "mentee"
_DATE = re.compile(r"(## (?:Observation|Current) Date\n)[^\n]*")


class Mem0Memory(FoundUnits):
    """The best `k` memories that mem0 finds.

    `k` is a number, or ``budget`` for as many as the run's budget holds. `threshold` is mem0's:
    what is less alike than that, from 0 to 1, is not found. Needs the extra ``mem0``. Raises
    `UsageError` with ``infer=true`` where the run's model writes no prose.
    """

    needs: ClassVar[Needs] = {"mem0": ("mem0", "qdrant_client", "langchain")}
    embeds: ClassVar[bool] = True

    def __init__(
        self,
        context: StrategyContext,
        *,
        infer: bool = False,
        k: int | str = DEFAULT_K,
        threshold: float = 0.1,
    ) -> None:
        super().__init__(context, "mem0", k)
        if not 0 <= threshold <= 1:
            raise UsageError(f"mem0: threshold is a number from 0 to 1, not {threshold}")
        self.variant = "inferred" if infer else "verbatim"
        self._infer, self._threshold = infer, threshold
        model = needed_model(context, "mem0", "picks out what to keep") if infer else _NoModel()
        load_mem0()
        from memorycode.bridges.langchain_chat import LangChainChat
        from memorycode.bridges.langchain_embeddings import LangChainEmbeddings

        self._embeddings = LangChainEmbeddings(context.embedder)
        self._chat = LangChainChat(
            model,
            steady=_without_date,
            reads=reads_answer,
            report_unreadable=context.report_unreadable,
        )
        self._opened: Mem0 | None = None
        self._places: dict[str, int] = {}
        self._mishaps = {"failed": 0, "nothing_kept": 0} if infer else {}

    def _store(self, session: SessionView, units: Sequence[Unit], first: int) -> Sequence[Unit]:
        """Hand the turns over. Raises `ModelUnavailable`; other failures of the model are
        counted."""
        embedded = units[:1] if self._infer else units
        dimensions = self._embeddings.prepare(unit.text for unit in embedded)
        if self._opened is None:
            self._opened = Mem0(self._embeddings, self._chat, dimensions)
            weakref.finalize(self, self._opened.close)
        kept = self._added(self._opened.memory, session, units)
        self._places |= {memory["id"]: place for place, memory in enumerate(kept, first)}
        return [Unit(text=str(memory["memory"]), session=session.index) for memory in kept]

    def _search(self, query: str, k: int) -> Sequence[Hit]:
        if self._opened is None:
            return ()
        found = self._opened.memory.search(
            query, top_k=k, filters={"user_id": _USER}, threshold=self._threshold
        )
        return [
            Hit(position=self._places[memory["id"]], score=memory["score"])
            for memory in found["results"]
            if memory["id"] in self._places  # not one that was stored before its add failed
        ]

    def _notes(self) -> Mapping[str, JsonValue]:
        return {**self._mishaps}

    def _added(
        self, memory: Any, session: SessionView, turns: Sequence[Unit]
    ) -> list[dict[str, Any]]:
        """What mem0 says that it has stored."""
        messages = [
            {"role": "assistant" if is_mentees(turn, session) else "user", "content": turn.text}
            for turn in turns
        ]
        metadata = {"session": session.index}
        try:
            added = memory.add(messages, user_id=_USER, metadata=metadata, infer=self._infer)
        except Exception:
            if not self._infer:
                raise
            self._chat.raise_if_gone()  # else the answer did not fit: mem0 checks little
            self._mishaps["failed"] += 1
            return []
        kept: list[dict[str, Any]] = added["results"]
        if self._infer and not kept:
            self._mishaps["nothing_kept"] += 1
        return kept


class _NoModel:
    """mem0 wants a model even where it has nothing to ask it."""

    name = "none"
    is_language_model = False

    def generate(self, prompt: Prompt) -> Completion:
        del prompt
        raise ModelError("mem0 was told to keep turns as they are", kind="no_model")


def _without_date(prompt: str) -> str:
    """A run must not depend on the day; the talk has no dates either."""
    return _DATE.sub(r"\g<1>unknown", prompt)
