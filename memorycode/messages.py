"""What is sent to a model and what comes back: messages, a prompt, a completion, calls of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue
from pydantic_core import from_json

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


Role = Literal["system", "user", "assistant", "tool"]


MOST_CALLS = 100
"""Of one answer: each of them is carried out, and its result sent back."""


class Tool(Frozen):
    """What a model may call; `parameters` is the JSON schema of its arguments, an object."""

    name: str
    description: str = ""
    parameters: Mapping[str, JsonValue] = {"type": "object", "properties": {}}


class ToolCall(Frozen):
    """One call that a model makes: `arguments` is JSON as the model wrote it, which may be none.
    `id` ties the result to it."""

    id: CleanText
    name: CleanText
    arguments: CleanText

    @property
    def values(self) -> dict[str, JsonValue] | None:
        """The arguments by name; None where what the model wrote is no JSON object that could be
        written down again. For a tool without arguments some write nothing."""
        try:
            read = from_json(self.arguments.strip() or "{}", allow_inf_nan=False)
            json.dumps(read, allow_nan=False)  # 1e999 was read as infinite
        except ValueError:
            return None
        return read if isinstance(read, dict) else None


def texts_of_calls(calls: Sequence[ToolCall]) -> Iterator[str]:
    """What a model wrote to make them: what tokens are counted of."""
    return (text for call in calls for text in (call.name, call.arguments))


@dataclass(frozen=True)
class Message:
    """One message, in parts, so that a long history is one string for all the questions about it.

    The text is the parts joined by nothing. An assistant's message may have `tool_calls`; a tool's
    is the result of the call that `tool_call_id` names, and which of the tools that was, the call
    says. Raises `ValueError` where another's has either.
    """

    role: Role
    parts: tuple[str, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""

    def __post_init__(self) -> None:
        for name, role in (("tool_calls", "assistant"), ("tool_call_id", "tool")):
            if getattr(self, name) and self.role != role:
                raise ValueError(f"a message of role {self.role} has no {name}, one of {role} has")

    @cached_property
    def text(self) -> str:
        return "".join(self.parts)


ToolChoice = Literal["auto", "required"]


def _tool_text(tool: Tool) -> str:
    """JSON, with half a surrogate pair left as it is: models say what they think of one."""
    return json.dumps(tool.model_dump(), ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, init=False)
class Prompt:
    """What a model is asked: messages, the newest last.

    Nearly every prompt is one user message: ``Prompt(("text",))``, in as many parts as are at
    hand; its `text` is what there is to answer. A conversation is ``Prompt(messages=…)``. `ref` is
    for models that replay recorded outputs. `schema` is a JSON schema that the answer is to fit: a
    model that can be held to one holds to it, another takes no notice, so that the reader of the
    answer has to check. `tools` are what the model may call, and has to where `tool_choice` is
    ``required``; only a model that says so (`TakesTools`) can.
    """

    messages: tuple[Message, ...]
    ref: QuestionRef | None
    schema: Mapping[str, JsonValue] | None
    tools: tuple[Tool, ...]
    tool_choice: ToolChoice

    def __init__(
        self,
        parts: Sequence[str] | None = None,
        ref: QuestionRef | None = None,
        schema: Mapping[str, JsonValue] | None = None,
        *,
        messages: Sequence[Message] = (),
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> None:
        """Raises `ValueError` unless there are either `parts` or `messages`."""
        if (parts is not None) == bool(messages):
            raise ValueError("a prompt has either the parts of one user message, or messages")
        given = messages if parts is None else (Message("user", tuple(parts)),)
        own = {"messages": tuple(given), "ref": ref, "schema": schema, "tools": tuple(tools)}
        for name, value in {**own, "tool_choice": tool_choice}.items():
            object.__setattr__(self, name, value)

    @property
    def is_conversation(self) -> bool:
        """Whether it is more than one user message."""
        return len(self.messages) > 1 or self.messages[0].role != "user"

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of all messages, in order, with the calls in them, and the tools: what tokens
        are counted of."""
        texts = (text for m in self.messages for text in (*m.parts, *texts_of_calls(m.tool_calls)))
        return (*texts, *map(_tool_text, self.tools))

    @property
    def text(self) -> str:
        """The text of the one user message. Raises `ConversationRefused` for a conversation, which
        is more than its texts: a model that reads this attribute cannot answer one."""
        self.refuse_tools("a model that reads prompt.text")
        if self.is_conversation:
            raise ConversationRefused(
                f"the prompt is a conversation of {len(self.messages)} messages, and this model "
                "reads prompt.text, which is of one user message; one that reads prompt.messages "
                "can answer it"
            )
        return self.messages[0].text

    def refuse_tools(self, by: str) -> None:
        """For a model that can call none, named by `by`: raises `ConversationRefused` where there
        are tools."""
        if self.tools:
            raise ConversationRefused(
                f"the prompt offers tools, which {by} cannot call; openai/NAME and "
                "langchain/PROVIDER:NAME can, and a class that says takes_tools = True"
            )


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

    `cached` marks an answer kept from an earlier call, with what it cost then. `tool_calls` are
    there where tools were offered; the text may be empty then. Half a surrogate pair, which JSON
    can carry and UTF-8 cannot, becomes U+FFFD.
    """

    text: CleanText
    finish_reason: CleanText = "stop"
    usage: Usage | None = None
    latency: float = 0.0
    reasoning: CleanText = ""
    cached: bool = False
    tool_calls: tuple[ToolCall, ...] = ()
