"""What a chat endpoint replies, taken apart: the answer, or the failure it stands for.

The reply is hostile: it may be half a JSON text, of another shape, or empty.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import from_json

from memorycode.messages import TokenCount
from memorycode.models.content import ContentValue, read_content
from memorycode.models.endings import no_answer
from memorycode.models.failures import Failure, read_reported
from memorycode.models.secrets import Secrets
from memorycode.protocols import Completion, Tool, ToolCall, Usage

MOST_VALUES = 1_000_000
"""Of a reply: each takes some dozens of bytes once it is decoded, whatever it took before."""

_MISSHAPEN = "the reply is not as a chat endpoint's should be"
_NO_SECRETS = Secrets()


class _Function(BaseModel):
    name: str
    arguments: JsonValue = ""


class _ToolCall(BaseModel):
    id: str | None = None
    function: _Function


class _Message(BaseModel):
    content: ContentValue = None
    tool_calls: list[_ToolCall] | None = None
    refusal: str | None = None
    reasoning_content: JsonValue = None
    reasoning: JsonValue = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Reply(BaseModel):
    choices: list[_Choice] | None = None
    usage: JsonValue = None


class _ErrorsOfMessage(BaseModel):
    error: JsonValue = None


class _ErrorsOfChoice(BaseModel):
    error: JsonValue = None
    message: _ErrorsOfMessage | None = None

    @property
    def first(self) -> JsonValue:
        return self.error or (self.message.error if self.message else None)


class _Errors(BaseModel):
    """Where a reply may hold an error; what else is in it may be of any shape then."""

    error: JsonValue = None
    choices: list[_ErrorsOfChoice] | None = None

    @property
    def first(self) -> JsonValue:
        return self.error or (self.choices[0].first if self.choices else None)


class _PromptDetails(BaseModel):
    cached_tokens: TokenCount | None = None


class _CompletionDetails(BaseModel):
    reasoning_tokens: TokenCount | None = None


class _Usage(BaseModel):
    prompt_tokens: TokenCount
    completion_tokens: TokenCount
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


def read_reply(
    body: str, *, latency: float, secrets: Secrets = _NO_SECRETS, offered: Sequence[Tool] = ()
) -> Completion | Failure:
    """The completion in the body of a reply that came in `latency` seconds, or the failure; none
    of the `secrets` is left in it.

    The failure's kind is ``bad_response``, what an error in the body stands for, or what
    `no_answer` says. An error goes before any text beside it, which was broken off. Calls are read
    where tools were `offered`.
    """
    told = _decoded(body)
    if isinstance(told, Failure):
        return told
    # Now that it is decoded a key can stand in it in no writing but its own.
    told = secrets.removed_from_value(told)
    if failure := _reported_error(told):
        return failure
    try:
        reply = _Reply.model_validate(told)
    except ValidationError as error:
        return Failure("bad_response", _shape_problem(error))
    if not reply.choices:
        return Failure("empty", "the reply holds no answer (no choices)")
    choice = reply.choices[0]
    message, content = choice.message, read_content(choice.message.content)
    refusal = message.refusal or content.refusal
    calls = _read_calls(message.tool_calls or ()) if offered else ()
    return no_answer(
        content.text, choice.finish_reason, refusal=refusal, tool_calls=calls
    ) or Completion(
        text=content.text,
        tool_calls=calls,
        usage=_read_usage(reply.usage),
        latency=latency,
        reasoning=_text(message.reasoning_content) or _text(message.reasoning) or content.reasoning,
    )


def _read_calls(calls: Sequence[_ToolCall]) -> tuple[ToolCall, ...]:
    """Some endpoints give the arguments decoded, and some a call without an identifier."""
    return tuple(
        ToolCall(
            id=call.id or f"call_{number}",
            name=call.function.name,
            arguments=arguments_text(call.function.arguments),
        )
        for number, call in enumerate(calls)
    )


def arguments_text(arguments: JsonValue) -> str:
    """The arguments of a call as JSON, as the model wrote it where that is known."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _decoded(body: str) -> Any:
    """The JSON of a body, or the failure that stands for one that has none."""
    if body.count(",") > MOST_VALUES:
        return Failure("bad_response", f"the reply holds more than {MOST_VALUES:,} values")
    try:
        return from_json(body)
    except ValueError as error:
        return Failure("bad_response", f"{_MISSHAPEN}: no JSON: {error}")


def _shape_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{_MISSHAPEN}: {place or 'the whole'}: {first['msg']}"


def _reported_error(reply: JsonValue) -> Failure | None:
    """Some endpoints report an error with the status of success, beside the choices, in one, or in
    its message."""
    try:
        error = _Errors.model_validate(reply).first
    except ValidationError:
        return None
    if not error:
        return None
    told = error if isinstance(error, dict) else {"message": error}
    message = f"{told.get('message') or 'no details'}"[:200]
    return read_reported(told, f"the endpoint reports an error: {message}")


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _read_usage(value: JsonValue) -> Usage | None:
    """The endpoint's count; None where it sends none, or none that makes sense."""
    try:
        usage = _Usage.model_validate(value)
    except ValidationError:
        return None
    prompt, completion = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=(prompt.cached_tokens if prompt else None) or 0,
        reasoning_tokens=(completion.reasoning_tokens if completion else None) or 0,
        source="endpoint",
    )
