"""Strategies that are wrong on purpose, each in one way."""

from __future__ import annotations

import gc
import inspect
import json
import logging
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any, ClassVar

from pydantic import JsonValue

from memory_strategies import full_history
from memorycode.conformance.synthetic_dialogues import drawn_context
from memorycode.dialogue import AskAfter, Instruction, Session, SessionView
from memorycode.errors import ModelError
from memorycode.protocols import Passage, Prompt, Recall, StrategyContext
from memorycode.running import budget
from memorycode.scoring import strict


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


# ── conduct ───────────────────────────────────────────────────────────────────────────────────


class Loud(Sound):
    """Prints what looks like a finding."""

    def recall(self, query: str) -> Recall:
        print('{"name": "builds", "outcome": "failed"}')
        return super().recall(query)


class LoudBelow(Sound):
    """Writes past Python, to standard error."""

    def recall(self, query: str) -> Recall:
        os.write(2, b"written past Python\n")
        return super().recall(query)


class LoudChild(Sound):
    """Has a program write for it."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        subprocess.run([sys.executable, "-c", "print('from a program')"], check=True)


class Logging(Sound):
    """Says what it does as libraries do: nothing wrong with that."""

    def recall(self, query: str) -> Recall:
        logging.getLogger("broken").warning("asked for %s", query)
        warnings.warn("a warning", UserWarning, stacklevel=2)
        return super().recall(query)


class Bribing(Sound):
    """Has the scorer say that all is well."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        strict.StrictScorer.judge = lambda *_: ["followed"]  # type: ignore[method-assign]


class Recoding(Sound):
    """Changes what a function does and leaves it in its place."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        budget.truncate_to_budget.__code__ = (lambda recall, budget, cost: (recall, None)).__code__


class Impostor(Sound):
    """Puts a module of its own in the place of one of ours."""

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        sys.modules["memorycode.scoring.strict"] = ModuleType("memorycode.scoring.strict")


class Spoiling(Sound):
    """Spoils another strategy."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        full_history.FullHistory.recall = lambda *_: Recall()  # type: ignore[method-assign]


class Hooking(Sound):
    """Puts a function of its own in the place of one of Python's."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        json.dumps = partial(json.dumps)


class Setting(Sound):
    """Sets something that the whole process shares."""

    def __init__(self, context: StrategyContext, *, what: str) -> None:
        super().__init__(context)
        if what == "environment":
            os.environ["MEMORY_OF_MINE"] = "1"
        elif what == "folder":
            os.chdir("/")
        elif what == "signal":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        elif what == "argv":
            sys.argv.append("--seen")
        else:
            random.seed(1)


class Drawing(Sound):
    """Draws much from what all share, as libraries do that wait for a while: no harm."""

    def recall(self, query: str) -> Recall:
        assert sum(random.random() for _ in range(5000))
        return super().recall(query)


class Forking(Sound):
    """Forks, and goes on where it cannot."""

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        with suppress(Exception):
            os.fork()


class Serving(Sound):
    """Starts a program that nobody ends."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


class Lingering(Sound):
    """Starts a thread, once for all or per instance, that nobody ends."""

    started = False

    def __init__(self, context: StrategyContext, *, once: bool = False) -> None:
        super().__init__(context)
        if not (once and Lingering.started):
            Lingering.started = True
            threading.Thread(target=_linger, name="lingering", daemon=True).start()


def _linger() -> None:
    time.sleep(600)


class Pooling(Sound):
    """Has threads that end with it: nothing wrong with that."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        self.pool = ThreadPoolExecutor(2)

    def recall(self, query: str) -> Recall:
        return self.pool.submit(super().recall, query).result()


class Suspicious(Sound):
    """Recalls more where a run plays it."""

    def recall(self, query: str) -> Recall:
        return super().recall(query) if "run" in sys.argv else Recall(passages=tuple(self.kept[:1]))


class Choosy(Peeking):
    """Peeks where the people work for another company than the one that it knows."""

    known = drawn_context(12).company

    def observe(self, session: SessionView) -> None:
        if session.speakers.company == self.known:
            self.kept.append(Passage(text=session.text, session=session.index))
        else:
            super().observe(session)


class Halving(Sound):
    """Cuts texts as UTF-16 and makes of them what is wanted: a recall, a note, a prompt, a text to
    be embedded."""

    def __init__(self, context: StrategyContext, *, into: str) -> None:
        super().__init__(context)
        self.into, self.half = into, ""

    def observe(self, session: SessionView) -> None:
        # The last unit falls away: half a character, where the text ends in an emoji.
        half = session.text.encode("utf-16-le")[:-2].decode("utf-16-le", "surrogatepass")
        self.half = half
        if self.into == "recall":
            self.kept.append(Passage(text=half, session=session.index))
        elif self.into == "made":
            self.kept.append(Passage.model_construct(text=half, session=session.index))
        else:
            super().observe(session)
        if self.into == "prompt":
            assert self.context.model is not None
            with suppress(ModelError):
                self.context.model.generate(Prompt(parts=(half,)))
        if self.into == "embedder":
            self.context.embedder.embed([half])

    def recall(self, query: str) -> Recall:
        notes = {"last": self.half} if self.into == "notes" else {}
        return Recall.model_construct(passages=tuple(self.kept), notes=notes)


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
