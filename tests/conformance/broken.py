"""Strategies that are wrong on purpose, each in one way."""

from __future__ import annotations

import gc
import inspect
import json
import os
import random
import re
import sqlite3
import time
from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import JsonValue

from memorycode.dialogue import AskAfter, Instruction, Session, SessionView
from memorycode.protocols import Passage, Prompt, Recall, StrategyContext


class Sound:
    """Recalls whole sessions: nothing wrong with it. The others begin here."""

    oracle: bool = False
    ask_after: AskAfter = "last"

    def __init__(self, context: StrategyContext) -> None:
        self.context = context
        self.kept: list[Passage] = []

    def observe(self, session: SessionView) -> None:
        self.kept.append(Passage(text=session.text, session=session.index))

    def recall(self, query: str) -> Recall:
        return Recall(passages=tuple(self.kept))


class Loud(Sound):
    """Prints, which is its right."""

    def recall(self, query: str) -> Recall:
        print('{"name": "builds", "outcome": "failed"}')
        os.write(1, b"written past Python\n")
        return super().recall(query)


# ── shape ─────────────────────────────────────────────────────────────────────────────────────

_only: list[Sound] = []


def one_for_all(context: StrategyContext) -> Sound:
    """Hands out the same object for every dialogue."""
    _only[:] = _only or [Sound(context)]
    return _only[0]


class Undated(Sound):
    ask_after = "sometimes"  # type: ignore[assignment]


class Chatty(Sound):
    def recall(self, query: str) -> Recall:
        return "all of it"  # type: ignore[return-value]


class Scribbling(Sound):
    def recall(self, query: str) -> Recall:
        return Recall.model_construct(passages=tuple(self.kept), notes={"seen": {1, 2}})


# ── isolation ─────────────────────────────────────────────────────────────────────────────────


class Caching(Sound):
    """Keeps texts by the session's index, for all dialogues together."""

    cache: ClassVar[dict[int, str]] = {}

    def observe(self, session: SessionView) -> None:
        text = self.cache.setdefault(session.index, session.text)
        self.kept.append(Passage(text=text, session=session.index))


class Personal(Sound):
    """Keeps a store for each pair of people, whichever dialogue they are in."""

    stores: ClassVar[dict[str, list[Passage]]] = {}

    def __init__(self, context: StrategyContext) -> None:
        self.kept = self.stores.setdefault(context.speakers.mentor, [])


def _above(wanted: str) -> Iterator[Any]:
    """The variables of this name in all frames above."""
    frame = inspect.currentframe()
    while frame is not None:
        if wanted in frame.f_locals:
            yield frame.f_locals[wanted]
        frame = frame.f_back


class Peeking(Sound):
    """Looks for the gold labels in the frames above."""

    def observe(self, session: SessionView) -> None:
        for found in _above("session"):
            for instruction in getattr(found, "instructions", ()):
                self.kept.append(Passage(text=instruction.text, session=session.index))


class Collecting(Sound):
    """Looks for the gold labels among all objects that there are."""

    def observe(self, session: SessionView) -> None:
        if not self.kept:
            # By type alone: some libraries' objects complain of being asked for their class.
            found = sorted({i.text for i in gc.get_objects() if type(i) is Instruction})
            self.kept = [Passage(text=text) for text in found]


class Choosing(Sound):
    """Says nothing of the labels but keeps those sessions alone that have one."""

    def observe(self, session: SessionView) -> None:
        if any(isinstance(s, Session) and s.instructions for s in _above("session")):
            super().observe(session)


class Prophetic(Sound):
    """Looks for the sessions to come in the frames above."""

    def recall(self, query: str) -> Recall:
        texts = [s.text for episode in _above("episode") for s in episode.sessions]
        return Recall(passages=tuple(Passage(text=text) for text in texts) or tuple(self.kept))


class Miscounting(Sound):
    """Counts sessions from 1."""

    def observe(self, session: SessionView) -> None:
        self.kept.append(Passage(text=session.text + " ", session=session.index + 1))


class Bound(Sound):
    """Keeps its texts in a database that only the thread which opened it may use."""

    database: ClassVar[sqlite3.Connection] = sqlite3.connect(":memory:")

    def observe(self, session: SessionView) -> None:
        ((text,),) = self.database.execute("SELECT ?", (session.text,))
        self.kept.append(Passage(text=text, session=session.index))


class Current(Sound):
    """Has one list for whichever dialogue was begun last."""

    current: ClassVar[list[Passage]] = []

    def __init__(self, context: StrategyContext) -> None:
        Current.current = []

    def observe(self, session: SessionView) -> None:
        Current.current.append(Passage(text=session.text, session=session.index))

    def recall(self, query: str) -> Recall:
        return Recall(passages=tuple(Current.current))


