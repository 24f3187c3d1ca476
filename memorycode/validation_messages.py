"""What pydantic finds wrong, in words for whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_WANTED = {
    "missing": "missing",
    "extra_forbidden": "unknown key",
    "literal_error": "want {expected}",
    "greater_than_equal": "want {ge} or more",
    "less_than_equal": "want {le} or less",
    "finite_number": "want a finite number",
    "int_type": "want a whole number",
    "int_from_float": "want a whole number",
    "int_parsing": "want a whole number",
    "float_type": "want a number",
    "float_parsing": "want a number",
    "bool_type": "want true or false",
    "bool_parsing": "want true or false",
    "string_type": "want a text",
    "string_too_short": "empty",
    "too_short": "want at least {min_length} of them",
    "too_long": "want no more than {max_length} of them",
    "tuple_type": "want a list",
    "dict_type": "want a table",
    "model_type": "want a table",
    "model_attributes_type": "want a table",
}
"""By the type of a problem. What is not here keeps pydantic's words."""

_SELF_EVIDENT = ("missing", "extra_forbidden", "string_too_short", "value_error")
"""Where the value found would say no more."""


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong, as ``field.of[0].it: what``."""
    first = error.errors(include_url=False)[0]
    place = dotted(first["loc"])
    return f"{place}: {problem_of(first)}" if place else problem_of(first)


def problem_of(details: ErrorDetails) -> str:
    """What is wanted, and what was found where that can be shown."""
    kind, found = details["type"], details["input"]
    context = {name: _whole(value) for name, value in (details.get("ctx") or {}).items()}
    known = _WANTED.get(kind)
    text = known.format(**context) if known else details["msg"].removeprefix("Value error, ")
    if kind in _SELF_EVIDENT or isinstance(found, dict | list | tuple | BaseModel):
        return text
    shown = repr(found)
    return f"{text}, found {shown if len(shown) <= 60 else f'{shown[:60]}…'}"


def _whole(bound: Any) -> Any:
    """1, not 1.0: bounds are told as they are written."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def dotted(loc: Iterable[int | str | None]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc)
    return text.removeprefix(".")
