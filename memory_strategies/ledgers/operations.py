"""What a model's answer wants done with a ledger: additions, updates and withdrawals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from memorycode.answers import READ_CHARACTERS, json_values, one_line
from memorycode.frozen import Frozen

OPERATIONS_SCHEMA: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {
        "operations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "op": {"type": "string", "enum": ["add", "update", "withdraw"]},
                    "id": {"type": "integer"},
                    "text": {"type": "string"},
                },
                "required": ["op", "id", "text"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["operations"],
    "additionalProperties": False,
}
"""The JSON schema of an answer. `id` is 0 for an addition, `text` empty for a withdrawal."""

MAX_OPERATIONS = 50
"""Read of one answer: a session has a handful."""

_LINE = re.compile(
    r"""^[\s*•>-]{0,8} (?:\d{1,3}[.)]\s{1,4})?
        (ADD|UPDATE|WITHDRAW) [ \t*]{0,4} (?:\[?\#?(\d{1,9})\]?)? [ \t*]{0,4}
        (?: [:–—-][ \t*]{0,4} (.*) | $ )""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\W{0,8}(?:none|nothing|no (?:change|operation)s?)(?: to (?:report|change|add))?\W{0,8}",
    re.IGNORECASE,
)


class Operation(Frozen):
    """One change: `id` names the entry (0: none), `text` is the guideline's wording."""

    op: Literal["add", "update", "withdraw"]
    id: int = Field(default=0, ge=0)
    text: str = ""


class Operations(Frozen):
    """What can be made of an answer, in order; `senseless` counts what can be made nothing of."""

    read: tuple[Operation, ...] = ()
    senseless: int = 0


_OPERATION: TypeAdapter[Operation] = TypeAdapter(Operation)


def operations_in(answer: str) -> Operations | None:
    """The operations of an answer; None where it has not the form of any.

    JSON comes first, a list or the schema's object; then lines such as ``UPDATE 3: …``.
    """
    values = list(json_values(answer))
    items = [item for value in values for item in _items(value)]
    if not items:
        text = answer[:READ_CHARACTERS]
        items = [
            {"op": match[1], "id": match[2], "text": match[3]} for match in _LINE.finditer(text)
        ]
        if not items:
            wants_nothing = _NOTHING.fullmatch(text.strip()) or any(map(_is_empty, values))
            return Operations() if wants_nothing else None
    found = [_operation(item) for item in items[:MAX_OPERATIONS]]
    read = tuple(operation for operation in found if operation is not None)
    return Operations(read=read, senseless=len(items) - len(read))


def _items(value: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    """The objects in a value that name an operation."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict) and "op" in item)
    elif isinstance(value, dict):
        if "op" in value:
            yield value
        else:
            yield from _items(value.get("operations"))


def _is_empty(value: JsonValue) -> bool:
    return value in ([], {"operations": []})


def _operation(item: Mapping[str, JsonValue]) -> Operation | None:
    """The operation an object means, None where it means none. Slips pass: a number in quotes or
    brackets, a field too many, one that the operation has no use for."""
    op = str(item["op"]).strip().lower()
    number, text = item.get("id"), item.get("text")
    if isinstance(number, str):
        number = number.strip("#[] ")
    known = {
        "op": op,
        "id": 0 if op == "add" else number or 0,
        "text": "" if op == "withdraw" or text is None else text,
    }
    try:
        operation = _OPERATION.validate_python(known)
    except ValidationError:
        return None
    return operation.model_copy(update={"text": one_line(operation.text)})
