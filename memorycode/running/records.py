"""What a run writes down: one `Record` per question, one `TaskRecord` per finished task, one
`StoredContext` per distinct recalled context."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from memorycode.dialogue import Setting
from memorycode.frozen import Frozen
from memorycode.protocols import CleanText, Usage, Verdict
from memorycode.running.budget import Cut
from memorycode.scoring.attribution import Cause, RulesFound

ANSWERED = "answered"
"""The outcome of a question that has an answer; any other outcome is a kind of failure."""


class Record(Frozen):
    """One question: what was recalled, what was answered, what the scorers say.

    `context` refers to a `StoredContext`. `context_tokens` and `prompt_tokens` are in the run's
    tokenizer; `usage` is the endpoint's own count. `verdicts` holds, per scorer, one verdict for
    each rule of the question, in order, and `causes` where each violated rule was lost, by its
    position; a failure has neither. `cut` is what the budget took from the recall, `found` what
    the rest had of the question's rules. Of two records with one id, the later holds: a failed
    question may be asked again.
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
    error: CleanText = ""
    answer: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    latency: float = 0.0
    verdicts: Mapping[str, tuple[Verdict, ...]] = {}
    causes: Mapping[str, Mapping[int, Cause]] = {}
    notes: Mapping[str, JsonValue] = {}
    cut: Cut | None = None
    found: RulesFound | None = None

    @property
    def failed(self) -> bool:
        return self.outcome != ANSWERED


class MemoryCost(Frozen):
    """What building and asking the memory took: seconds, its own calls to the run's model, and
    what it had the run's embedder embed (cached or not).

    `failures` counts the calls that failed, by kind: a memory that lost one is not what it would
    have been, and its scores are not the strategy's.
    """

    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedded_texts: int = 0
    embedded_tokens: int = 0
    failures: Mapping[str, int] = {}


class TaskRecord(Frozen):
    """What a task took: one model, one strategy, one dialogue. `seconds` is the time in all."""

    model: str
    strategy: str
    dialogue: int
    seconds: float
    memory: MemoryCost = MemoryCost()


class StoredText(Frozen):
    """A recalled passage that is not a session's text as it stands."""

    text: str
    session: int | None = None


class StoredContext(Frozen):
    """A recalled context: each passage is the index of a session, verbatim, or a text."""

    id: str
    dialogue: int
    passages: tuple[int | StoredText, ...]
