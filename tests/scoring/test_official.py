"""The paper's scorer gives the paper's verdicts."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from memorycode.protocols import Scorer, Verdict
from memorycode.rules import CASE_PATTERNS, OBJECT_KINDS, Check, ObjectKind, Rule
from memorycode.scoring.official import OfficialScorer

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "rule_cases.json").read_text(encoding="utf-8")
)
SCORES: dict[Verdict, float | None] = {
    "followed": 1.0,
    "violated": 0.0,
    "unparsable": 0.0,
    "absent": None,
}


def judge(answer: str, kind: ObjectKind, check: Check) -> Verdict:
    [verdict] = OfficialScorer().judge(answer, [Rule(object=kind, check=check)], [False])
    return verdict


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_reference_cases(case: dict[str, Any]) -> None:
    check = tuple(case["rule"]) if isinstance(case["rule"], list) else case["rule"]
    assert SCORES[judge(case["output"], case["object"], check)] == case["official"]


def test_is_a_scorer() -> None:
    assert isinstance(OfficialScorer(), Scorer)
    assert OfficialScorer().name == "official"


@pytest.mark.parametrize(
    ("code", "kind", "check", "verdict"),
    [
        # Presence: every item, or none.
        ("def f():\n 'd'\ndef g(): pass", "function docstring", True, "violated"),
        ("def f():\n 'd'\ndef g():\n 'd'", "function docstring", True, "followed"),
        ("def f():\n 'd'\ndef g(): pass", "function docstring", False, "violated"),
        ("def f(): pass", "function docstring", False, "followed"),
        ("x = 1", "function docstring", False, "absent"),
        # Names: the first of each item, and items without one are passed over.
        ("def f(e_a, b): pass\ndef g(): pass", "function argument", "^e_.*", "followed"),
        ("def f(b, e_a): pass", "function argument", "^e_.*", "violated"),
        ("def f(): pass", "function argument", "^e_.*", "violated"),
        ("class A:\n def __init__(self):\n  self.q = self.x = 1", "attribute", "^q", "followed"),
        ("class A:\n def __init__(self): pass", "attribute", "^q", "violated"),
        ("class A: pass", "attribute", "^q", "absent"),
        # Contained names: in every item, or in none.
        ("@a\n@b\ndef f(): pass", "function decorator", ("b", True), "followed"),
        ("@b\ndef f(): pass\ndef g(): pass", "function decorator", ("b", True), "violated"),
        ("@b\ndef f(): pass\ndef g(): pass", "function decorator", ("b", False), "violated"),
        ("def f(): pass", "function decorator", ("b", False), "followed"),
        ("def f(): pass", "class decorator", ("b", True), "absent"),
        # Imports and comments are judged even where there are none.
        ("import a", "import", ("a", True), "followed"),
        ("import a", "import", ("b", False), "followed"),
        ("x = 1", "import", ("a", True), "violated"),
        ("x = 1", "import", True, "followed"),
        ("x = 1", "import", False, "followed"),
        ("import a", "import", False, "violated"),
        ("import ab", "import", "a$", "followed"),  # the first letter of the module
        ("x = 1", "import", "a", "violated"),
        ("x = 1", "comment", True, "violated"),
        ("x = 1", "comment", False, "followed"),
        ("x = 1  # y", "comment", True, "followed"),
        ("x = 1  # y", "comment", "^# y", "followed"),
        ("x = 1", "comment", "^# y", "violated"),
        ("x = 1  # y", "comment", ("# y", True), "violated"),  # the comments are one item
        # Text that is no code, or none at all.
        ("I cannot do that.", "function", "^a_.*", "unparsable"),
        ("", "function", "^a_.*", "absent"),
        ("", "comment", True, "violated"),
    ],
)
def test_quirks(code: str, kind: ObjectKind, check: Check, verdict: Verdict) -> None:
    assert judge(code, kind, check) == verdict


@pytest.mark.parametrize("kind", OBJECT_KINDS)
def test_unparsable_whatever_the_rule(kind: ObjectKind) -> None:
    assert judge("def f(:", kind, True) == "unparsable"


def test_a_hostile_class_name_does_not_hang() -> None:
    code = f"class A{'a' * 60}_: pass"
    assert judge(code, "class", CASE_PATTERNS["camel"]) == "violated"


def test_one_verdict_per_rule_in_order() -> None:
    rules = [
        Rule(object="function", check="^a_.*"),
        Rule(object="class", check="^A"),
        Rule(object="function", check="^f"),
    ]
    verdicts = OfficialScorer().judge("def f(): pass", rules, [False] * 3)
    assert verdicts == ["violated", "absent", "followed"]
    assert OfficialScorer().judge("def f(): pass", [], []) == []


def test_an_answer_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rules look at it, and however often it is given."""
    codes: list[str] = []
    parse = ast.parse

    def counted(code: str) -> ast.Module:
        codes.append(code)
        return parse(code)

    monkeypatch.setattr(ast, "parse", counted)
    rules = [Rule(object=kind, check=True) for kind in OBJECT_KINDS]
    for answer in ("```python\nonce = 1\n```", "once = 1\n", "```python\nonce = 1\n```", "once ="):
        OfficialScorer().judge(answer, rules, [False] * len(rules))
        OfficialScorer().judge(answer, rules, [False] * len(rules))
    assert codes == ["once = 1\n", "once ="]
