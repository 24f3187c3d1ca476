"""What plug-ins hand back is checked here, before it is used or written down."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from memorycode.errors import ModelError
from memorycode.messages import without_half_pairs
from memorycode.models.endings import no_answer
from memorycode.plugin_faults import optional
from memorycode.protocols import Completion, Model, Passage, Prompt, Recall, ToolCall, Usage
from memorycode.running.records import ANSWERED
from memorycode.validation_messages import first_problem

MODEL_ERROR = "model_error"
"""The outcome of a question whose model raised something else than a `ModelError`."""

_RESERVED = {ANSWERED, "missing", ""}


_DEEPEST = 100
"""Levels of a recall's notes. What has 200 can be written down, but is not read again."""


def checked_recall(recall: object) -> Recall:
    """The recall itself where it is plain data, else one rebuilt from its parts: what is read of it
    later runs no code of the plug-in's.

    Raises `TypeError` or `ValueError` for one that cannot be written down, and what the plug-in's
    own classes raise.
    """
    if not isinstance(recall, Recall):
        raise TypeError(f"recall() must return a Recall, not {type(recall).__name__}")
    given, notes = recall.passages, recall.notes
    passages = tuple(map(_plain_passage, given))
    plain_notes = _plain_notes(notes) if notes != {} else {}
    is_plain = type(recall) is Recall and type(given) is tuple
    same = is_plain and all(map(_is, passages, given)) and plain_notes == notes
    return recall if same else Recall(passages=passages, notes=plain_notes)


def _is(one: object, other: object) -> bool:
    return one is other


def _plain_passage(passage: object) -> Passage:
    if not (isinstance(passage, Passage) and isinstance(passage.text, str)):
        raise TypeError(f"a recall is made of Passages, not {type(passage).__name__}")
    text, session = passage.text, passage.session
    if type(passage) is Passage and type(text) is str and type(session) in (int, type(None)):
        return passage
    return Passage(text=text, session=session)


def _plain_notes(notes: Mapping[str, Any]) -> dict[str, Any]:
    """As they are read from a record."""
    try:
        written = json.dumps(dict(notes), allow_nan=False, ensure_ascii=False)
        written.encode()
        read: dict[str, Any] = json.loads(written)
    except UnicodeEncodeError as error:
        raise ValueError("the recall's notes hold half a surrogate pair") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"the recall's notes are no JSON: {error}") from error
    level: list[Any] = [read]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _within(value)]
    if level:
        raise ValueError(f"the recall's notes have more than {_DEEPEST} levels")
    return read


def _within(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def rebuilt_completion(completion: object) -> Completion:
    """A completion of the same fields, which runs no code of the plug-in's when it is read. Raises
    `TypeError` for something else, `ValueError` for fields that do not fit."""
    if not isinstance(completion, Completion):
        raise TypeError(f"generate() must return a Completion, not {type(completion).__name__}")
    fields = {name: getattr(completion, name) for name in Completion.model_fields}
    if isinstance(usage := fields["usage"], Usage):
        fields["usage"] = {name: getattr(usage, name) for name in Usage.model_fields}
    if calls := fields["tool_calls"]:
        fields["tool_calls"] = [
            {name: getattr(call, name) for name in ToolCall.model_fields} for call in calls
        ]
    try:
        return Completion.model_validate(fields)
    except ValidationError as error:
        raise ValueError(f"generate() returned no Completion: {first_problem(error)}") from error


def checked_completion(completion: object, model: Model, prompt: Prompt) -> Completion:
    """The completion. Raises `TypeError` for something else, and `ModelError` where a language
    model's text is no answer: empty, cut off or withheld. Calls are one where the prompt offers
    tools, as the questions of a benchmark never do."""
    completion = rebuilt_completion(completion)
    if not math.isfinite(completion.latency):
        raise ValueError(f"latency is {completion.latency}, want seconds")
    if model.is_language_model:
        calls = completion.tool_calls if prompt.tools else ()
        failure = no_answer(completion.text, completion.finish_reason, tool_calls=calls)
        if failure is not None:
            raise ModelError(failure.problem, kind=failure.kind)
    return completion


def checked_kind(kind: object) -> str:
    """A failure's kind as tables count it, whatever the plug-in called it."""
    if not isinstance(kind, str) or kind in _RESERVED:
        return MODEL_ERROR
    return without_half_pairs(kind)[:60]


def kind_of(error: ModelError) -> str:
    """The kind of a failure; a plug-in's own class may lack one."""
    return checked_kind(optional(error, "kind", None))


def was_cached(completion: Completion) -> bool:
    """Whether the answer was at hand, so that nobody was asked for it."""
    return completion.cached
