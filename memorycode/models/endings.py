"""Why an answer ended, in any vendor's words: only a clean stop makes a text an answer.

Every endpoint has its own word for how an answer ended, and its own spelling: ``content_filter``,
``SAFETY``, ``guardrail_intervened``. What they stand for is looked up here, for all models alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import Literal

from memorycode.messages import MOST_CALLS, ToolCall
from memorycode.models.failures import Failure
from memorycode.scoring.reasoning import is_reasoning_alone

_CLEAN = frozenset(
    (
        *("stop", "stopsequence", "stopstring", "stopstringfound", "stopcriteriamet"),
        *("eos", "eosfound", "eostoken", "endturn", "endofturn", "endofmessage", "endoftext"),
        *("complete", "completed", "finish", "finished", "normal", "success", "succeeded"),
    )
)
"""What vendors call the end of an answer that ended by itself, as `_plain` has it."""

_CALLED = frozenset(("toolcalls", "toolcall", "tooluse", "functioncall"))
"""What vendors call the end of an answer that calls tools."""

_PREFIX = re.compile(r"^(?:finish|stop)?reason")
_SHOWN = 40
"""Characters of a vendor's word that a message has."""

_Outlook = Literal["passing", "lasting"]
_BROKEN_OFF: tuple[tuple[str, str, _Outlook, str], ...] = (
    (
        r"filter|safety|recitation|prohibit|block|guard|sensitive|moderat|spii|toxic|armor|flagged",
        *("content_filter", "lasting", "a filter held the answer back"),
    ),
    ("refus", "refused", "lasting", "the model refused"),
    (
        r"length|max(?:imum)?.*token|max.*len|maxcontext|contextwindow|contextlimit|tokenlimit|"
        r"outoftoken|errorlimit|truncat|^limit$",
        *("truncated", "lasting", "the answer was cut off at the limit of tokens"),
    ),
    # A model that was given no tools called one, badly: the next draw may do better.
    ("malformed", "broken_off", "passing", "the model wrote what its endpoint could not read"),
    ("tool|function|pause", "broken_off", "lasting", "the model did not end its answer"),
    (
        r"error|fail|exception|abort|cancel|interrupt|insufficient|overload|unload|timeout|"
        r"timedout|timelimit|deadline|network|disconnect",
        *("server_error", "passing", "the endpoint broke the answer off"),
    ),
)
"""By what is in a word: a failure's kind, whether asking again may help, and what to say; the
first that fits. A word that is not known at all is no clean stop either."""


def no_answer(
    text: str | None,
    ending: object,
    *,
    refusal: str | None = None,
    tool_calls: Sequence[ToolCall] = (),
) -> Failure | None:
    """Why what a model wrote is no answer; None where it is one.

    `ending` is the vendor's word for how it ended. None and an empty word say nothing against the
    text: small servers do not send one. Thoughts alone are no answer, wherever they stand. Of
    tools that were offered calls are one, with a text or without.
    """
    if refusal:
        return Failure("refused", f"the model refused: {refusal[:200]}")
    has_called = bool(tool_calls) and _plain(ending) in _CALLED
    failure = None if has_called else _broken_off(ending)
    if failure or tool_calls:
        return failure or _not_callable(tool_calls)
    if text is None or not text.strip():
        return Failure("empty", f"the answer is empty (finish reason {_shown(ending)})")
    if is_reasoning_alone(text):
        return Failure("empty", "the answer is empty: there is nothing behind the model's thoughts")
    return None


def _not_callable(calls: Sequence[ToolCall]) -> Failure | None:
    if len(calls) > MOST_CALLS:
        return Failure("bad_response", f"the answer calls tools {len(calls):,} times at once")
    if not all(call.name for call in calls):
        return Failure("bad_response", "the answer calls a tool without a name")
    return None


def _broken_off(ending: object) -> Failure | None:
    if ending is None or ending == "":
        return None
    word = _plain(ending)
    if word in _CLEAN:
        return None
    said = f"(finish reason {_shown(ending)})"
    for pattern, kind, outlook, problem in _BROKEN_OFF:
        if re.search(pattern, word):
            return Failure(kind, f"{problem} {said}", outlook)
    return Failure("broken_off", f"the answer did not end by a clean stop {said}")


def _plain(ending: object) -> str:
    """The word in small letters and without what joins its parts: ``FinishReason.MAX_TOKENS`` and
    ``maxTokens`` are one."""
    word = ending.name if isinstance(ending, Enum) else ending
    squeezed = re.sub(r"[^a-z0-9]+", "", word[:200].lower()) if isinstance(word, str) else ""
    return _PREFIX.sub("", squeezed)


def _shown(ending: object) -> str:
    return repr(f"{ending}"[:_SHOWN]) if ending else "not told"
