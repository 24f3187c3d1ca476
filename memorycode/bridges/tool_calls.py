"""Tool calls by text alone: the tools are told in the prompt, the calls are read from the answer.

So a model that only writes text can serve a library that wants tools called. The answer is to be
one JSON object; a model that can be held to a JSON schema is held to `answer_schema`. What the
model answers is read and checked against the names of the tools, and nothing is run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import JsonValue

from memorycode.answers import json_values
from memorycode.messages import MOST_CALLS
from memorycode.protocols import Tool

_ARGUMENTS = ("args", "arguments", "parameters")


class Call(NamedTuple):
    """One call that an answer makes."""

    name: str
    arguments: dict[str, JsonValue]


# The form of an answer belongs to the reader below and is no wording that a prompt pack could
# change: hence it stands here.
_TOLD = (
    "You answer by calling tools. Each is given here with the JSON schema of its arguments:\n\n"
    "{tools}\n\n"
    "Reply with one JSON object and nothing else, in this form, with one entry for each call:\n\n"
    '{{"tool_calls": [{{"name": "the name of a tool", "args": {{"name of an argument": '
    '"its value"}}}}]}}\n\n'
    "{choice}"
)
_NONE_NEEDED = "Where there is nothing to call, the list stays empty."
_ONE_NEEDED = "Make one call at least."


def told(tools: Sequence[Tool], *, required: bool) -> str:
    """The part of a prompt that tells the tools and the form of the answer."""
    schemas = [
        json.dumps(
            {"name": tool.name, "description": tool.description, "args": tool.parameters},
            ensure_ascii=False,
        )
        for tool in tools
    ]
    return _TOLD.format(
        tools="\n\n".join(schemas), choice=_ONE_NEEDED if required else _NONE_NEEDED
    )


def answer_schema(tools: Sequence[Tool]) -> dict[str, JsonValue]:
    """The JSON schema of an answer that calls these tools."""
    calls: list[JsonValue] = [
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": [tool.name]},
                "args": dict(tool.parameters),
            },
            "required": ["name", "args"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return {
        "type": "object",
        "properties": {"tool_calls": {"type": "array", "items": {"anyOf": calls}}},
        "required": ["tool_calls"],
        "additionalProperties": False,
    }


def calls_in(answer: str, names: Sequence[str]) -> list[Call]:
    """The calls that an answer makes of tools with these names; none where it makes no sense."""
    known = frozenset(names)
    calls: list[Call] = []
    for value in json_values(answer):
        for entry in _entries(value):
            call = _call(entry)
            if call is not None and call.name in known and len(calls) < MOST_CALLS:
                calls.append(call)
    return calls


def _entries(value: Any) -> list[Any]:
    """What may be calls: the entries of a list, or of an object's ``tool_calls``, or itself."""
    if isinstance(value, dict) and "tool_calls" in value:
        value = value["tool_calls"]
    return value if isinstance(value, list) else [value]


def _call(entry: Any) -> Call | None:
    if isinstance(entry, dict) and isinstance(entry.get("function"), dict):
        entry = entry["function"]
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return None
    given: Any = next((entry[key] for key in _ARGUMENTS if key in entry), {})
    if isinstance(given, str):
        given = next(json_values(given), None)
    return Call(entry["name"], given) if isinstance(given, dict) else None
