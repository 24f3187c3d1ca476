"""The stand-in for a language model keeps rules, and keeps to a schema."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from pydantic import BaseModel, Field, JsonValue

from memorycode.conformance.stand_ins import NoteTaker, smallest_instance
from memorycode.protocols import Message, Prompt, Tool


class Entry(BaseModel):
    rule: str = Field(min_length=1, max_length=12)
    action: Literal["add", "replace"]
    place: int = Field(ge=3)
    note: str | None
    parts: list[Entry] = []
    next: Entry | None


class Ledger(BaseModel):
    entries: list[Entry]
    done: bool


def test_notes_keep_the_rules_in_order_and_nothing_else() -> None:
    text = "Ada: Hello.\n\nAda: Always do x.\n\nBen: Nice.\n\nAda: From now on, y instead of x."
    answer = NoteTaker().generate(Prompt(parts=(text,))).text
    assert answer == "Ada: Always do x.\n\nAda: From now on, y instead of x."
    assert NoteTaker().generate(Prompt(parts=("Hello.",))).text.strip()


def test_an_answer_fits_the_schema() -> None:
    prompt = Prompt(parts=("Ada: Always do x.",), schema=Ledger.model_json_schema())
    ledger = Ledger.model_validate_json(NoteTaker().generate(prompt).text)
    assert ledger.entries[0].rule == "Ada: Always "


def test_the_first_tool_is_called_once() -> None:
    tool = Tool(name="keep", parameters=Entry.model_json_schema())
    asked = Prompt(("Ada: Always do x.",), tools=(tool, Tool(name="other")))
    (call,) = NoteTaker().generate(asked).tool_calls
    assert call.name == "keep"
    assert Entry.model_validate(call.values).rule.startswith("Ada: Always")
    result = Message("tool", ("kept",), tool_call_id=call.id)
    said = Message("assistant", ("",), tool_calls=(call,))
    after = NoteTaker().generate(Prompt(messages=(*asked.messages, said, result), tools=(tool,)))
    assert (after.text, after.tool_calls) == ("Ada: Always do x.", ())


def test_a_schema_without_end_is_given_up() -> None:
    endless: dict[str, JsonValue] = {"$ref": "#/$defs/E", "$defs": {"E": {"$ref": "#/$defs/E"}}}
    assert smallest_instance(endless, "x") is None
    json.dumps(smallest_instance({"type": "array", "items": {"$ref": "#"}}, "x"))


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"enum": [3]}, {"type": ["null"]}])
def test_a_schema_that_says_little_is_answered(schema: dict[str, JsonValue]) -> None:
    json.dumps(smallest_instance(schema, "x"))
