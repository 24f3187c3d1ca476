"""Plug-ins that do what no plug-in should, named as ``misbehaving:NAME``; not collected by pytest.

Each does one thing wrong, as a library behind a memory might: what is seen beside them has to be
whole. None does harm outside of its process.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, NoReturn

from memorycode.dialogue import SessionView
from memorycode.errors import ModelError, ModelUnavailable
from memorycode.protocols import Completion, Hit, Passage, Prompt, Recall, StrategyContext, Unit

HALF = "\ud83d"
"""Half of a surrogate pair, which UTF-8 cannot carry."""


class PanicException(BaseException):
    """What a native module in Rust raises where it panics: no `Exception`, as pyo3's is none."""


class MuteError(Exception):
    """Cannot be put into words."""

    def __str__(self) -> str:
        raise asyncio.CancelledError

    __repr__ = __str__


class NamelessError(ModelError):
    """A `ModelError` that was made without its kind."""

    def __init__(self) -> None:
        pass

    def __str__(self) -> str:
        raise ValueError


class Thorny:
    """Raises whatever it is asked for."""

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name}: not connected")


class WithOddKind(ModelError):
    """A `ModelError` whose kind can neither be written down nor counted."""

    def __init__(self) -> None:
        super().__init__("odd", kind=["a", "list"])  # type: ignore[arg-type]


def deep(levels: int) -> dict[str, Any]:
    """JSON that is so many levels deep."""
    made: dict[str, Any] = {}
    for _ in range(levels):
        made = {"in": made}
    return made


# ── what is raised ────────────────────────────────────────────────────────────────────────────

RAISED: dict[str, Callable[[], BaseException]] = {
    "cancelled": asyncio.CancelledError,
    "panic": lambda: PanicException("called `Option::unwrap()` on a `None` value"),
    "mute": MuteError,
    "nameless": NamelessError,
    "odd_kind": WithOddKind,
    "quits": lambda: SystemExit(0),
    "closes": GeneratorExit,
    "interrupt": KeyboardInterrupt,
    "memory": MemoryError,
    "recursion": RecursionError,
    "unavailable": lambda: ModelUnavailable("the key of my own model is wrong", kind="wrong_key"),
}


class Whole:
    """Recalls all sessions; the others are this one with one thing wrong."""

    oracle = False
    ask_after: Literal["last", "every"] = "last"

    def __init__(self, context: StrategyContext) -> None:
        self.context = context
        self.seen: list[SessionView] = []

    def observe(self, session: SessionView) -> None:
        self.seen.append(session)

    def recall(self, query: str) -> Recall:
        return Recall(passages=tuple(Passage(text=s.text, session=s.index) for s in self.seen))


class Raising(Whole):
    """Raises `what` (a key of `RAISED`) when it observes, recalls or is built again."""

    built: ClassVar[dict[str, int]] = {}

    def __init__(
        self, context: StrategyContext, *, what: str, at: Literal["build", "observe", "recall"]
    ) -> None:
        super().__init__(context)
        self.what, self.at = what, at
        self.built[what] = self.built.get(what, 0) + 1
        if at == "build" and self.built[what] > 1:  # the first one is on trial
            raise RAISED[what]()

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        if self.at == "observe" and session.index == 1:
            raise RAISED[self.what]()

    def recall(self, query: str) -> Recall:
        if self.at == "recall":
            raise RAISED[self.what]()
        return super().recall(query)


# ── what is handed back ───────────────────────────────────────────────────────────────────────


class _ThornyRecall(Recall):
    @property
    def text(self) -> str:
        raise asyncio.CancelledError


class _ThornyPassage(Passage):
    def __getattribute__(self, name: str) -> Any:
        if name == "session":
            raise PanicException("session")
        return super().__getattribute__(name)


