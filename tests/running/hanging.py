"""Strategies that hang, named as ``hanging:NAME``; not collected by pytest. They hang at the second
session, or, with ``at=recall``, when they recall after it."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from pathlib import Path
from typing import ClassVar, Literal

from memorycode.dialogue import SessionView
from memorycode.models.ideal_mentee import IdealMentee
from memorycode.protocols import Completion, Passage, Prompt, Recall, StrategyContext, Usage

FOREVER = 10**6


class Counting(IdealMentee):
    """The ideal mentee as a language model: its calls are counted and its answers kept."""

    name = "counting"
    is_language_model = True

    def generate(self, prompt: Prompt) -> Completion:
        if prompt.ref is None:
            return Completion(text="noted", usage=Usage(prompt_tokens=1, completion_tokens=1))
        return super().generate(prompt)


class Whole:
    """Recalls all sessions."""

    oracle = False
    ask_after: Literal["last", "every"] = "every"

    def __init__(self, context: StrategyContext, *, at: str = "observe") -> None:
        self.context, self.at = context, at
        self.seen: list[SessionView] = []

    def observe(self, session: SessionView) -> None:
        self.seen.append(session)
        if self.at == "observe" and session.index == 1:
            self.hang()

    def recall(self, query: str) -> Recall:
        if self.at == "recall" and len(self.seen) == 2:
            self.hang()
        return Recall(passages=tuple(Passage(text=s.text, session=s.index) for s in self.seen))

    def hang(self) -> None:
        raise NotImplementedError


class Sleeping(Whole):
    """Sleeps again and again."""

    def hang(self) -> None:
        while True:
            time.sleep(0.05)


class Locked(Whole):
    """Waits for a lock that is never released."""

    lock: ClassVar[threading.Lock] = threading.Lock()

    def hang(self) -> None:
        self.lock.acquire()
        self.lock.acquire()


class InC(Whole):
    """Sleeps within a library in C, which lets other threads run."""

    def hang(self) -> None:
        ctypes.CDLL(None).sleep(FOREVER)


class HoldingAll(Whole):
    """Sleeps within a library in C that lets no other thread of the process run."""

    def hang(self) -> None:
        ctypes.PyDLL(None).sleep(FOREVER)


class Asking(Whole):
    """Asks its model for ever."""

    def hang(self) -> None:
        assert self.context.model is not None
        for number in range(FOREVER):
            self.context.model.generate(Prompt((f"Once more: {number}",)))


class Waking(Whole):
    """Sleeps until the file $WAKE is there, asks its model, embeds, and says in $WOKEN what came of
    it."""

    def hang(self) -> None:
        assert self.context.model is not None
        while not Path(os.environ["WAKE"]).exists():
            time.sleep(0.02)
        came = []
        for do in (
            lambda: self.context.model.generate(Prompt(("I am awake",))),
            lambda: self.context.embedder.embed(["awake"]),
        ):
            try:
                do()
                came.append("done")
            except BaseException as error:
                came.append(type(error).__name__)
        new = Path(os.environ["WOKEN"] + ".new")
        new.write_text(" ".join(came))
        new.rename(os.environ["WOKEN"])
