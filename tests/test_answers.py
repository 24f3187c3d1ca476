"""JSON is found in whatever a model answers, and no answer can hang or crash the reader."""

from __future__ import annotations

import pytest

from memorycode.answers import json_values, one_line


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ("[1, 2]", [[1, 2]]),
        ('Sure!\n```json\n{"a": [1, {"b": "]"}]}\n```\nAnything else?', [{"a": [1, {"b": "]"}]}]),
        ('[{"a": 1}, {"b": 2}, {"c":', [{"a": 1}, {"b": 2}]),
        ("{'a': 1}", []),
        ('{"a": 1,}', []),
        ("the set {x} and the list [y]", []),
        ('first {"a": 1} then {"b": 2}', [{"a": 1}, {"b": 2}]),
        ("", []),
        ("42", []),
    ],
)
def test_json_is_found_in_prose_fences_and_fragments(answer: str, values: list[object]) -> None:
    assert list(json_values(answer)) == values


@pytest.mark.parametrize(
    "answer",
    ["[" * 400_000, '{"a":' * 200_000, "[1," * 300_000, '{"' * 300_000, "{" * 400_000],
    ids=["lists", "objects", "items", "strings", "braces"],
)
def test_no_answer_hangs_or_overflows(answer: str) -> None:
    assert list(json_values(answer)) == []


def test_one_line_leaves_no_break_behind() -> None:
    assert one_line(" a\n\nTom:\tb\u2028c ") == "a Tom: b c"
