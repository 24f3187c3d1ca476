"""What is sent to a model and what comes back: messages, a prompt, a completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue

from memorycode.dialogue import Setting
from memorycode.errors import ConversationRefused
from memorycode.frozen import Frozen


def without_half_pairs(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair: JSON can carry one, UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


CleanText = Annotated[str, BeforeValidator(without_half_pairs)]


@dataclass(frozen=True)
class QuestionRef:
    """Which question of a data set this is: no text and no label, only its place.

    `session` is the checkpoint; `number` counts the questions asked there, `repeat` how often this
    one was asked before: its answers are drawn anew.
    """

    dialogue: int
    setting: Setting
    session: int
    number: int
    repeat: int = 0


Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Message:
    """One message, in parts, so that a long history is one string for all the questions about it.

    The text is the parts joined by nothing.
    """

    role: Role
    parts: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        return "".join(self.parts)


@dataclass(frozen=True, init=False)
class Prompt:
    """What a model is asked: messages, the newest last.

    Nearly every prompt is one user message: ``Prompt(("text",))``, in as many parts as are at
    hand; its `text` is what there is to answer. A conversation is ``Prompt(messages=…)``. `ref` is
    for models that replay recorded outputs. `schema` is a JSON schema that the answer is to fit: a
    model that can be held to one holds to it, another takes no notice, so that the reader of the
    answer has to check.
    """

    messages: tuple[Message, ...]
    ref: QuestionRef | None
    schema: Mapping[str, JsonValue] | None

    def __init__(
        self,
        parts: Sequence[str] | None = None,
        ref: QuestionRef | None = None,
        schema: Mapping[str, JsonValue] | None = None,
        *,
        messages: Sequence[Message] = (),
    ) -> None:
        """Raises `ValueError` unless there are either `parts` or `messages`."""
        if (parts is not None) == bool(messages):
            raise ValueError("a prompt has either the parts of one user message, or messages")
        given = messages if parts is None else (Message("user", tuple(parts)),)
        for name, value in (("messages", tuple(given)), ("ref", ref), ("schema", schema)):
            object.__setattr__(self, name, value)

    @property
    def is_conversation(self) -> bool:
        """Whether it is more than one user message."""
        return len(self.messages) > 1 or self.messages[0].role != "user"

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of all messages, in order: what tokens are counted of."""
        return tuple(part for message in self.messages for part in message.parts)

    @property
    def text(self) -> str:
        """The text of the one user message. Raises `ConversationRefused` for a conversation, which
        is more than its texts: a model that reads this attribute cannot answer one."""
        if self.is_conversation:
            raise ConversationRefused(
                f"the prompt is a conversation of {len(self.messages)} messages, and this model "
                "reads prompt.text, which is of one user message; one that reads prompt.messages "
                "can answer it"
            )
        return self.messages[0].text


TokenCount = Annotated[int, Field(ge=0, le=10**100)]
"""Beyond is no count, and more digits than a fraction can have: nothing can be reckoned with it."""


class Usage(Frozen):
    """Tokens of one call. `cached_tokens` is the part of the prompt that the endpoint had cached;
    `source` says whether the endpoint counted or the run's tokenizer."""

    prompt_tokens: TokenCount = 0
    completion_tokens: TokenCount = 0
    cached_tokens: TokenCount = 0
    reasoning_tokens: TokenCount = 0
    source: Literal["endpoint", "tokenizer"] = "tokenizer"


class Completion(Frozen):
    """A model's answer. `usage` is None where the model does not count; `latency` in seconds.

    `cached` marks an answer kept from an earlier call, with what it cost then. Half a surrogate
    pair, which JSON can carry and UTF-8 cannot, becomes U+FFFD.
    """

    text: CleanText
    finish_reason: CleanText = "stop"
    usage: Usage | None = None
    latency: float = 0.0
    reasoning: CleanText = ""
    cached: bool = False
