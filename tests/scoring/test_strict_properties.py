"""Code built from known objects gets the verdicts that its construction calls for."""

from __future__ import annotations

import keyword
from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from memorycode.protocols import Verdict
from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN, Check, ObjectKind, Rule
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.strict import StrictScorer

KNOWN = {*keyword.kwlist, *keyword.softkwlist, "self", "cls", "q"}
NAMES = st.from_regex(r"(x_)?[a-w]{1,3}(_[a-w]|[0-9]){0,2}(_x)?", fullmatch=True).filter(
    lambda name: name not in KNOWN
)
BINDINGS = (
    "{n} = 1", "{n}: int = 1", "{n} += 1", "for {n} in q: pass", "with q as {n}: pass",
    "q({n} := 1)",
    "[0 for {n} in q]", "(0 for (_, *{n}) in q)", "[_, ({n}, *_)] = q",
    "match q:\n case [{n}]: pass",
    "try: pass\nexcept q as {n}: pass", "while ({n} := q): pass", "q[lambda: ({n} := 1)]",
    "match q:\n case {{'k': _, **{n}}}: pass", "q(f'{{({n} := 1)}}')",
    "async def _():\n async for {n} in q: 0",
)  # fmt: skip
ATTRIBUTES = (
    "self.{n} = 1", "self.{n}: int", "self.{n} += 1", "for self.{n} in q: pass", "_, *self.{n} = q",
    "with q as self.{n}: pass", "[0 for self.{n} in q]", "q.z = self.{n} = 1",
)  # fmt: skip
PARAMETERS = ("{n}, /", "{n}", "*{n}", "*, {n}", "**{n}", "{n}=1", "*_, {n}=2")
BLOCKS = ("if q:\n{body}", "for _ in q:\n{body}", "while q:\n{body}", "with q:\n{body}",
          "if q: pass\nelse:\n{body}", "match q:\n case 1:\n{body}", "{body}")  # fmt: skip
PARTS = ("docstring", "try", "assert", "annotation", "decorator")


