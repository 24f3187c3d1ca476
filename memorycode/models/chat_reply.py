"""What a chat endpoint replies, taken apart: the answer, or the failure it stands for.

The reply is hostile: it may be half a JSON text, of another shape, or empty.
"""

from __future__ import annotations

from pydantic import BaseModel, JsonValue, NonNegativeInt, ValidationError

from memorycode.errors import ModelError
from memorycode.protocols import Completion, Usage


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: JsonValue = None
    reasoning: JsonValue = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Reply(BaseModel):
    choices: list[_Choice] | None = None
    usage: JsonValue = None
    error: JsonValue = None


class _PromptDetails(BaseModel):
    cached_tokens: NonNegativeInt | None = None


class _CompletionDetails(BaseModel):
    reasoning_tokens: NonNegativeInt | None = None


class _Usage(BaseModel):
    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


def read_reply(body: str, *, latency: float) -> Completion:
    """The completion in the body of a reply that came in `latency` seconds.

    Raises `ModelError` of the kind ``bad_response``, ``server_error``, ``empty``, ``refused``,
    ``content_filter`` or ``truncated``.
    """
    try:
        reply = _Reply.model_validate_json(body)
    except ValidationError as error:
        raise ModelError(_shape_problem(error), kind="bad_response") from None
    if not reply.choices:
        raise _no_choice(reply)
    choice = reply.choices[0]
    message, reason = choice.message, choice.finish_reason or "stop"
    if message.refusal:
        raise ModelError(f"the model refused: {message.refusal[:200]}", kind="refused")
    if reason == "content_filter":
        raise ModelError("the endpoint's filter held the answer back", kind="content_filter")
    if reason == "length":
        raise ModelError("the answer was cut off at the limit of tokens", kind="truncated")
    if message.content is None or not message.content.strip():
        raise ModelError(f"the answer is empty (finish reason {reason[:40]!r})", kind="empty")
    return Completion(
        text=message.content,
        finish_reason=reason,
        usage=_read_usage(reply.usage),
        latency=latency,
        reasoning=_text(message.reasoning_content) or _text(message.reasoning),
    )


def _shape_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"the reply is not as a chat endpoint's should be: {place or 'JSON'}: {first['msg']}"


def _no_choice(reply: _Reply) -> ModelError:
    """Some endpoints report an error with the status of success."""
    if isinstance(reply.error, dict):
        problem = _text(reply.error.get("message"))[:200]
        return ModelError(f"the endpoint reports an error: {problem}", kind="server_error")
    return ModelError("the reply holds no answer (no choices)", kind="empty")


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
