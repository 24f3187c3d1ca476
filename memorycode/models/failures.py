"""What a failed call stands for: its kind, and whether asking again can help.

Every client reports failures in its own way, but behind each stand a status of HTTP, a code and a
message, and these are read here, in one place for all.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Literal

from memorycode.errors import ModelError, ModelUnavailable, PassingFailure
from memorycode.plugin_faults import optional, said

_KINDS = {401: "authentication", 402: "quota", 403: "permission", 404: "not_found", 408: "timeout"}
_FINAL = {
    "authentication": "the key is not accepted",
    "permission": "the endpoint refuses the key for this",
    "not_found": "no such model, or no chat endpoint at this address",
    "quota": "the account's quota is used up",
}
"""Kinds after which no further call can succeed."""

_CODES = {
    "content_filter": "content_filter",
    "context_length_exceeded": "context_too_long",
    "exceed_context_size_error": "context_too_long",
    "string_above_max_length": "context_too_long",
    "request_too_large": "context_too_long",
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "invalid_api_key": "authentication",
    "authentication_error": "authentication",
    "model_not_found": "not_found",
}
"""Codes and types that endpoints give, and what they stand for."""

_USED_UP = re.compile(
    r"credit balance is too low|insufficient (?:balance|credits|quota)|out of credits|"
    r"(?:key|spend(?:ing)?|credit|budget|quota) limit (?:is |was |has been )?(?:exceeded|reached)|"
    r"quota (?:is |was |has been )?(?:exceeded|exhausted|used up)",
    re.IGNORECASE,
)
"""What an endpoint says of an account or a key that has spent all that it may."""

_MESSAGES = (
    (
        "context_too_long",
        re.compile(
            r"maximum context length|max_model_len|context[ _](?:length|size|window)|"
            r"(?:prompt|input|request) (?:is|are) too (?:long|large)|prompt too long|"
            r"input (?:token )?length|too many (?:input )?tokens|maximum (?:allowed )?input length|"
            r"reduce the length of",
            re.IGNORECASE,
        ),
    ),
    # OpenAI's, of a model that was still thinking then.
    ("truncated", re.compile(r"could not finish the message because max_tokens", re.IGNORECASE)),
    ("quota", _USED_UP),
    ("authentication", re.compile(r"api key not valid|invalid api key", re.IGNORECASE)),
)
"""What refused requests say where they give no code."""

_MENDS = (
    (
        re.compile(r"\bmax_completion_tokens\b"),
        "--max-tokens none --body '{\"max_completion_tokens\": 2048}' asks as it wants to be asked",
    ),
    (re.compile(r"\bmax_tokens\b"), "--max-tokens none leaves max_tokens out"),
    (re.compile(r"\btemperature\b"), "--temperature none leaves the temperature out"),
)
"""By what a refused request is told to be wrong with: the option that mends it. The first that
fits: newer models name what they want instead of ``max_tokens`` in the same breath."""

_REFUSED = frozenset((400, 413, 422))
_TRANSIENT = frozenset((408, 409, 425, 429))
_STATUS = re.compile(r"[45][0-9][0-9]")
_BARE = re.compile(r"Error code: [0-9]+")
_READ = 2000
"""Characters of a message that are looked at."""


@dataclass(frozen=True)
class Failure:
    """A failure as it was read, before it is an error with the model's name in it.

    An error is best made far from the exception that it was read from, which may hold the key.
    """

    kind: str
    problem: str
    outlook: Literal["passing", "lasting", "final"] = "lasting"
    retry_after: float | None = None

    def error(self, where: str) -> ModelError:
        """The error to raise; `where` opens its text."""
        text = f"{where}: {self.problem}"
        if self.outlook == "final":
            return ModelUnavailable(text, kind=self.kind)
        if self.outlook == "passing":
            return PassingFailure(text, kind=self.kind, retry_after=self.retry_after)
        return ModelError(text, kind=self.kind)

    def raise_if_hopeless(self, where: str) -> None:
        """Raise `ModelUnavailable` where a call that fails so at the start will go on failing: a
        wrong key, an unknown model, options that are refused, nothing that listens."""
        if self.kind in ("connection", "bad_request"):
            raise ModelUnavailable(f"{where}: {self.problem}", kind=self.kind)
        if self.outlook == "final":
            raise self.error(where)


class ReplyRefused(Exception):
    """A reply that is not read, or not to its end, or not asked for; `failure` says why, in the
    endpoint's words too: they may hold a key."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.problem)


