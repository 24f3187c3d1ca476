"""No answer and no rule crashes the strict scorer, warns, or keeps it busy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycode.protocols import Scorer
from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN, OBJECT_KINDS, Check, Rule
from memorycode.scoring import objects, strict
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.parsing import SHORT
from memorycode.scoring.strict import StrictScorer

SCORERS: list[Scorer] = [OfficialScorer(), StrictScorer()]
CHECKS: list[Check] = [
    True,
    False,
    ("a", True),
    ("a", False),
    "^a_.*",
    ".*_a$",
    ".*chx.*",
    DIGIT_PATTERN,
    *CASE_PATTERNS.values(),
    r"(\w+\s?)+:$",
    "(",
    "(a|a)*" * 30 + "b",
]
RULES = [Rule(object=kind, check=check) for kind in OBJECT_KINDS for check in CHECKS]

MEGABYTES = 10_000_000
HOSTILE = {
    "null byte": "```python\nx = 1\0\n```",
    "half a surrogate pair": "```python\nx = '\ud800'  # \udfff\n```",
    "half a surrogate pair beside the code": "\ud800\n```python\nx = 1\n```",
    "ten megabytes of spaces": " " * MEGABYTES,
    "ten megabytes of lines": "\n" * MEGABYTES,
    "ten megabytes of returns": "\r" * MEGABYTES,
    "ten megabytes of code": "x = 1\n" * (MEGABYTES // 6),
    "ten megabytes of prose": "word " * (MEGABYTES // 5) + "\n```python\nx = 1\n```",
    "ten megabytes in fences": "```python\nx = 1\n```\n" * (MEGABYTES // 20),
    "ten megabytes of backticks": "`" * MEGABYTES,
    "one line of fences": "``` " * (MEGABYTES // 4),
    "blocks that do not parse": "```python\ndef f(:\n```\n" * 900,
    "blocks that parse by halves": "```python\nx = 1\n```\n```python\n(\n```\n" * 450,
    "nested brackets": "(" * 10_000 + ")" * 10_000,
    "nested lists": "x = " + "[" * 10_000 + "]" * 10_000,
    "nested operators": "x = " + "-" * 200_000 + "1",
    "deep but parsable": "x = " + "-" * 90 + "(" * 80 + "y := 1" + ")" * 80,
    "attributes": "x = a" + ".b" * 24_000,
    "long sum": "x = " + " + ".join(["a"] * 24_000),
    "nested targets": "(" * 80 + "a" + ",)" * 80 + " = b",
    "nested comprehensions": "x = " + "[a for a in " * 60 + "b" + "]" * 60,
    "many comprehensions": "x = [a for a in b]\n" * 5_000,
    "many names": "".join(f"x{n} = 1\n" for n in range(16_000)),
    "many functions": "".join(f"def f{n}(): 0\n" for n in range(6_000)),
    "many decorators": "@a\n" * 20_000 + "def f(): 0",
    "many aliases": "".join(f"a{n} = a{n + 1}\n" for n in range(12_000)) + "@a0\ndef f(): 0",
    "a ring of aliases": "a = b\nb = a\n@a\ndef f(): 0",
    "dotted import": "import " + ".".join(["a"] * 24_000),
    "one long name": "class A" + "a" * 1_500_000 + "_: pass",
    "one long name of another script": "class É" + "é" * 1_500_000 + "_: pass",
    "one long comment": "x = 1  # " + "a" * 1_500_000,
    "one long docstring": "def f():\n  '''" + "for a\n" * 250_000 + "'''",
    "many elifs": "if a:\n pass\n" + "elif a:\n pass\n" * 5_000,
    "nested fields": "x = f'" + "{a:" * 90 + "}" * 90 + "'",
    "unclosed tags": "<think>" * (MEGABYTES // 7),
    "stray tags": "</think>\n" * (MEGABYTES // 9),
}


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: str(scorer.name))
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_answers_get_verdicts_at_once(scorer: Scorer, kind: str) -> None:
    verdicts = scorer.judge(HOSTILE[kind], RULES, [True] * len(RULES))
    assert len(verdicts) == len(RULES)


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: str(scorer.name))
def test_hostile_patterns_share_the_second(scorer: Scorer) -> None:
    code = "".join(f"def {'a' * 40}{n}({'a' * 45}{n}): {'a' * 50}{n} = 1\n" for n in range(100))
    patterns = [f"({'a|' * n}aa)+$" for n in range(1, 100)] + ["(a+)+$", r"(.*)*x$", r"(\w+)*\1!"]
    rules = [
        Rule(object=kind, check=pattern)
        for pattern in patterns
        for kind in ("function", "function argument", "variable")
    ]
    verdicts = scorer.judge(code, rules, [True] * len(rules))
    assert set(verdicts) == {"violated"}


RANDOM_CHECKS: st.SearchStrategy[Check] = st.one_of(
    st.sampled_from(CHECKS), st.text(max_size=8), st.tuples(st.text(max_size=3), st.booleans())
)
RANDOM_RULES = st.lists(
    st.builds(
        lambda kind, check: Rule(object=kind, check=check),
        st.sampled_from(OBJECT_KINDS),
        RANDOM_CHECKS,
    ),
    max_size=6,
)
PARTS = st.sampled_from(
    ["def f(a, *b: c):", "class A:", "\n", "  ", "x", " = ", "1", "self.", "(", ")",
    "[y for y in x]", ":=", "#",
     "'", '"""', "```", "```python\n", "async ", "try:", "except E as e:", "match x:", "case ",
     "import a.b as c",
     "from . import x", "@", "\\", "\0", "\ud800", "<think>", "é", "\r", "\t", "lambda:", "{",
     "}", "f'", "global x"]
)  # fmt: skip
ANSWERS = st.one_of(
    st.text(),
    st.text(st.characters()),
    st.lists(PARTS, max_size=25).map("".join),
    st.binary().map(repr),
)


@settings(max_examples=300)
@given(ANSWERS, RANDOM_RULES)
def test_neither_scorer_ever_raises(answer: str, rules: Sequence[Rule]) -> None:
    for scorer in SCORERS:
        verdicts = scorer.judge(answer, rules, [True] * len(rules))
        assert len(verdicts) == len(rules)
        if "unparsable" in verdicts:
            assert set(verdicts) == {"unparsable"}


def test_what_is_kept_is_bounded() -> None:
    """Neither long answers nor long code stay in memory."""
    assert strict._kept.cache_info().maxsize == strict.KEPT_ANSWERS
    before = strict._kept.cache_info().misses, objects._kept.cache_info().misses
    for scorer in SCORERS:
        scorer.judge("x = 1" + " " * SHORT, RULES, [True] * len(RULES))
    assert before == (strict._kept.cache_info().misses, objects._kept.cache_info().misses)


def test_a_stack_of_any_depth_will_do() -> None:
    """Judging needs no recursion of its own, however little the caller left."""
    program = f"""
import sys
from memorycode.rules import Rule
from memorycode.scoring.strict import StrictScorer
code = {HOSTILE["attributes"][:2_000]!r} + "\\n(" + "-" * 80 + "(y := 1))"
rules = [Rule(object="variable", check="^x.*")]
StrictScorer().judge("x = 1", rules, [True])
sys.setrecursionlimit(60)
print(StrictScorer().judge(code, rules, [True]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() in ("['violated']", "['unparsable']")
    assert done.stderr == ""
