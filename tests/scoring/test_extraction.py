"""The code that the paper's evaluator takes from an answer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycode.scoring.extraction import extract_code


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("Sure:\n```python\nx = 1\n```\nDone.", "x = 1\n"),
        ("```python\nx = 1\n```\n```python\ny = 2\n```", "x = 1\n"),
        ("```\nx = 1\n```\n```python\ny = 2\n```", "y = 2\n"),
        ("```py\nx = 1\n```", "py\nx = 1\n"),
        ("```python\r\nx = 1\r\n```", "python\r\nx = 1\r\n"),
        ("```python x = 1```", "python x = 1"),
        ("```python\nx = 1\n", "```python\nx = 1\n"),
        ("x = 1\n```", "x = 1\n```"),
        ("x = 1", "x = 1"),
        ("```python\n```", ""),
        ("``````", ""),
        ("", ""),
    ],
)
def test_takes_the_first_block(answer: str, code: str) -> None:
    assert extract_code(answer) == code


@given(
    st.lists(st.sampled_from(["```", "`", "python", "python\n", "py", "\n", "x = 1"]), max_size=9)
)
def test_is_the_lazy_regular_expression(parts: list[str]) -> None:
    """Searching for strings must find what the two expressions of the evaluator find."""
    answer = "".join(parts)
    found = re.search(r"```python\n(.*?)```", answer, re.DOTALL) or re.search(
        r"```(.*?)```", answer, re.DOTALL
    )
    assert extract_code(answer) == (found[1] if found else answer)
