"""A model's answer becomes operations, whatever form it has, and nonsense becomes none."""

from __future__ import annotations

import json

import pytest

from memory_strategies.ledgers.operations import (
    MAX_OPERATIONS,
    OPERATIONS_SCHEMA,
    Operation,
    operations_in,
)

ADD = Operation(op="add", text="use tabs")
UPDATE = Operation(op="update", id=3, text="use spaces")
WITHDRAW = Operation(op="withdraw", id=2)
ITEMS = [
    {"op": "add", "id": 0, "text": "use tabs"},
    {"op": "update", "id": 3, "text": "use spaces"},
    {"op": "withdraw", "id": 2, "text": ""},
]


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"operations": ITEMS}),
        json.dumps(ITEMS),
        f"Here you are:\n```json\n{json.dumps({'operations': ITEMS}, indent=2)}\n```\nDone.",
        "\n".join(map(json.dumps, ITEMS)),
        json.dumps({"operations": ITEMS})[:-1],
        "ADD: use tabs\nUPDATE 3: use spaces\nWITHDRAW 2",
        "- **ADD**: use tabs\n- **UPDATE** #3 – use spaces\n- **WITHDRAW** [2]",
        "My list:\n1. add: use tabs\n2. update 3: use spaces\n3. withdraw 2:",
        json.dumps(
            [
                {"op": "ADD", "text": "use\n tabs", "why": "said so"},
                {"op": "update", "id": "3", "text": "use spaces"},
                {"op": "withdraw", "id": "[2]", "text": None},
            ]
        ),
    ],
    ids="schema list fence lines-of-json broken-off lines markdown numbered slips".split(),
)
def test_every_form_of_answer_says_the_same(answer: str) -> None:
    operations = operations_in(answer)
    assert operations is not None
    assert operations.read == (ADD, UPDATE, WITHDRAW)
    assert operations.senseless == 0


@pytest.mark.parametrize("answer", ["[]", '{"operations": []}', "NONE", "No changes.", "`[]`"])
def test_nothing_to_do_is_an_answer(answer: str) -> None:
    operations = operations_in(answer)
    assert operations is not None
    assert operations.read == ()


@pytest.mark.parametrize(
    "answer",
    ["", "I cannot help with that.", "{}", "[1, 2]", '{"ops": []}', "Adding: tabs", "ADD tabs"],
)
def test_an_answer_of_no_form_is_told_apart(answer: str) -> None:
    assert operations_in(answer) is None


@pytest.mark.parametrize(
    "item",
    [
        {"op": "delete", "id": 1},
        {"op": ["add"], "text": "x"},
        {"op": "update", "id": -1, "text": "x"},
        {"op": "update", "id": [], "text": {"a": 1}},
        {"op": "add", "text": 7},
        {"op": "withdraw", "id": "first"},
    ],
)
def test_an_operation_without_sense_is_counted(item: dict[str, object]) -> None:
    operations = operations_in(json.dumps([ITEMS[0], item]))
    assert operations is not None
    assert operations.read == (ADD,)
    assert operations.senseless == 1


def test_an_answer_without_end_is_not_read_to_the_end() -> None:
    operations = operations_in(json.dumps(ITEMS[:1] * (MAX_OPERATIONS + 20)))
    assert operations is not None
    assert len(operations.read) == MAX_OPERATIONS
    assert operations.senseless == 20
    assert operations_in("ADD" + " " * 500_000 + "\n" * 500_000) is None


def test_the_schema_fits_strict_endpoints() -> None:
    """Those refuse an object that leaves its fields open."""
    items = OPERATIONS_SCHEMA["properties"]["operations"]["items"]  # type: ignore[index,call-overload]
    for level in (OPERATIONS_SCHEMA, items):
        assert sorted(level["required"]) == sorted(level["properties"])  # type: ignore[index,call-overload,arg-type]
        assert level["additionalProperties"] is False  # type: ignore[index,call-overload]
