"""What a LangChain chat model hands back, or raises, in the project's terms.

Every provider's package has exceptions and names of its own. A status of HTTP is the best witness
to what went wrong; without one the exception's class has to tell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memorycode.models.chat_reply import no_answer
from memorycode.models.failures import Failure, read_failure
from memorycode.models.secrets import Secrets
from memorycode.protocols import Completion, Usage

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

_REASONS = {
    "max_tokens": "length",
    "model_length": "length",
    "max_output_tokens": "length",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "safety": "content_filter",
    "recitation": "content_filter",
    "prohibited_content": "content_filter",
    "blocklist": "content_filter",
    "guardrail_intervened": "content_filter",
}
"""The providers' words for why an answer ended, and OpenAI's."""


def read_message(message: Any, *, latency: float, secrets: Secrets) -> Completion | Failure:
    """The completion in an `AIMessage`, or the failure that it stands for; none of the `secrets` is
    left in it."""
    told: Mapping[str, Any] = message.response_metadata or {}
    words = (told.get(name) for name in ("finish_reason", "stop_reason", "done_reason"))
    reason = next((word for word in words if isinstance(word, str) and word), "stop")
    reason = secrets.removed_from(reason).lower()
    reason = _REASONS.get(reason, reason)
    more = message.additional_kwargs
    refusal = more.get("refusal") or (reason if reason == "refusal" else None)
    refusal = secrets.removed_from(f"{refusal}") if refusal else None
    text = secrets.removed_from(str(message.text) or _called_with(message))
    return no_answer(text, reason, refusal=refusal) or Completion(
        text=text,
        finish_reason=reason,
        usage=_usage(message.usage_metadata),
        latency=latency,
        reasoning=secrets.removed_from(_reasoning(message)),
    )


def read_exception(error: BaseException, problem: str) -> Failure:
    """The failure that an exception of any provider's package stands for; `problem` is its text
    without the key."""
    status = _status(error)
    if status is not None:
        body = getattr(error, "body", None)
        inner = body.get("error", body) if isinstance(body, dict) else None
        codes = (inner.get("code"), inner.get("type")) if isinstance(inner, dict) else ()
        headers = getattr(getattr(error, "response", None), "headers", None)
        codes = (getattr(error, "code", None), getattr(error, "type", None), *codes)
        return read_failure(status, problem, codes=codes, headers=headers)
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


def _called_with(message: Any) -> str:
    """Some providers hold a model to a schema by a tool: the answer is what it is called with."""
    calls = message.tool_calls
    return json.dumps(calls[0]["args"], ensure_ascii=False) if calls else ""


def _usage(told: Mapping[str, Any] | None) -> Usage | None:
    if not told:
        return None
    read: Mapping[str, Any] = told.get("input_token_details") or {}
    written: Mapping[str, Any] = told.get("output_token_details") or {}
    return Usage(
        prompt_tokens=told.get("input_tokens") or 0,
        completion_tokens=told.get("output_tokens") or 0,
        cached_tokens=read.get("cache_read") or 0,
        reasoning_tokens=written.get("reasoning") or 0,
        source="endpoint",
    )


def _reasoning(message: Any) -> str:
    blocks = [block for block in message.content_blocks if block.get("type") == "reasoning"]
    if blocks:
        return "\n\n".join(str(block.get("reasoning", "")) for block in blocks)
    told = message.additional_kwargs.get("reasoning_content")
    return told if isinstance(told, str) else ""
