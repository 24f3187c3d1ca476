"""What a LangChain chat model hands back, or raises, in the project's terms.

Every provider's package has exceptions and names of its own. A status of HTTP is the best witness
to what went wrong; without one the exception's class has to tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from memorycode.models.chat_reply import arguments_text
from memorycode.models.content import read_content
from memorycode.models.endings import no_answer
from memorycode.models.failures import Failure, read_failure, read_reported
from memorycode.models.secrets import Secrets
from memorycode.protocols import Completion, Tool, ToolCall, Usage

_BY_NAME = (
    ("timeout", re.compile(r"timeout|timedout|deadline", re.IGNORECASE), "lasting"),
    ("rate_limit", re.compile(r"ratelimit|resourceexhausted|throttl", re.IGNORECASE), "passing"),
    (
        "connection",
        re.compile(r"connect|network|transporterror|protocolerror", re.IGNORECASE),
        "passing",
    ),
    ("context_too_long", re.compile(r"contextoverflow|contextlength", re.IGNORECASE), "lasting"),
    ("authentication", re.compile(r"authenticat|unauthor|credential", re.IGNORECASE), "final"),
    ("permission", re.compile(r"permission|forbidden", re.IGNORECASE), "final"),
    ("not_found", re.compile(r"notfound", re.IGNORECASE), "final"),
)
"""What a word in the name of an exception's class, or of one of its bases, stands for."""

_NO_REPLY = (ValueError, TypeError, LookupError, AttributeError)
"""What packages raise by mistake over a reply of another shape than they expect."""

_ENDINGS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
"""Where providers say how an answer ended."""


def read_message(
    message: Any, *, latency: float, secrets: Secrets, offered: Sequence[Tool] = ()
) -> Completion | Failure:
    """The completion in an `AIMessage`, or the failure that it stands for; none of the `secrets` is
    left in it. Calls are read where tools were `offered`."""
    try:
        content = read_content(message.content)
    except ValueError as error:
        return Failure("bad_response", secrets.removed_from(f"the message's content: {error}"))
    refusal = message.additional_kwargs.get("refusal") or content.refusal
    refusal = secrets.removed_from(f"{refusal}") if refusal else None
    text = secrets.removed_from(content.text)
    ending = _ending(message.response_metadata or {})
    reason = secrets.removed_from(ending) if isinstance(ending, str) else ending
    calls = _tool_calls(message, secrets) if offered else ()
    return no_answer(text, reason, refusal=refusal, tool_calls=calls) or Completion(
        text=text,
        tool_calls=calls,
        usage=_usage(message.usage_metadata),
        latency=latency,
        reasoning=secrets.removed_from(_reasoning(message) or content.reasoning),
    )


def read_held_message(message: Any, *, latency: float, secrets: Secrets) -> Completion | Failure:
    """The same of a model that was held to a schema. Some providers do that by a tool: the answer
    is what the tool is called with, and calling it a clean stop."""
    if not message.tool_calls or str(message.text).strip():
        return read_message(message, latency=latency, secrets=secrets)
    called_with = secrets.removed_from_value(message.tool_calls[0]["args"])
    return Completion(
        text=json.dumps(called_with, ensure_ascii=False),
        usage=_usage(message.usage_metadata),
        latency=latency,
        reasoning=secrets.removed_from(_reasoning(message)),
    )


def _tool_calls(message: Any, secrets: Secrets) -> tuple[ToolCall, ...]:
    """The calls, those with arguments that LangChain could not read behind the others."""
    given = [*message.tool_calls, *message.invalid_tool_calls]
    return tuple(
        ToolCall(
            id=call["id"] or f"call_{number}",
            name=secrets.removed_from(call["name"] or ""),
            arguments=secrets.removed_from(arguments_text(call["args"])),
        )
        for number, call in enumerate(given)
    )


def _ending(told: Mapping[str, Any]) -> object:
    """The provider's word for how the answer ended, None where there is none."""
    if told.get("is_blocked"):
        return "blocked"
    if told.get("object") == "response":  # of OpenAI's other protocol
        details = told.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, Mapping) else None
        return reason or told.get("status")
    return next((told[name] for name in _ENDINGS if told.get(name)), None)


def read_exception(error: BaseException, problem: str) -> Failure:
    """The failure that an exception of any provider's package stands for; `problem` is its text
    without the key."""
    status = _status(error)
    if status is not None:
        body = getattr(error, "body", None)
        inner = body.get("error", body) if isinstance(body, dict) else None
        names = ("code", "type", "param")
        codes = tuple(inner.get(name) for name in names) if isinstance(inner, dict) else ()
        headers = getattr(getattr(error, "response", None), "headers", None)
        codes = (getattr(error, "code", None), getattr(error, "type", None), *codes)
        return read_failure(status, problem, codes=codes, headers=headers)
    if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Mapping):
        return read_reported(error.args[0], problem)
    return _read_class(error, problem)


def _read_class(error: BaseException, problem: str) -> Failure:
    if isinstance(error, TimeoutError):
        return Failure("timeout", problem)
    for kind, pattern, outlook in _BY_NAME:
        if any(pattern.search(base.__name__) for base in type(error).__mro__):
            return Failure(kind, problem, outlook)  # type: ignore[arg-type]
    if isinstance(error, IndexError):
        return Failure("empty", "the reply holds no answer (no choices)")
    if isinstance(error, _NO_REPLY):
        return Failure("bad_response", f"{type(error).__name__}: {problem}")
    return Failure("model_error", f"{type(error).__name__}: {problem}")


def _status(error: BaseException) -> int | None:
    holders = (error, getattr(error, "response", None))
    for holder in holders:
        for name in ("status_code", "http_status", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 400 <= value < 600:
                return int(value)
    return None


def _usage(told: Mapping[str, Any] | None) -> Usage | None:
    if not told:
        return None
    read: Mapping[str, Any] = told.get("input_token_details") or {}
    written: Mapping[str, Any] = told.get("output_token_details") or {}
    try:
        return Usage(
            prompt_tokens=told.get("input_tokens") or 0,
            completion_tokens=told.get("output_tokens") or 0,
            cached_tokens=read.get("cache_read") or 0,
            reasoning_tokens=written.get("reasoning") or 0,
            source="endpoint",
        )
    except ValidationError:  # none that makes sense
        return None


def _reasoning(message: Any) -> str:
    blocks = [block for block in message.content_blocks if block.get("type") == "reasoning"]
    if blocks:
        return "\n\n".join(str(block.get("reasoning", "")) for block in blocks)
    told = message.additional_kwargs.get("reasoning_content")
    return told if isinstance(told, str) else ""
