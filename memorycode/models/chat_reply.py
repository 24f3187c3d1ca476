"""What a chat endpoint replies, taken apart: the answer, or the failure it stands for.

The reply is hostile: it may be half a JSON text, of another shape, or empty.
"""

from __future__ import annotations

from pydantic import BaseModel, JsonValue, NonNegativeInt, ValidationError
from pydantic_core import from_json

from memorycode.models.failures import Failure, read_failure
from memorycode.models.secrets import Secrets
from memorycode.protocols import Completion, Usage

MOST_VALUES = 1_000_000
"""Of a reply: each takes some dozens of bytes once it is decoded, whatever it took before."""

_NO_SECRETS = Secrets()


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


def read_reply(
    body: str, *, latency: float, secrets: Secrets = _NO_SECRETS
) -> Completion | Failure:
    """The completion in the body of a reply that came in `latency` seconds, or the failure; none
    of the `secrets` is left in it.

    The failure's kind is ``bad_response``, ``empty``, ``refused``, ``content_filter`` or
    ``truncated``, or what an error in the body stands for.
    """
    if body.count(",") > MOST_VALUES:
        return Failure("bad_response", f"the reply holds more than {MOST_VALUES:,} values")
    try:
        # Now that it is decoded a key can stand in it in no writing but its own.
        reply = _Reply.model_validate(secrets.removed_from_value(from_json(body)))
    except ValidationError as error:
        return Failure("bad_response", _shape_problem(error))
    except ValueError as error:
        return Failure("bad_response", f"the reply is no JSON: {error}")
    if not reply.choices:
        return _no_choice(reply)
    choice = reply.choices[0]
    message, reason = choice.message, choice.finish_reason or "stop"
    failure = no_answer(message.content, reason, refusal=message.refusal)
    return failure or Completion(
        text=message.content or "",
        finish_reason=reason,
        usage=_read_usage(reply.usage),
        latency=latency,
        reasoning=_text(message.reasoning_content) or _text(message.reasoning),
    )


def no_answer(text: str | None, finish_reason: str, *, refusal: str | None) -> Failure | None:
    """Why what a model wrote is no answer; None where it is one."""
    if refusal:
        return Failure("refused", f"the model refused: {refusal[:200]}")
    if finish_reason == "content_filter":
        return Failure("content_filter", "the endpoint's filter held the answer back")
    if finish_reason == "length":
        return Failure("truncated", "the answer was cut off at the limit of tokens")
    if text is None or not text.strip():
        return Failure("empty", f"the answer is empty (finish reason {finish_reason[:40]!r})")
    return None


def _shape_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"the reply is not as a chat endpoint's should be: {place or 'JSON'}: {first['msg']}"


def _no_choice(reply: _Reply) -> Failure:
    """Some endpoints report an error with the status of success."""
    if not isinstance(reply.error, dict):
        return Failure("empty", "the reply holds no answer (no choices)")
    problem = f"the endpoint reports an error: {_text(reply.error.get('message'))[:200]}"
    code = reply.error.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return read_failure(status, problem, codes=(code, reply.error.get("type")))


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
