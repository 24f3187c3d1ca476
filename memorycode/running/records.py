"""What a run writes down: one `Record` per question, one `UnitRecord` per finished unit of work,
one `StoredContext` per distinct recalled context."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from memorycode.dialogue import Setting
from memorycode.protocols import Usage, Verdict
from memorycode.rules import Frozen

ANSWERED = "answered"
"""The outcome of a question that has an answer; any other outcome is a kind of failure."""


class Record(Frozen):
    """One question: what was recalled, what was answered, what the scorers say.

    `context` refers to a `StoredContext`. `context_tokens` and `prompt_tokens` are in the run's
    tokenizer; `usage` is the endpoint's own count. `verdicts` holds, per scorer, one verdict for
    each rule of the question, in order; a failure has none.
    """

    id: str
    model: str
    strategy: str
    dialogue: int
    setting: Setting
    session: int
    number: int
    query: str
    context: str = ""
    context_tokens: int = 0
    prompt_tokens: int = 0
    outcome: str = ANSWERED
    error: str = ""
    answer: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    latency: float = 0.0
    verdicts: Mapping[str, tuple[Verdict, ...]] = {}
    notes: Mapping[str, JsonValue] = {}

    @property
    def failed(self) -> bool:
        return self.outcome != ANSWERED


class UnitRecord(Frozen):
    """What a unit of work took: seconds in all and in the memory, the memory's own model calls."""

    model: str
    strategy: str
    dialogue: int
    seconds: float
    memory_seconds: float
    memory_calls: int = 0
    memory_prompt_tokens: int = 0
    memory_completion_tokens: int = 0


class StoredText(Frozen):
    """A recalled passage that is not a session's text as it stands."""

    text: str
    session: int | None = None


class StoredContext(Frozen):
    """A recalled context: each passage is the index of a session, verbatim, or a text."""

    id: str
    dialogue: int
    passages: tuple[int | StoredText, ...]
