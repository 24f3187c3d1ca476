"""The whole plug-in surface on one page: what a strategy, a retriever, an embedder, a model and a
scorer are.

A plug-in is any class or function that builds an object of one of these shapes; nothing has to be
inherited. It is named ``module:Class``, or by an entry point:

===============  ========================  ===========================================
kind             group of entry points     where it is named
===============  ========================  ===========================================
strategy         memorycode.strategies     run --strategy
retriever        memorycode.retrievers     run --strategy rag:retriever=…, retrieve
embedder         memorycode.embedders      run --embedder, retrieve --embedder
model            memorycode.models         run --model
scorer           memorycode.scorers        run --scorer, rescore --scorer
===============  ========================  ===========================================

The data that passes between them stands here too, or, where it is what a model is asked and
answers, in `memorycode.messages`; all of it can be imported from here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

from pydantic import JsonValue

from memorycode.dialogue import AskAfter, OracleView, SessionView, Speakers
from memorycode.frozen import Frozen
from memorycode.messages import (
    CleanText,
    Completion,
    Message,
    Prompt,
    QuestionRef,
    Role,
    Tool,
    ToolCall,
    ToolChoice,
    Usage,
)
from memorycode.prompts import DEFAULT_PACK, PromptPack
from memorycode.rules import Rule

__all__ = [
    "CanProbe",
    "CleanText",
    "Completion",
    "Embedder",
    "HasContextLimit",
    "HasNote",
    "HasOptions",
    "HasVariant",
    "Hit",
    "KeepsVectors",
    "MemoryStrategy",
    "Message",
    "Model",
    "OracleRetriever",
    "Passage",
    "Prompt",
    "QuestionRef",
    "Recall",
    "Retriever",
    "Role",
    "RuleReader",
    "Scorer",
    "StrategyContext",
    "TakesTools",
    "Tool",
    "ToolCall",
    "ToolChoice",
    "Unit",
    "Usage",
    "Verdict",
]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# ── memory ────────────────────────────────────────────────────────────────────────────────────


class Passage(Frozen):
    """A piece of recalled text; `session` is the index of the session it was taken from."""

    text: CleanText
    session: int | None = None


class Recall(Frozen):
    """What a strategy remembers for one question.

    `passages` stand in the prompt in the order given. `notes` are free and go into the record.
    """

    passages: tuple[Passage, ...] = ()
    notes: Mapping[str, JsonValue] = {}

    @classmethod
    def from_text(cls, text: str, **notes: JsonValue) -> Recall:
        """A recall of one text that belongs to no single session; empty text recalls nothing."""
        return cls(passages=(Passage(text=text),) if text else (), notes=notes)

    @property
    def text(self) -> str:
        return "\n\n".join(passage.text for passage in self.passages)

    @property
    def sessions(self) -> tuple[int, ...]:
        """The sessions it came from, each once, in the order of the passages."""
        return tuple(dict.fromkeys(p.session for p in self.passages if p.session is not None))


def _unheard() -> None:
    """Nobody counts."""


@dataclass(frozen=True)
class StrategyContext:
    """What a run hands to a strategy's factory, once per dialogue.

    `model` is None where the run's model cannot write prose (the ideal mentee, recorded outputs).
    `embedder` turns texts into vectors; what needs one asks it and nothing else, so that the cost
    is counted. `count_tokens` is the run's tokenizer; `token_budget` bounds the recall as it
    stands in the prompt (None: no bound). `prompts` holds the texts for strategies that ask the
    model. `rng` is the strategy's own, seeded by the run's seed and the dialogue.

    A strategy calls `report_unreadable` for each answer of the model that it could make nothing of.
    Tables show how many these are, beside the calls that failed, which are counted without it.
    """

    speakers: Speakers
    model: Model | None
    embedder: Embedder
    count_tokens: Callable[[str], int]
    token_budget: int | None
    rng: random.Random
    prompts: PromptPack = DEFAULT_PACK
    report_unreadable: Callable[[], None] = _unheard

    def cost(self, passage: Passage) -> int:
        """The tokens that a passage takes in the prompt, its heading among them."""
        return self.count_tokens(self.prompts.passage(passage.text, passage.session))

    def bounded(self, limit: int | None) -> int | None:
        """The smaller of a strategy's own limit of tokens and the run's budget, where there is
        one."""
        bounds = [bound for bound in (limit, self.token_budget) if bound is not None]
        return min(bounds, default=None)


@runtime_checkable
class MemoryStrategy(Protocol):
    """A memory mechanism. One fresh instance per dialogue sees its sessions in time order.

    The factory is called as ``factory(context, **parameters)``. An oracle is handed `OracleView`s
    and is marked in every table. `ask_after` says when it is asked unless the run overrides it.
    Two attributes more may be there: see `HasVariant` and `HasNote`. A class that says all four is
    not built on trial before a run; what its instances choose, it declares without a value. It may
    say what a run has to look for before it asks anything: `embeds`, whether the embedder is used
    for certain, and `needs`, modules by the extra that brings them (`memorycode.extras`); so may
    the class of a retriever or a model.
    """

    oracle: bool
    ask_after: AskAfter

    def observe(self, session: SessionView) -> None:
        """Take in one session."""
        ...

    def recall(self, query: str) -> Recall:
        """Say what is remembered for `query`, the piece of code that will be asked for."""
        ...


# ── retrieval ─────────────────────────────────────────────────────────────────────────────────


class Unit(NamedTuple):
    """A piece of text that can be retrieved, and the session it belongs to."""

    text: str
    session: int


class Hit(NamedTuple):
    """A retrieved unit: its position among the units added, and its score (higher is better).

    A tuple and no model: a grid of retrieval settings makes millions.
    """

    position: int
    score: float


@runtime_checkable
class Retriever(Protocol):
    """A search over units. Ties go to the unit added earlier."""

    def add(self, units: Sequence[Unit]) -> None:
        """Add units; positions count on from those already there."""
        ...

    def search(self, query: str, k: int) -> list[Hit]:
        """The best `k` units (fewer if there are fewer), best first."""
        ...


@runtime_checkable
class OracleRetriever(Retriever, Protocol):
    """A retriever that may see the gold labels; what uses it is marked where `oracle` is true."""

    oracle: bool

    def label(self, session: OracleView) -> None:
        """Take in the gold labels of a session, before its units are added."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. Called from several threads at once.

    A factory of a strategy or retriever that has a parameter of this type is handed the run's. The
    run's own is called as ``factory(**parameters)``, once; of a plug-in the tables and the manifest
    show the name with the hash of its source. It may have `needs`, as a strategy's class may.
    """

    name: str

    def pieces(self, text: str) -> list[str]:
        """The text cut into pieces that the embedder reads whole: what is longer than its window
        would else be lost. A short text is one piece; an empty one too."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length one, or of zeros alone, shape (len(texts), dimensions). A text
        that is longer than the window has the direction of the mean of its pieces' vectors."""
        ...


