"""Lines are blamed for a broken rule where, and only where, the scorer says that it is broken."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from memorycode.protocols import Scorer
from memorycode.rules import Rule
from memorycode.scoring.offending import AnswerLines, offending_lines
from memorycode.scoring.scorers import SCORER_NAMES, make_scorer

ANSWER = '''Here you are:
```python
import bz2
# a comment
def w_add(a_x, b):
    """Adds."""
    total = a_x + b
    def inner(q):
        return q
    return total

class Foo:
    def __init__(self):
        self.m_v = 1
        self.z = 2
    async def go(self, n):
        try:
            y = 3
        except Exception as bad:
            pass
```
'''


@pytest.fixture(params=SCORER_NAMES)
def scorer(request: pytest.FixtureRequest) -> Scorer:
    return make_scorer(request.param)


def _rule(kind: str, check: object) -> Rule:
    return Rule.model_validate({"object": kind, "check": check})


@pytest.mark.parametrize(
    ("kind", "check", "lines"),
    [
        ("function", "^w_.*", (8,)),
        ("function", "^.*", ()),
        ("function argument", "^a_.*", (5, 8)),
        ("variable", "^t.*", (18, 19)),
        ("attribute", "^m_.*", (15,)),
        ("class", ".*X$", (12,)),
        ("function docstring", True, (8,)),
        ("function docstring", False, (5,)),
        ("function decorator", ("retry", True), (5, 8)),
        ("class decorator", ("timer", True), (12,)),
        ("method docstring", True, (16,)),
        ("method annotation", True, (16,)),
        ("method try", False, (16,)),
        ("method try", True, ()),
        ("import", ("bz2", False), (3,)),
        ("import", ("gzip", True), ()),
        ("comment", False, (4,)),
        ("comment", True, ()),
    ],
)
def test_lines_of_the_strict_scorer(kind: str, check: object, lines: tuple[int, ...]) -> None:
    assert offending_lines(ANSWER, _rule(kind, check), make_scorer("strict")) == lines


def test_the_papers_scorer_does_not_see_asynchronous_methods() -> None:
    rule = _rule("method docstring", True)
    assert offending_lines(ANSWER, rule, make_scorer("official")) == ()


def test_a_line_is_counted_in_the_answer_whatever_the_code_was_freed_of() -> None:
    strict, rule = make_scorer("strict"), _rule("function", "^w_.*")
    indented = "Look:\n\n  ```python\n  x = 1\n  def g():\n      pass\n  ```\n"
    assert offending_lines(indented, rule, strict) == (5,)
    console = "```\n>>> x = 1\n>>> def g():\n...     pass\n```"
    assert offending_lines(console, rule, strict) == (3,)
    parts = "```python\ndef w_a(): pass\n```\nand\n```python\ndef g(): pass\n```"
    assert offending_lines(parts, rule, strict) == (6,)
    assert offending_lines("def w_a(): pass\r\ndef g(): pass", rule, strict) == (2,)
    quoted = "So:\n> ```python\n> def w_a(): pass\n> def g(): pass\n> ```"
    assert offending_lines(quoted, rule, strict) == (4,)
    halved = "```python\nx = '\ud800'\ndef g(): pass\n```"
    assert offending_lines(halved, rule, strict) == (3,)
    assert offending_lines("```def g():\n    pass\n```", rule, strict) == (1,)


def test_what_is_no_code_has_no_lines(scorer: Scorer) -> None:
    for answer in ("", "def f(:", "```python\ndef f(:\n```", "\x00"):
        assert offending_lines(answer, _rule("function", "^w_.*"), scorer) == ()


MISSING = {"import", "comment"}


def test_verdicts_and_lines_agree_on_the_golden_cases(scorer: Scorer) -> None:
    """A rule that is followed has no line; one that is violated has some, unless what it wants
    is missing altogether."""
    cases = json.loads((Path(__file__).parents[1] / "golden" / "rule_cases.json").read_text())
    found = 0
    for case in cases:
        check = case["rule"]
        rule = _rule(case["object"], tuple(check) if isinstance(check, list) else check)
        (verdict,) = scorer.judge(case["output"], [rule], [False])
        lines = offending_lines(case["output"], rule, scorer)
        if verdict == "followed":
            assert lines == (), case
        elif verdict == "violated" and rule.object not in MISSING:
            found += bool(lines)
            assert lines or scorer.name == "official", case  # which has quirks about where to look
    assert found >= 7


def test_an_answer_that_is_long_or_deep_is_no_trouble(scorer: Scorer) -> None:
    began = time.process_time()
    deep = "x = " + "[" * 90 + "]" * 90
    for text in (deep, "def f(): pass\n" * 900, "a = 1\n" * 200_000):
        AnswerLines(text).offending_lines(_rule("function", "^w_.*"), scorer)
    assert time.process_time() - began < 3
