"""What a model wants searched next: read from its answer, as JSON or as a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from memorycode.answers import READ_CHARACTERS, json_values, one_line

STEP_SCHEMA: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {"enough": {"type": "boolean"}, "query": {"type": "string"}},
    "required": ["enough", "query"],
    "additionalProperties": False,
}
"""The JSON schema of an answer: whether all is found, and else what to search for."""

_QUERY_CHARACTERS = 300
_LINE = re.compile(r"^[\s*]{0,8}(?:next )?(?:query|search)[\s*]{0,4}:\**(.*)$", re.I | re.M)
_ENOUGH = re.compile(r"[\s*`]{0,8}(?:enough|done)\b", re.IGNORECASE)


class Step(NamedTuple):
    """What the model wants next: a search, or nothing more where `query` is empty."""

    query: str


def step_in(answer: str) -> Step | None:
    """The step in an answer, as JSON or as a line ``QUERY: …`` or ``ENOUGH``; None without one."""
    for value in json_values(answer):
        if isinstance(value, dict) and ("query" in value or "enough" in value):
            query = value.get("query")
            wanted = isinstance(query, str) and value.get("enough") is not True
            return Step(_bounded(str(query)) if wanted else "")
    text = answer[:READ_CHARACTERS]
    if line := _LINE.search(text):
        return Step(_bounded(line[1]))
    return Step("") if _ENOUGH.match(text) else None


def _bounded(query: str) -> str:
    return one_line(query[: 2 * _QUERY_CHARACTERS])[:_QUERY_CHARACTERS]