RECALLED: dict[str, Callable[[], Any]] = {
    "half_value": lambda: Recall(notes={"a": f"x{HALF}"}),
    "half_key": lambda: Recall(notes={f"x{HALF}": 1}),
    "half_nested": lambda: Recall(notes={"a": [{"b": [HALF]}]}),
    "half_nested_key": lambda: Recall(notes={"a": [{HALF: 1}]}),
    "half_text": lambda: Recall.model_construct(
        passages=(Passage.model_construct(text=HALF, session=None),), notes={}
    ),
    "deep": lambda: Recall.model_construct(passages=(), notes=deep(220)),
    "very_deep": lambda: Recall.model_construct(passages=(), notes=deep(5000)),
    "bytes": lambda: Recall.model_construct(passages=(), notes={"a": b"x"}),
    "huge": lambda: Recall.model_construct(passages=(), notes={"a": 10**5000}),
    "thorny": Thorny,
    "thorny_notes": lambda: Recall.model_construct(passages=(), notes=Thorny()),
    "thorny_in_notes": lambda: Recall.model_construct(passages=(), notes={"a": Thorny()}),
    "thorny_passage": lambda: Recall.model_construct(passages=(Thorny(),), notes={}),
    "odd_passage": lambda: Recall.model_construct(
        passages=(_ThornyPassage(text="a", session=1),), notes={}
    ),
    "odd_session": lambda: Recall.model_construct(
        passages=(Passage.model_construct(text="a", session="one"),), notes={}
    ),
    "no_tuple": lambda: Recall.model_construct(passages=7, notes={}),
}


class Returning(Whole):
    """Recalls `what`, a key of `RECALLED`."""

    def __init__(self, context: StrategyContext, *, what: str) -> None:
        super().__init__(context)
        self.what = what

    def recall(self, query: str) -> Recall:
        recalled: Recall = RECALLED[self.what]()
        return recalled


class Subclassed(Whole):
    """Recalls a subclass of `Recall` with properties of its own, and all that it should."""

    def recall(self, query: str) -> Recall:
        return _ThornyRecall(passages=super().recall(query).passages)


class Unconnected(Whole):
    """Raises at every attribute that it does not have."""

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(f"{name}: not connected")


# ── what is done to the process ───────────────────────────────────────────────────────────────


class Leaving(Whole):
    """Ends the process as if all were well: by `os._exit`, by running another program in its
    place, or from a thread of its own."""

    def __init__(
        self,
        context: StrategyContext,
        *,
        by: Literal["exit", "exec", "thread", "system", "end"] = "exit",
        at: Literal["build", "recall"] = "recall",
    ) -> None:
        super().__init__(context)
        self.by = by
        if at == "build":
            self._leave()

    def recall(self, query: str) -> Recall:
        self._leave()
        return super().recall(query)

    def _leave(self) -> None:
        if self.by == "system":
            sys.modules[os.name]._exit(0)
        if self.by == "end":
            atexit.register(lambda: os._exit(0))
            raise ValueError
        if self.by == "exit":
            os._exit(0)
        if self.by == "exec":
            os.execv(sys.executable, [sys.executable, "-c", ""])
        thread = threading.Thread(target=os._exit, args=(0,))
        thread.start()
        thread.join()


class Forking(Whole):
    """Has a child process end by `os._exit`, as it has to."""

    def recall(self, query: str) -> Recall:
        child = os.fork()
        if child == 0:
            os._exit(7)
        _, status = os.waitpid(child, 0)
        return Recall.from_text(f"exit status {os.waitstatus_to_exitcode(status)}")


class Printing(Whole):
    """Prints in every way that there is, wherever it is called."""

    def __init__(self, context: StrategyContext) -> None:
        super().__init__(context)
        print_all("built")
        atexit.register(print, "NOISE print at the end")

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        print_all("observed")

    def recall(self, query: str) -> Recall:
        print_all("recalled")
        return super().recall(query)


