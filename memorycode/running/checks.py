"""What plug-ins hand back is checked here, before it is used or written down."""

from __future__ import annotations

import json
import math

from memorycode.errors import ModelError
from memorycode.models.endings import no_answer
from memorycode.protocols import Completion, Model, Passage, Recall, without_half_pairs
from memorycode.running.records import ANSWERED

MODEL_ERROR = "model_error"
"""The outcome of a question whose model raised something else than a `ModelError`."""

_RESERVED = {ANSWERED, "missing", ""}


def checked_recall(recall: object) -> Recall:
    """The recall, rebuilt from its parts. Raises `TypeError` or `ValueError` for one that cannot
    be written down."""
    if not isinstance(recall, Recall):
        raise TypeError(f"recall() must return a Recall, not {type(recall).__name__}")
    for passage in recall.passages:
        if not (isinstance(passage, Passage) and isinstance(passage.text, str)):
            raise TypeError(f"a recall is made of Passages, not {type(passage).__name__}")
    if recall.notes:
        try:
            notes = json.loads(json.dumps(dict(recall.notes), allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"the recall's notes are no JSON: {error}") from error
        if notes != recall.notes:
            return recall.model_copy(update={"notes": notes})
    return recall


def checked_completion(completion: object, model: Model) -> Completion:
    """The completion. Raises `TypeError` for something else, and `ModelError` where a language
    model's text is no answer: empty, cut off or withheld."""
    if not isinstance(completion, Completion):
        raise TypeError(f"generate() must return a Completion, not {type(completion).__name__}")
    if not math.isfinite(completion.latency):
        raise ValueError(f"latency is {completion.latency}, want seconds")
    if model.is_language_model:
        failure = no_answer(completion.text, completion.finish_reason)
        if failure is not None:
            raise ModelError(failure.problem, kind=failure.kind)
    return completion


def checked_kind(kind: object) -> str:
    """A failure's kind as tables count it, whatever the plug-in called it."""
    if not isinstance(kind, str) or kind in _RESERVED:
        return MODEL_ERROR
    return without_half_pairs(kind)[:60]


def was_cached(completion: Completion) -> bool:
    """Whether the answer was at hand, so that nobody was asked for it."""
    return bool(getattr(completion, "cached", False))


def said(error: BaseException) -> str:
    """An exception's text, also where asking for it raises."""
    try:
        return without_half_pairs(str(error))[:2000]
    except Exception:
        return "(its text cannot be had)"