def refused_reply(error: BaseException | None) -> Failure | None:
    """The failure of the refused reply behind an error; None where there is none behind it."""
    seen: set[int] = set()  # a package may have made a ring of causes
    while error is not None and id(error) not in seen:
        if isinstance(error, ReplyRefused):
            return error.failure
        seen.add(id(error))
        error = error.__cause__
    return None


def told_by(error: BaseException) -> str:
    """What an exception of a client says, and the endpoint's reply where the exception keeps that
    back: the package openai repeats one field of a reply alone."""
    told = said(error)
    reply = optional(optional(error, "response", None), "text", "")
    is_bare = _BARE.fullmatch(told) and isinstance(reply, str) and reply.strip()
    return f"{told} - {reply}" if is_bare else told


def read_failure(
    status: int,
    problem: str,
    *,
    codes: tuple[object, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Failure:
    """The failure behind a status, the message (`problem`) and what came with it: codes, types,
    the name of the field that is at fault (`codes`)."""
    kind = _kind(status, problem, codes)
    if kind == "bad_request":
        return Failure(kind, _with_option(problem, codes))
    if kind in _FINAL:
        # In the provider's words too: behind one status stand many reasons.
        return Failure(kind, f"{_FINAL[kind]}: {problem}" if problem else _FINAL[kind], "final")
    is_passing = status in _TRANSIENT or status >= 500
    if is_passing and kind not in ("content_filter", "context_too_long"):
        return Failure(kind, problem, "passing", retry_after(headers or {}))
    return Failure(kind, problem)


def read_reported(error: Mapping[str, object], problem: str) -> Failure:
    """The failure behind an error that stands in a reply whose status says that all went well."""
    code = error.get("code")
    status = int(f"{code}") if _STATUS.fullmatch(f"{code}") else 500
    return read_failure(status, problem, codes=(code, error.get("type"), error.get("param")))


def _kind(status: int, problem: str, codes: tuple[object, ...]) -> str:
    for code in codes:
        if isinstance(code, str) and code in _CODES:
            return _CODES[code]
    if status in _REFUSED:
        for kind, pattern in _MESSAGES:
            if pattern.search(problem[:_READ]):
                return kind
    if status == 403 and _USED_UP.search(problem[:_READ]):
        return "quota"
    if status == 429:
        return "rate_limit"
    if status >= 500 or status in _TRANSIENT - {408}:
        return "server_error"
    return _KINDS.get(status, "context_too_long" if status == 413 else "bad_request")


def _with_option(problem: str, codes: tuple[object, ...]) -> str:
    """The message of a refused request, with the option that mends it where one is known."""
    told = " ".join((problem[:_READ], *(code for code in codes if isinstance(code, str))))
    found = (option for pattern, option in _MENDS if pattern.search(told))
    option = next(found, "")
    return f"{problem.rstrip('. ')}; {option}" if option else problem


def retry_after(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """The seconds that the headers of a reply ask to wait, None where they do not or make no
    sense. `Retry-After` is a number of seconds or a date."""
    for name, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name) or headers.get(name.title()) or ""
        seconds = _number(text)
        if seconds is not None:
            return seconds / per_second
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - now())
        except (TypeError, ValueError, OverflowError):
            continue
    return None


def _number(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e9 else None
