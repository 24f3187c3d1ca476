"""Tool calls are read from any text, bounded, and only those of known tools."""

from __future__ import annotations

import json

import pytest

from memorycode.bridges.tool_calls import Call, answer_schema, calls_in, told
from memorycode.messages import MOST_CALLS
from memorycode.protocols import Tool

TOOL = Tool(
    name="Note",
    description="Keeps a note.",
    parameters={"type": "object", "properties": {"text": {"type": "string"}}},
)
CALL = {"name": "Note", "args": {"text": "a"}}
WANTED = [Call("Note", {"text": "a"})]


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"tool_calls": [CALL]}),
        "Sure!\n```json\n" + json.dumps({"tool_calls": [CALL]}, indent=2) + "\n```\nDone.",
        json.dumps([CALL]),
        json.dumps(CALL),
        json.dumps({"name": "Note", "arguments": {"text": "a"}}),
        json.dumps({"name": "Note", "parameters": {"text": "a"}}),
        json.dumps({"function": {"name": "Note", "arguments": '{"text": "a"}'}}),
        '{"tool_calls": [' + json.dumps(CALL) + ', {"name": "Note", "args": {"te',
        "{ not json } " + json.dumps(CALL),
        json.dumps({"tool_calls": [{"name": "Shell", "args": {}}, CALL, 7, None, "Note"]}),
    ],
)
def test_a_call_is_found_whatever_stands_around_it(answer: str) -> None:
    assert calls_in(answer, ["Note"]) == WANTED


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I would rather not.",
        "{}",
        "[]",
        '{"tool_calls": {}}',
        '{"tool_calls": [[["Note"]]]}',
        '{"name": ["Note"], "args": {}}',
        '{"name": "Note", "args": [1]}',
        '{"name": "Note", "args": "no json"}',
        '{"name": "Other", "args": {"text": "a"}}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"name": "Note", "args": {"n": ' + "9" * 10_000 + "}}",
    ],
)
def test_nonsense_calls_nothing(answer: str) -> None:
    assert calls_in(answer, ["Note"]) == []


def test_a_call_without_arguments_is_one() -> None:
    assert calls_in('{"name": "Note"}', ["Note"]) == [Call("Note", {})]


def test_no_more_calls_than_allowed() -> None:
    answer = json.dumps({"tool_calls": [CALL] * (MOST_CALLS + 50)})
    assert len(calls_in(answer, ["Note"])) == MOST_CALLS


def test_the_prompt_tells_names_schemas_and_the_form() -> None:
    text = told([TOOL], required=True)
    assert '"name": "Note"' in text
    assert '"properties": {"text"' in text
    assert '{"tool_calls": [' in text
    assert text != told([TOOL], required=False)


def test_the_schema_fits_what_is_read() -> None:
    schema = answer_schema([TOOL, Tool(name="Done", parameters={"type": "object"})])
    assert json.loads(json.dumps(schema)) == schema
    items = schema["properties"]["tool_calls"]["items"]["anyOf"]  # type: ignore[index, call-overload]
    assert [item["properties"]["name"]["enum"] for item in items] == [["Note"], ["Done"]]  # type: ignore