@runtime_checkable
class KeepsVectors(Protocol):
    """An embedder that keeps vectors, and says which texts it had none for."""

    def embed_new(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], Sequence[str]]:
        """As `embed`; and, each once, the texts that were embedded for it."""
        ...


# ── models ────────────────────────────────────────────────────────────────────────────────────


@runtime_checkable
class Model(Protocol):
    """Anything that answers a prompt. Called from several threads at once.

    `name` stands in tables and records. `is_language_model` is False for stand-ins that answer
    code questions only: strategies are then given no model to write summaries with. More may be
    there: see `HasOptions`, `HasNote`, `HasContextLimit`, `TakesTools` and `CanProbe`; and
    `secrets`, a `memorycode.models.secrets.Secrets` of what no record may hold.
    """

    name: str
    is_language_model: bool

    def generate(self, prompt: Prompt) -> Completion:
        """Answer, or raise `ModelError` (a failure is recorded as such, never scored).

        What is asked stands in `prompt.messages`; `prompt.text` is for models that take one user
        message alone.
        """
        ...


# What strategies and models may have beside. Nobody has to name these: whoever has the member fits.


@runtime_checkable
class HasVariant(Protocol):
    """A strategy that says, in a word, which of its ways it goes; tables put it behind the name."""

    variant: str


@runtime_checkable
class HasNote(Protocol):
    """A strategy or a model with a sentence that tables put below."""

    note: str


ADDRESS, MODEL = "address", "model"
"""Names in a model's options."""


@runtime_checkable
class HasOptions(Protocol):
    """A model that says all that decides its answers (never a key): for the manifest and the
    cache. Where it runs stands under `ADDRESS`, and its own name, where a label stands in the place
    of that, under `MODEL`."""

    options: Mapping[str, JsonValue]


@runtime_checkable
class HasContextLimit(Protocol):
    """A model that says how many tokens it reads and writes in one call; None: it does not know."""

    context_limit: int | None


@runtime_checkable
class TakesTools(Protocol):
    """A model that answers conversations, and can call the tools of a prompt, where this is True.
    Another one is told the tools in words, if at all."""

    takes_tools: bool


@runtime_checkable
class CanProbe(Protocol):
    """A model that can tell, for the price of a small call, whether it can be used."""

    def probe(self) -> None:
        """Raises `ModelUnavailable` where no call will succeed."""
        ...


# ── scoring ───────────────────────────────────────────────────────────────────────────────────

Verdict = Literal["followed", "violated", "absent", "unparsable"]


@runtime_checkable
class Scorer(Protocol):
    """Says for each rule whether an answer follows it. Parses the answer once, never runs it.

    The factory is called as ``factory(**parameters)``, once; `judge` is called from several threads
    at once, and also with older versions of rules and with small pieces of code, to find out why a
    rule was violated. What it raises ends the command, and what was asked is kept. `name` is not
    one of ours (official, strict).

    `revision` goes up whenever one of its verdicts may come out differently: verdicts of two
    revisions are never in one table.
    """

    name: str
    revision: int

    def judge(self, answer: str, rules: Sequence[Rule], elicited: Sequence[bool]) -> list[Verdict]:
        """One verdict per rule; `elicited` marks the rules whose object the question calls for."""
        ...


@runtime_checkable
class RuleReader(Protocol):
    """Finds the rules that a text states; runs use our own, and there are no plug-ins of this
    kind. `revision` goes up whenever it may find others."""

    name: str
    revision: int

    def rules_in(self, text: str, speakers: Speakers) -> Iterable[Rule]:
        """The rules stated in a text of these speakers."""
        ...