# ── histories ─────────────────────────────────────────────────────────────────────────────────


class Hasty(Sound):
    """Takes it for granted that there was a session."""

    def recall(self, query: str) -> Recall:
        return Recall(passages=(self.kept[-1],))


class Pairing(Sound):
    """Takes it for granted that there were two, if any."""

    def recall(self, query: str) -> Recall:
        return Recall(passages=(self.kept[-2], self.kept[-1]) if self.kept else ())


class Nested(Sound):
    """Puts each session into the last one, and gets lost on the way back."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.nest: tuple[Any, ...] = ()

    def observe(self, session: SessionView) -> None:
        self.nest = (session.text, self.nest)

    def recall(self, query: str) -> Recall:
        return Recall.from_text("\n\n".join(reversed(list(self._flat(self.nest)))))

    def _flat(self, nest: tuple[Any, ...], depth: int = 0) -> list[str]:
        if depth == 250:
            raise RecursionError("too deep")
        return [nest[0], *self._flat(nest[1], depth + 1)] if nest else []


class Labelled(Sound):
    """Takes it for granted that every text has a speaker."""

    def observe(self, session: SessionView) -> None:
        text = session.text.split(": ", 1)[1]
        self.kept.append(Passage(text=text, session=session.index))


class Backtracking(Sound):
    """Has a regular expression that never ends on the wrong text."""

    def observe(self, session: SessionView) -> None:
        if "Zed" in session.text:
            re.match(r"(a+)+$", "a" * 60 + "b")
        super().observe(session)


class Sleeping(Sound):
    """Waits for ever for a text that it does not like."""

    def observe(self, session: SessionView) -> None:
        if "Zed" in session.text:
            time.sleep(10_000)
        super().observe(session)


class Dying(Sound):
    """Ends the whole process over a NUL."""

    def observe(self, session: SessionView) -> None:
        if "\x00" in session.text:
            os._exit(7)
        super().observe(session)


# ── repetition ────────────────────────────────────────────────────────────────────────────────


class Toggling(Sound):
    """Turns its order round with every question."""

    def recall(self, query: str) -> Recall:
        self.kept.reverse()
        return Recall(passages=tuple(self.kept))


class Growing(Sound):
    """Hands out the list that it goes on writing in."""

    def recall(self, query: str) -> Recall:
        return Recall.model_construct(passages=self.kept, notes={})


class Satisfied(Sound):
    """Learns nothing once it was asked."""

    asked = False

    def observe(self, session: SessionView) -> None:
        if not self.asked:
            super().observe(session)

    def recall(self, query: str) -> Recall:
        self.asked = True
        return super().recall(query)


class Unordered(Sound):
    """Recalls in the order of a set."""

    def recall(self, query: str) -> Recall:
        return Recall(passages=tuple(Passage(text=t) for t in {p.text for p in self.kept}))


class Dicey(Sound):
    """Throws dice of its own."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.luck = random.SystemRandom().random()

    def recall(self, query: str) -> Recall:
        return Recall(passages=(*self.kept, Passage(text=f"{self.luck}")))


# ── costs ─────────────────────────────────────────────────────────────────────────────────────


class Lumping(Sound):
    """Recalls one text that cannot be cut anywhere."""

    def recall(self, query: str) -> Recall:
        return Recall.from_text(" ".join(passage.text.replace("\n", " ") for passage in self.kept))


class Trusting(Sound):
    """Takes it for granted that the model keeps to the schema."""

    def observe(self, session: SessionView) -> None:
        assert self.context.model is not None
        rules: dict[str, JsonValue] = {"rules": {"type": "array", "items": {"type": "string"}}}
        schema: dict[str, JsonValue] = {"type": "object", "properties": rules}
        answer = self.context.model.generate(Prompt(parts=(session.text,), schema=schema))
        self.kept.append(Passage(text=str(json.loads(answer.text)["rules"]), session=session.index))


class Cubic(Sound):
    """Embeds more and more with every session."""

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        self.context.embedder.embed(["word " * (len(self.kept) ** 2 // 20)])


class Mute(Sound):
    """Recalls nothing."""

    def recall(self, query: str) -> Recall:
        return Recall()


class Control(Mute):
    """Recalls nothing, and says so."""

    recalls_nothing = True


class Hearing(Sound):
    """As the README's: keeps what holds a word, in a list that dialogues share."""

    kept: ClassVar[list[Passage]] = []  # type: ignore[misc]

    def __init__(self, context: StrategyContext) -> None:
        pass

    def observe(self, session: SessionView) -> None:
        if "always" in session.text:
            self.kept.append(Passage(text=session.text, session=session.index))