def print_all(what: str) -> None:
    """Print by Python, by the stream that Python started with, by the system, and by C."""
    import ctypes

    print(f"NOISE print {what}")
    sys.stdout.write(f"NOISE write {what}\n")
    assert sys.__stdout__ is not None
    sys.__stdout__.write(f"NOISE stream {what}\n")
    os.write(1, f"NOISE system {what}\n".encode())
    ctypes.CDLL(None).printf(f"NOISE c {what}\n".encode())


# ── models and retrievers ─────────────────────────────────────────────────────────────────────


class RaisingModel:
    """A language model that raises what its name says, a key of `RAISED`."""

    is_language_model = True

    def __init__(self, name: str) -> None:
        self.name = name

    def generate(self, prompt: Prompt) -> Completion:
        raise RAISED[self.name]()


class _ThornyCompletion(Completion):
    @property
    def thorny(self) -> str:
        raise asyncio.CancelledError

    def __getattribute__(self, name: str) -> Any:
        if name == "reasoning":
            raise PanicException(name)
        return super().__getattribute__(name)


ANSWERS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "thorny": Thorny,
    "subclass": lambda: _ThornyCompletion(text="x"),
    "half": lambda: Completion.model_construct(text=HALF, finish_reason="stop", latency=0.0),
    "no_text": lambda: Completion.model_construct(text=None, finish_reason="stop", latency=0.0),
    "no_usage": lambda: Completion.model_construct(text="x", usage={"prompt_tokens": "many"}),
    "leaves": lambda: os._exit(0),
    "quits": lambda: sys.exit(0),
}


class AnsweringModel:
    """Answers what its name says, a key of `ANSWERS`."""

    is_language_model = True

    def __init__(self, name: str) -> None:
        self.name = name

    def generate(self, prompt: Prompt) -> Completion:
        answer: Completion = ANSWERS[self.name]()
        return answer


class StandIn(AnsweringModel):
    """The same of a model that is no language model."""

    is_language_model = False


class ThornyModel(Thorny):
    """A model that raises at what it may leave out, and answers."""

    name = "thorny"
    is_language_model = True

    def generate(self, prompt: Prompt) -> Completion:
        return Completion(text="```python\ndef w_f():\n    '''d'''\n```")


class QuitsWhenProbed(ThornyModel):
    """Ends the process, as if all were well, when it is asked whether it can be used."""

    def probe(self) -> None:
        raise SystemExit(0)


class Asking(Whole):
    """Asks the run's model when it observes, and takes no notice of what comes of it."""

    def observe(self, session: SessionView) -> None:
        super().observe(session)
        if self.context.model is not None:
            try:
                self.context.model.generate(Prompt(parts=("note this: ", session.text)))
            except Exception:
                return


class RaisingRetriever:
    """Raises `what`, a key of `RAISED`, when it searches."""

    def __init__(self, *, what: str) -> None:
        self.what = what

    def add(self, units: Sequence[Unit]) -> None:
        pass

    def search(self, query: str, k: int) -> list[Hit]:
        raise RAISED[self.what]()


class LeavingRetriever(RaisingRetriever):
    """Ends the process when it searches."""

    def __init__(self) -> None:
        pass

    def search(self, query: str, k: int) -> list[Hit]:
        print_all("searched")
        os._exit(0)


class Wandering(Whole):
    """Goes to another folder: when it is built, and when it is asked."""

    def __init__(self, context: StrategyContext, *, to: str) -> None:
        super().__init__(context)
        self.to = to
        os.chdir(to)

    def recall(self, query: str) -> Recall:
        os.chdir(self.to)
        return super().recall(query)


class Doubling(Whole):
    """Has a child process that forgets to end."""

    def recall(self, query: str) -> Recall:
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        return super().recall(query)


class Unplaced(Whole):
    """Raises from code that stands in no file, under a name that no system takes."""

    def recall(self, query: str) -> Recall:
        exec(compile("raise ValueError('from nowhere')", f"odd{HALF}.py", "exec"))
        raise AssertionError
