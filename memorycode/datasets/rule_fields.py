"""Rules as they stand in files: an object, and a check in the release's form."""

from __future__ import annotations

import re
import warnings
from typing import Any

from memorycode.datasets.json_fields import JsonFields, describe
from memorycode.rules import OBJECT_KINDS, Check, Rule


def read_rule(fields: JsonFields, kind: Any, check: Any, place: str) -> Rule:
    """The rule of an object and a check, as a file of the release has them.

    Args:
        fields: what it stands in; errors name its file and place.
        kind: the object.
        check: a regular expression, a truth value, or a pair of a text and a truth value.
        place: where below `fields` it stands.

    Returns:
        The rule, in the release's form.

    Raises:
        DatasetError: an unknown object, a check of another form, or a regular expression that does
            not compile.
    """
    if kind not in OBJECT_KINDS:
        known = ", ".join(OBJECT_KINDS)
        fields.fail(place, f"unknown object {describe(kind)}; known are {known}")
    return Rule.model_construct(object=kind, check=_check(check, fields, place))


def _check(value: Any, fields: JsonFields, place: str) -> Check:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        _compiles(value, fields, place)
        return value
    if isinstance(value, list) and len(value) == 2:
        name, is_wanted = value
        if isinstance(name, str) and isinstance(is_wanted, bool):
            return name, is_wanted
    wanted = "a regular expression, true, false or [name, true]"
    return fields.fail(place, f"found {describe(value)}, want {wanted}")


def _compiles(pattern: str, fields: JsonFields, place: str) -> None:
    try:
        pattern.encode()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError, UnicodeEncodeError) as error:
        fields.fail(place, f"regular expression {describe(pattern)} does not compile: {error}")