class Built:
    """Code, the names in it, and for each function, method and class whether it has a part."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.names: defaultdict[str, list[str]] = defaultdict(list)
        self.has: defaultdict[str, list[bool]] = defaultdict(list)
        self.code = "\n".join(self._statement() for _ in range(draw(st.integers(0, 5))))

    def _choose(self, forms: Sequence[str]) -> str:
        return self._draw(st.sampled_from(forms))

    def _name(self, kind: str) -> str:
        name = self._draw(NAMES)
        self.names[kind].append(name)
        return name

    def _flip(self) -> bool:
        return self._draw(st.booleans())

    def _in_block(self, code: str) -> str:
        block = self._choose(BLOCKS)
        return code if block == "{body}" else block.replace("{body}", indented(code))

    def _statement(self) -> str:
        kind = self._choose(("variable", "function", "class"))
        if kind == "variable":
            code = self._choose(BINDINGS[:-1]).format(n=self._name("variable"))
        elif kind == "function":
            code = self._function("function")
        else:
            code = self._class()
        return self._in_block(code)

    def _class(self) -> str:
        body = [f"{self._name('attribute')} = 1"] if self._flip() else ["pass"]
        body += [
            self._in_block(self._function("method")) for _ in range(self._draw(st.integers(0, 2)))
        ]
        if self._flip():
            code = self._choose(ATTRIBUTES).format(n=self._name("attribute"))
            body.append(f"def __init__(self):\n{indented(self._in_block(code))}")
        is_decorated = self._flip()
        self.has["class decorator"].append(is_decorated)
        decorator = "@p.retry(1)\n" if is_decorated else ""
        return f"{decorator}class {self._name('class')}:\n{indented(chr(10).join(body))}"

    def _function(self, owner: str) -> str:
        parts = {part: self._flip() for part in PARTS}
        for part, is_there in parts.items():
            self.has[f"{owner} {part}"].append(is_there)
        body = ["'Text.'"] if parts["docstring"] else []
        body += [self._in_block("try: q\nfinally: q")] if parts["try"] else []
        body += [self._in_block("assert q")] if parts["assert"] else []
        body += [self._choose(("pass", "lambda a, b=1: a"))]
        parameters = "self" if owner == "method" else ""
        if owner == "function" and not parts["annotation"] and self._flip():
            parameters = self._choose(PARAMETERS).format(n=self._name("function argument"))
        returns = " -> int" if parts["annotation"] else ""
        head = ("@retry\n" if parts["decorator"] else "") + self._choose(("def", "async def"))
        return f"{head} {self._name(owner)}({parameters}){returns}:\n{indented(chr(10).join(body))}"


def indented(code: str) -> str:
    return "\n".join(f"   {line}" for line in code.split("\n"))


BUILT = st.composite(Built)()
NAMED = ("function", "function argument", "class", "method", "attribute", "variable")


def judge(code: str, kind: str, check: Check) -> Verdict:
    rule = Rule(object=cast(ObjectKind, kind), check=check)
    return StrictScorer().judge(code, [rule], [False])[0]


def verdict(instances: Sequence[object], follows: bool) -> Verdict:
    if not instances:
        return "absent"
    return "followed" if follows else "violated"


@settings(max_examples=200)
@given(BUILT)
def test_names_are_those_built_in(built: Built) -> None:
    for kind in NAMED:
        names = built.names[kind]
        for check, follows in [
            (".*_x$", all(name.endswith("_x") for name in names)),
            ("^x_.*", all(name.startswith("x_") for name in names)),
            (".*a.*", all("a" in name for name in names)),
            (DIGIT_PATTERN, all(sum(map(str.isdigit, name)) == 1 for name in names)),
            (CASE_PATTERNS["snake"], True),
            (CASE_PATTERNS["upper"], False),
            (CASE_PATTERNS["camel"], False),
        ]:
            assert judge(built.code, kind, check) == verdict(names, follows), (kind, check)


@settings(max_examples=200)
@given(BUILT)
def test_parts_are_those_built_in(built: Built) -> None:
    for owner in ("function", "method"):
        for part in PARTS:
            has = built.has[f"{owner} {part}"]
            check: Check = ("retry", True) if part == "decorator" else True
            forbidden: Check = ("retry", False) if part == "decorator" else False
            assert judge(built.code, f"{owner} {part}", check) == verdict(has, all(has))
            assert judge(built.code, f"{owner} {part}", forbidden) == verdict(has, not any(has))
    has = built.has["class decorator"]
    assert judge(built.code, "class decorator", ("retry", True)) == verdict(has, all(has))


WRAPPINGS = st.sampled_from(
    [
        "{}",
        "```python\n{}\n```",
        "Text:\n\n~~~py\n{}\n~~~\nMore.",
        "<think>no</think>\n```\n{}",
        "```\n{}",
    ]
)


@given(BUILT, WRAPPINGS, st.sampled_from(["\n", "\r\n", "\r"]))
def test_wrapping_and_line_ends_do_not_matter(built: Built, wrapping: str, line_end: str) -> None:
    answer = wrapping.replace("{}", built.code or "pass").replace("\n", line_end)
    for kind in NAMED:
        assert judge(answer, kind, ".*_x$") == judge(built.code, kind, ".*_x$")


PLAIN_NAMES = st.from_regex(r"[a-w]{2,4}(_x|[0-9])?", fullmatch=True).filter(
    lambda name: name not in KNOWN
)


@st.composite
def plain_code(draw: st.DrawFn) -> str:
    """Code in which the paper's evaluator overlooks nothing."""
    names = [draw(PLAIN_NAMES) for _ in range(6)]
    text, attempt, check, comment = (draw(st.sampled_from((line, ""))) for line in
        ("    'Text.'\n", "    try: q\n    finally: q\n", "    assert q\n",
        "# note\n"))  # fmt: skip
    decorator, annotation = (
        draw(st.sampled_from(("@retry\n", ""))),
        draw(st.sampled_from((": int", ""))),
    )
    function = f"{text}{attempt}{check}    {names[2]} = 1\n"
    body = indented(f"{decorator}def {names[3]}(self, a{annotation}):\n{function}")
    return (
        f"import {draw(st.sampled_from(('secrets', 'gzip')))}\n{comment}"
        f"{decorator}def {names[0]}({names[1]}{annotation}):\n{function}"
        f"{decorator}class {names[4].title()}:\n   def __init__(self, a):\n"
        f"      self.{names[5]} = a\n{body}\n"
    )


@settings(max_examples=200)
@given(plain_code(), st.sampled_from(["{}", "```python\n{}```", "Text.\n```python\n{}```\nText."]))
def test_the_scorers_agree_where_nothing_is_overlooked(code: str, wrapping: str) -> None:
    named = [".*_x$", "^a.*", ".*b.*", DIGIT_PATTERN, *CASE_PATTERNS.values()]
    rules = [Rule(object=cast(ObjectKind, kind), check=check) for kind in NAMED for check in named]
    for owner in ("function", "method"):
        for part in PARTS[:-1]:
            rules += [
                Rule.model_validate({"object": f"{owner} {part}", "check": c})
                for c in (True, False)
            ]
        rules.append(
            Rule.model_validate({"object": f"{owner} decorator", "check": ("retry", True)})
        )
    rules += [
        Rule(object="class decorator", check=("retry", True)),
        Rule(object="import", check=("secrets", True)),
        Rule(object="import", check=("secrets", False)),
        Rule(object="comment", check=True),
    ]
    answer = wrapping.replace("{}", code)
    elsewhere = [False] * len(rules)
    strict = StrictScorer().judge(answer, rules, elsewhere)
    assert strict == OfficialScorer().judge(answer, rules, elsewhere)
