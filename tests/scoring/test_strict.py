"""The strict scorer means what a rule says."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memorycode.protocols import Scorer, Verdict
from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN, OBJECT_KINDS, Check, ObjectKind, Rule
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.strict import StrictScorer

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "rule_cases.json").read_text(encoding="utf-8")
)
CAMEL, UPPER, SNAKE = CASE_PATTERNS["camel"], CASE_PATTERNS["upper"], CASE_PATTERNS["snake"]


def judge(
    answer: str, kind: ObjectKind, check: Check = True, *, is_elicited: bool = False
) -> Verdict:
    [verdict] = StrictScorer().judge(answer, [Rule(object=kind, check=check)], [is_elicited])
    return verdict


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_reference_cases(case: dict[str, Any]) -> None:
    check = tuple(case["rule"]) if isinstance(case["rule"], list) else case["rule"]
    elicited = case.get("query_elicits", False)
    assert judge(case["output"], case["object"], check, is_elicited=elicited) == case["strict"]


def test_is_a_scorer() -> None:
    assert isinstance(StrictScorer(), Scorer)
    assert StrictScorer().name == "strict"


NAMES: list[tuple[ObjectKind, Check, str, bool]] = [
    # Single digit: exactly one, anywhere, of any script.
    ("function", DIGIT_PATTERN, "f1", True),
    ("function", DIGIT_PATTERN, "f1_score", True),
    ("function", DIGIT_PATTERN, "f12", False),
    ("function", DIGIT_PATTERN, "f1_2", False),
    ("function", DIGIT_PATTERN, "f", False),
    ("function", DIGIT_PATTERN, "f\u0663", True),  # Arabic three
    ("function", DIGIT_PATTERN, "f\uff13", True),  # a wide three: Python reads it as f3
    ("function", DIGIT_PATTERN, "fⅣ", False),  # Python reads it as fIV
    # CamelCase: a capital, no underscore, acronyms admitted.
    ("class", CAMEL, "LinkedList", True),
    ("class", CAMEL, "LRUCache", True),
    ("class", CAMEL, "HTTP2Server", True),
    ("class", CAMEL, "A", True),
    ("class", CAMEL, "Été", True),
    ("class", CAMEL, "linkedList", False),
    ("class", CAMEL, "Linked_List", False),
    ("class", CAMEL, "_Node", False),
    ("class", CAMEL, "節", False),
    # UPPERCASE: no lower-case letter.
    ("class", UPPER, "LRU_CACHE_2", True),
    ("class", UPPER, "_LRU", True),
    ("class", UPPER, "ÉTÉ", True),
    ("class", UPPER, "LRUcache", False),
    ("class", UPPER, "ÉTé", False),
    # snake_case: lower-case letters, digits, underscores.
    ("class", SNAKE, "linked_list_2", True),
    ("class", SNAKE, "_node", True),
    ("class", SNAKE, "été", True),
    ("class", SNAKE, "linkedList", False),
    ("class", SNAKE, "étÉ", False),
    # Literal texts.
    ("function", "^a_.*", "a_", True),
    ("function", "^a_.*", "_a_f", False),
    ("function", "^a_.*", "A_f", False),
    ("function", ".*_a$", "f_a", True),
    ("function", ".*_a$", "f_ab", False),
    ("function", ".*chx.*", "achxb", True),
    ("function", ".*chx.*", "chX", False),
    ("function", r"^a\-.*", "a", False),
    # No known form: matched at the start, as it stands.
    ("function", "get_", "get_it", True),
    ("function", "get_", "forget_it", False),
    ("function", "[a-c]+$", "abc", True),
    ("function", "([a-c]+)+$", "abcd", False),
]


@pytest.mark.parametrize(("kind", "check", "name", "holds"), NAMES)
def test_names(kind: ObjectKind, check: Check, name: str, holds: bool) -> None:
    code = f"class {name}: pass" if kind == "class" else f"def {name}(): pass"
    assert judge(code, kind, check) == ("followed" if holds else "violated")


@pytest.mark.parametrize(
    ("code", "kind", "check", "verdict"),
    [
        # Every name, wherever it is; `_` and dunder names are not chosen.
        ("def f(e_a, /, e_b, *e_c, e_d, **e_e): 0", "function argument", "^e_.*", "followed"),
        ("def f(b, /, e_a): 0", "function argument", "^e_.*", "violated"),
        ("def f(e_a, *args): 0", "function argument", "^e_.*", "violated"),
        ("def f(e_a, **kwargs): 0", "function argument", "^e_.*", "violated"),
        ("def f(e_a, _): 0", "function argument", "^e_.*", "followed"),
        ("def f(_): 0", "function argument", "^e_.*", "absent"),
        ("def f(): 0", "function argument", "^e_.*", "absent"),
        ("f = lambda b: b", "function argument", "^e_.*", "absent"),
        ("class A:\n def m(self, b): 0", "function argument", "^e_.*", "absent"),
        ("class A:\n def __len__(self): 0", "method", "^x_.*", "absent"),
        ("class A:\n def __len__(self): 0\n def __own(self): 0", "method", "^x_.*", "violated"),
        ("for _ in a: 0", "variable", "^x_.*", "absent"),
        ("__all__ = ['f']", "variable", "^x_.*", "absent"),
        ("f = lambda: 0", "function", "^a_.*", "absent"),
        # Presence, or not.
        ("def f():\n 'd'\nasync def g(): 0", "function docstring", True, "violated"),
        ("def f():\n 'd'\nasync def g():\n 'd'", "function docstring", True, "followed"),
        ("def f():\n '  '", "function docstring", True, "violated"),
        ("def f():\n f'd'", "function docstring", True, "violated"),
        ("def f():\n 'd'\ndef g(): 0", "function docstring", False, "violated"),
        ("def f(): 0", "function docstring", False, "followed"),
        ("x = 1", "function docstring", False, "absent"),
        ("def f():\n if a:\n  for b in c:\n   assert b", "function assert", True, "followed"),
        ("def f():\n def g():\n  assert a", "function assert", True, "violated"),
        ("def f():\n class A:\n  assert a", "function assert", True, "violated"),
        ("def f():\n try: 0\n finally: 0", "function try", False, "violated"),
        ("def f():\n try: 0\n except* E: 0", "function try", True, "followed"),
        (
            "class A:\n def m(self):\n  with a:\n   try: 0\n   finally: 0",
            "method try",
            True,
            "followed",
        ),
        ("class A:\n def __init__(self): 0", "method try", True, "absent"),
        # What must not be, and is not.
        ("x = 1", "class", False, "followed"),
        ("class A: 0", "class", False, "violated"),
        # Annotations of all parameters; of the return value where there are none.
        ("def f(a: int) -> int: 0", "function annotation", True, "followed"),
        ("def f(a: int): 0", "function annotation", True, "followed"),
        ("def f(a) -> int: 0", "function annotation", True, "violated"),
        ("def f(a: int, *, b=1): 0", "function annotation", True, "violated"),
        ("def f(a: int, *b): 0", "function annotation", True, "violated"),
        ("def f(a: int, **b): 0", "function annotation", True, "violated"),
        ("def f(a, /, b: int): 0", "function annotation", True, "violated"),
        ("def f() -> int: 0", "function annotation", True, "followed"),
        ("def f(): 0", "function annotation", True, "violated"),
        ("def f(a) -> int: 0", "function annotation", False, "violated"),
        ("def f(a): 0", "function annotation", False, "followed"),
        ("class A:\n def m(self): 0", "method annotation", True, "violated"),
        ("class A:\n def m(self) -> int: 0", "method annotation", True, "followed"),
        ("class A:\n def m(cls, a: int): 0", "method annotation", True, "followed"),
        ("class A:\n @staticmethod\n def m(a): 0", "method annotation", True, "violated"),
        # Decorators: on every function, called, dotted, by another name.
        ("import p\n@p.retry\ndef f(): 0", "function decorator", ("retry", True), "followed"),
        (
            "import p as q\n@q.a.retry(3)\ndef f(): 0",
            "function decorator",
            ("retry", True),
            "followed",
        ),
        (
            "from p import retry as r\n@r\ndef f(): 0",
            "function decorator",
            ("retry", True),
            "followed",
        ),
        (
            "@r(3)\ndef f(): 0\nfrom p import retry as r",
            "function decorator",
            ("retry", True),
            "followed",
        ),
        ("r = p.retry(3)\n@r\ndef f(): 0", "function decorator", ("retry", True), "followed"),
        ("a = b\nb = a\n@a\ndef f(): 0", "function decorator", ("retry", True), "violated"),
        ("from p import retry\ndef f(): 0", "function decorator", ("retry", True), "violated"),
        ("@b\n@retry\nasync def f(): 0", "function decorator", ("retry", True), "followed"),
        ("@retry\ndef f(): 0", "function decorator", ("retry", False), "violated"),
        ("@c[0]\ndef f(): 0", "function decorator", ("retry", False), "followed"),
        ("@retry_more\ndef f(): 0", "function decorator", ("retry", True), "violated"),
        ("def f():\n class A: 0", "class decorator", ("trace", True), "violated"),
        (
            "@trace\nclass A:\n @property\n def m(self): 0",
            "class decorator",
            ("trace", True),
            "followed",
        ),
        ("x = 1", "class decorator", ("trace", True), "absent"),
        # Imports in any form, anywhere.
        ("import a.b", "import", ("a", True), "followed"),
        ("import a.b as c", "import", ("a.b", True), "followed"),
        ("from a import b", "import", ("a.b", True), "followed"),
        ("from a.b import *", "import", ("a", True), "followed"),
        ("def f():\n try:\n  import a\n except E: 0", "import", ("a", True), "followed"),
        ("import ab", "import", ("a", True), "violated"),
        ("import b as a", "import", ("a", True), "violated"),
        ("from . import a", "import", ("a", True), "violated"),
        ("from .a import b", "import", ("a", True), "violated"),
        ("from b import a", "import", ("a", True), "violated"),
        ("x = 1", "import", ("a", True), "violated"),
        ("x = 1", "import", ("a", False), "followed"),
        ("from a import b", "import", ("a", False), "violated"),
        # Comments are comment tokens.
        ("x = '''\n# no\n'''", "comment", True, "violated"),
        ("x = '''\n# no\n'''  # yes", "comment", True, "followed"),
        ("x = f'{a}#'", "comment", True, "violated"),
        ("x = 1", "comment", False, "followed"),
        ("x = 1  # y", "comment", False, "violated"),
        ("x = 1  # y\n# z", "comment", "^# [a-z]", "followed"),
        ("x = 1  # y\n# Z", "comment", "^# [a-z]", "violated"),
        ("x = 1  # say y", "comment", ("y", True), "followed"),
        # Text that is no code, or none at all.
        ("I cannot do that.", "comment", True, "unparsable"),
        ("", "comment", True, "violated"),
        ("", "variable", "^x_.*", "absent"),
    ],
)
def test_verdicts(code: str, kind: ObjectKind, check: Check, verdict: Verdict) -> None:
    assert judge(code, kind, check) == verdict


@pytest.mark.parametrize("kind", OBJECT_KINDS)
@pytest.mark.parametrize("check", [True, False, "^a_.*", ("a", True), ("a", False), "(odd|form)+"])
def test_where_the_object_is_called_for_absent_is_violated(kind: ObjectKind, check: Check) -> None:
    expected = {"absent": "violated"}
    verdict = judge("", kind, check)
    assert judge("", kind, check, is_elicited=True) == expected.get(verdict, verdict)
    assert judge("def f(:", kind, check, is_elicited=True) == "unparsable"


def test_one_verdict_per_rule_in_order() -> None:
    rules = [
        Rule(object="function", check="^a_.*"),
        Rule(object="class", check="^A.*"),
        Rule(object="class", check="^A.*"),
        Rule(object="function", check="^f.*"),
    ]
    verdicts = StrictScorer().judge("def f(): pass", rules, [False, False, True, True])
    assert verdicts == ["violated", "absent", "violated", "followed"]
    assert StrictScorer().judge("def f(): pass", [], []) == []


def test_both_scorers_parse_an_answer_once(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[str] = []
    parse = ast.parse

    def counted(code: str) -> ast.Module:
        codes.append(code)
        return parse(code)

    monkeypatch.setattr(ast, "parse", counted)
    rules = [Rule(object=kind, check=True) for kind in OBJECT_KINDS]
    answer = "```python\nparsed_by_both = 1\n```"
    for scorer in (OfficialScorer(), StrictScorer(), StrictScorer()):
        scorer.judge(answer, rules, [False] * len(rules))
    assert codes == ["parsed_by_both = 1\n"]


@pytest.mark.parametrize("option", ["error", "ignore", "always"])
def test_verdicts_do_not_depend_on_the_interpreters_filter(option: str) -> None:
    program = r"""
from memorycode.rules import Rule
from memorycode.scoring.strict import StrictScorer
rules = [Rule(object="variable", check=c) for c in ("^x.*", "[[x]+", "((x|[[x])+)+")]
rules += [Rule(object="comment", check=True)]
print(StrictScorer().judge("x = '\\d' is 1  # c\nassert (x, 2)", rules, [True] * 4))
"""
    done = subprocess.run(
        [sys.executable, "-W", option, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(["followed"] * 4)
    assert done.stderr == ""
