"""Packed data come back as they were, are the same on any day, and cannot end their element."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycode.reporting.html.interning import Texts
from memorycode.reporting.html.packing import block, pack, unpack


@settings(max_examples=40)
@given(st.recursive(st.text() | st.integers(-(2**53), 2**53) | st.none(), st.lists))
def test_what_is_packed_comes_back(value: object) -> None:
    assert unpack(pack(value)) == value


def test_equal_values_are_packed_alike_and_halves_of_pairs_survive() -> None:
    assert pack({"a": [1, "é"]}) == pack({"a": [1, "é"]})
    assert unpack(pack("\ud800")) == "\ud800"


@pytest.mark.parametrize("text", ["</script>", "<!--<script>", "]]>", "\u2028"])
def test_nothing_in_a_block_is_markup(text: str) -> None:
    inside = block("dialogue-0", pack(text)).removesuffix("</script>\n").partition(">")[2]
    assert not set(inside) & set("<>&")


@given(st.lists(st.text(alphabet="ab\n\r\u2028\x0b", max_size=20)))
def test_a_text_is_its_lines_to_the_byte(texts: list[str]) -> None:
    table = Texts()
    numbers = [table.text(text) for text in texts]
    lines = table.values
    assert ["\n".join(lines[n] for n in found) for found in numbers] == texts
    assert len(set(lines)) == len(lines)
