"""Recalls the memories that langmem's manager keeps, found by LangGraph's store.

LangMem (LangChain, https://langchain-ai.github.io/langmem/): after each session the run's model
is shown the memories nearest to it and writes new ones, patches old ones and removes wrong ones,
by langmem's own prompts. The store and the search are LangGraph's, as langmem's are; identifiers
are counted, so that the same talk makes the same prompts.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar

from pydantic import JsonValue

from memory_strategies.found_units import DEFAULT_K, Portion, is_mentees, units_of
from memory_strategies.needed_model import needed_model
from memorycode.dialogue import AskAfter, SessionView
from memorycode.errors import UsageError
from memorycode.extras import Needs, needed
from memorycode.messages import without_half_pairs
from memorycode.protocols import Recall, StrategyContext, Unit

_MOST_STEPS = 12
"""Of langmem's graph per session: three answers that do not fit end it."""

_MOST_CHARACTERS = 20_000
"""Of one memory; what a model writes beyond that is cut."""


class LangMemMemory:
    """The best `k` memories of langmem.

    `k` is a number, or ``budget`` for as many as the run's budget holds; `existing` is how many
    memories the model is shown with a session. Needs the extra ``langmem`` and a language model:
    raises `UsageError` without one.
    """

    needs: ClassVar[Needs] = {"langmem": ("langmem", "langgraph.store", "langchain_core")}
    embeds: ClassVar[bool] = True
    oracle: bool = False
    ask_after: AskAfter = "last"

    def __init__(
        self, context: StrategyContext, *, k: int | str = DEFAULT_K, existing: int = 10
    ) -> None:
        if existing < 1:
            raise UsageError(f"langmem: existing is a number from 1 on, not {existing}")
        self._portion = Portion(context, "langmem", k)
        model = needed_model(context, "langmem", "keeps its memories")
        _load()
        from langmem import create_memory_manager

        from memorycode.bridges.langchain_chat import LangChainChat
        from memorycode.bridges.langgraph_store import LangGraphStore

        self._existing = existing
        self._chat = LangChainChat(model, report_unreadable=context.report_unreadable)
        self._manager = create_memory_manager(self._chat, enable_deletes=True)
        self._store = LangGraphStore(context.embedder)
        self._memories: dict[int, Unit] = {}
        self._written = 0
        self._mishaps = {"failed": 0, "unchanged": 0}

    def observe(self, session: SessionView) -> None:
        """Let the model change its memories. Raises `ModelUnavailable`; where no answer fits, they
        stay as they are."""
        turns = units_of(session)
        if not turns:
            return
        messages = [("ai" if is_mentees(t, session) else "human", t.text) for t in turns]
        shown = [hit.position for hit in self._store.search(session.text, self._existing)]
        before = dict(self._memories)
        try:
            self._change(self._managed(messages, shown), session.index)
        except Exception:  # the manager makes of a model's answer what it likes
            self._memories = before
            self._mishaps["failed"] += 1
        else:
            self._mishaps["unchanged"] += self._memories == before
        self._chat.raise_if_gone()
        self._put(before)

    def recall(self, query: str) -> Recall:
        """The best memories for `query`, oldest first; `notes` count the sessions that changed
        nothing and those that failed."""
        self._chat.report_uncalled()
        notes: dict[str, JsonValue] = {"memories": len(self._memories), **self._mishaps}
        return self._portion.recall(self._memories, lambda k: self._store.search(query, k), notes)

    def _managed(self, messages: list[tuple[str, str]], shown: list[int]) -> list[Any]:
        existing = [
            (str(number), "Memory", {"content": self._memories[number].text}) for number in shown
        ]
        managed: list[Any] = self._manager.invoke(
            {"messages": messages, "existing": existing, "max_steps": 1},
            config={"recursion_limit": _MOST_STEPS},
        )
        return managed

    def _change(self, managed: list[Any], session: int) -> None:
        """Take over what the manager says of each memory; a changed one is of this session."""
        for identifier, content in managed:
            known = int(identifier) if identifier.isdecimal() else None
            if type(content).__name__ == "RemoveDoc":
                self._memories.pop(-1 if known is None else known, None)
                continue
            text = _text(content)
            if known is not None and known in self._memories:
                if not text or text == self._memories[known].text:
                    continue
                del self._memories[known]
            if text:
                self._memories[self._written] = Unit(text=text, session=session)
                self._written += 1

    def _put(self, before: Mapping[int, Unit]) -> None:
        self._store.delete(before.keys() - self._memories.keys())
        new = {n: unit.text for n, unit in self._memories.items() if n not in before}
        if new:
            self._store.put(new)


def _text(content: Any) -> str:
    """What a memory says, whether it comes as langmem's class or as plain data."""
    said = content.get("content") if isinstance(content, dict) else getattr(content, "content", "")
    return without_half_pairs(said[:_MOST_CHARACTERS]).strip() if isinstance(said, str) else ""


@lru_cache(maxsize=1)
def _load() -> None:
    needed("langmem", "langmem", "langgraph.store.memory", "langchain_core.language_models")
    # Its extractor logs every answer that does not fit, which the notes count.
    logging.getLogger("extraction").setLevel(logging.CRITICAL)
