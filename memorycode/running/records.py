"""What a run writes down: an `AskedRecord` each time a question is asked, a `Judgement` of it, a
`TaskRecord` per task, a `StoredContext` per distinct recalled context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import Field, JsonValue

from memorycode.dialogue import Setting
from memorycode.frozen import Frozen
from memorycode.protocols import CleanText, Message, Usage, Verdict
from memorycode.running.budget import Truncation
from memorycode.scoring.attribution import Cause, RulesFound

STRATEGY_ERROR = "strategy_error"
"""The outcome of a question whose strategy raised an exception."""

STRATEGY_TIMEOUT = "strategy_timeout"
"""The outcome of a question of a dialogue in which the strategy took longer than it may."""

CONTEXT_TOO_LONG = "context_too_long"
"""The outcome of a question whose prompt is over the model's limit, by our count or by the
endpoint's."""

ANSWERED = "answered"
"""The outcome of a question that has an answer; any other outcome is a kind of failure."""


UNJUDGED = "unjudged"
"""What a question counts as that has an answer and no verdicts yet: its run was killed in between.
The run judges it when it is taken up again."""


class AskedRecord(Frozen):
    """One time that a question was asked: what was recalled, what was answered.

    `context` refers to a `StoredContext`. `context_tokens` and `prompt_tokens` are in the run's
    tokenizer; `usage` is the endpoint's own count, or that tokenizer's where a language model has
    none. `truncated` is what the budget, or the model's limit, took from the recall. `scope` says
    where the rules asked about hold, `repeat` counts how often the question was asked before,
    `round` how often with feedback on its answer. `cached` marks an answer that was at hand and not
    asked for, `unsent` a prompt that is over the model's limit. `address` is where the model was
    when it was asked, if it has an address and was asked. A failed question may be asked
    again: of several records with one id the last holds, and `attempt` counts those before it.
    """

    id: str
    model: str
    strategy: str
    dialogue: int
    setting: Setting
    scope: str = ""
    session: int
    number: int
    repeat: int = 0
    round: int = 0
    attempt: int = 0
    query: str
    context: str = ""
    context_tokens: int = 0
    prompt_tokens: int = 0
    further: tuple[Message, ...] = ()
    """What followed the question's own prompt, where that opened a conversation."""
    outcome: str = ANSWERED
    error: CleanText = ""
    answer: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    latency: float = 0.0
    cached: bool = False
    unsent: bool = False
    address: str = ""
    notes: Mapping[str, JsonValue] = Field(default_factory=dict)
    truncated: Truncation | None = None

    @property
    def failed(self) -> bool:
        return self.outcome != ANSWERED

    @property
    def was_sent(self) -> bool:
        """Whether a call to the model was made for it."""
        unasked = (STRATEGY_ERROR, STRATEGY_TIMEOUT)
        return not (self.cached or self.unsent or self.outcome in unasked)

    @property
    def spent(self) -> Usage:
        """The tokens of its call: the endpoint's count, else the run's tokenizer's of the prompt;
        of none where there was no call. A failed call of which nothing is known counts nothing."""
        if not self.was_sent or self.outcome not in (ANSWERED, UNJUDGED):
            return Usage()
        return self.usage or Usage(prompt_tokens=self.prompt_tokens)


class Judgement(Frozen):
    """What was made of an asked question without asking anybody; `id` is the question's.

    `verdicts` holds, per scorer, one verdict for each rule of the question, in order, and `causes`
    where each violated rule was lost, by its position; a failure has neither. `found` is what the
    recall had of the rules.
    """

    id: str
    verdicts: Mapping[str, tuple[Verdict, ...]] = Field(default_factory=dict)
    causes: Mapping[str, Mapping[int, Cause]] = Field(default_factory=dict)
    found: RulesFound | None = None


class Record(AskedRecord):
    """An asked question with what scorers and a reader of rules say of it: see `Judgement`."""

    verdicts: Mapping[str, tuple[Verdict, ...]] = Field(default_factory=dict)
    causes: Mapping[str, Mapping[int, Cause]] = Field(default_factory=dict)
    found: RulesFound | None = None


class Asked(NamedTuple):
    """A question that was asked, and the context that was recalled for it."""

    record: AskedRecord
    context: StoredContext | None


TaskEvent = Asked | Judgement
"""What comes of a task, one after the other: each question that was asked, and then what was made
of it; a strategy's failure is not judged."""


class MemoryCost(Frozen):
    """What building and asking the memory took: seconds, its own calls to the run's model, and
    what it had the run's embedder embed.

    `calls` and their tokens count all calls. Of these `cached_calls` were answered from the cache,
    with `saved_prompt_tokens` and `saved_completion_tokens`: nobody was asked for them.
    `cached_tokens` are those of the prompts that were sent and that the endpoint had cached.
    `failures` counts the calls that failed, by kind, and `unreadable` the answers that the strategy
    says it could make nothing of, None where nobody counted them: a memory that lost one is not
    what it would have been, and its scores are not the strategy's. Of the failures `ended` ended
    the run: no question was asked of that memory any more. `cached_texts` are those whose vectors
    were at hand; they are not among `embedded_texts`.
    """

    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_calls: int = 0
    saved_prompt_tokens: int = 0
    saved_completion_tokens: int = 0
    cached_tokens: int = 0
    embedded_texts: int = 0
    embedded_tokens: int = 0
    cached_texts: int = 0
    failures: Mapping[str, int] = Field(default_factory=dict)
    ended: int = 0
    unreadable: int | None = None

    @property
    def lost_calls(self) -> int:
        """The failed calls that the memory went on without."""
        return sum(self.failures.values()) - self.ended

    @property
    def sent_calls(self) -> int:
        return self.calls - self.cached_calls

    @property
    def spent(self) -> Usage:
        """The tokens of the calls that were sent."""
        return Usage(
            prompt_tokens=self.prompt_tokens - self.saved_prompt_tokens,
            completion_tokens=self.completion_tokens - self.saved_completion_tokens,
            cached_tokens=self.cached_tokens,
        )


class TaskRecord(Frozen):
    """What a task took: one model, one strategy, one dialogue. `seconds` is the time in all.

    A task that was stopped and taken up again has several, and so has one whose failed questions
    were asked again; they add up.
    """

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
