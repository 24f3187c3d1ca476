"""Which lines of an answer break a rule.

A line breaks a rule where the object that stands there, taken alone, breaks it in the eyes of the
scorer. So this module knows where objects are and nothing of what rules mean. Where something is
missing from the code as a whole (a comment, an import), no line is to blame.
"""

from __future__ import annotations

import ast
import bisect
import io
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from memorycode.protocols import Scorer, Verdict
from memorycode.rules import ObjectKind, Rule
from memorycode.scoring.answer_code import Code, plain_text, read_code
from memorycode.scoring.definitions import AnyFunction
from memorycode.scoring.name_search import CODE
from memorycode.scoring.parsing import SHORT, quiet

MOST_DEFINITIONS = 500
"""Functions, methods or classes of an answer that are looked at; models write some ten."""


_Judge = Callable[[str, Sequence[Rule], Sequence[bool]], list[Verdict]]


class _Place(NamedTuple):
    """A line of the code, from 1, and the shortest code that has what stands there."""

    line: int
    code: str


class AnswerLines:
    """An answer whose objects are looked for once, however many rules are asked about."""

    def __init__(self, answer: str) -> None:
        self._code = read_code(answer) if len(answer) <= SHORT else None
        self._lines = _answer_lines(answer, self._code) if self._code else {}
        self._nodes = tuple(_walk(self._code.tree)) if self._code else ()
        self._places: dict[str, tuple[_Place, ...]] = {}

    def offending_lines(self, rule: Rule, scorer: Scorer) -> tuple[int, ...]:
        """The lines of the answer, from 1, whose objects break `rule`, which the scorer found
        violated, in order.

        Empty where no line does: what the rule wants is missing altogether, or the answer has no
        code that can be read. The paper's scorer looks at the first argument and attribute alone;
        of a rule that those violate, others that break it are named too.
        """
        if self._code is None or _is_missed(rule):
            return ()
        found = {
            self._lines[place.line]
            for place in self._of(self._code, rule.object)
            if place.line in self._lines and _breaks(scorer, rule, place.code)
        }
        return tuple(sorted(found))

    def _of(self, code: Code, kind: ObjectKind) -> tuple[_Place, ...]:
        # All rules on parts of a function, say, are judged by the same definitions.
        key = kind if kind in CODE else f"parts of {kind.split()[0]}"
        if key not in self._places:
            of_names = kind in CODE
            places = _named(kind, self._nodes) if of_names else _parts(code, kind, self._nodes)
            self._places[key] = tuple(places)
        return self._places[key]


def offending_lines(answer: str, rule: Rule, scorer: Scorer) -> tuple[int, ...]:
    """As `AnswerLines.offending_lines`, for one rule, whatever the verdict on it."""
    if scorer.judge(answer, [rule], [False]) != ["violated"]:
        return ()
    return AnswerLines(answer).offending_lines(rule, scorer)


def _is_missed(rule: Rule) -> bool:
    """Whether what breaks the rule is that something is nowhere in the code."""
    if rule.object == "import":
        return rule.constraint.positive
    if rule.object == "comment":
        return rule.constraint.positive and rule.constraint.kind in ("presence", "name")
    return False


def _breaks(scorer: Scorer, rule: Rule, code: str) -> bool:
    return _judged(scorer.judge, rule, code) == ("violated",)


@lru_cache(maxsize=65_536)
def _judged(judge: _Judge, rule: Rule, code: str) -> tuple[Verdict, ...]:
    return tuple(judge(code, [rule], [False]))


# ── where objects are ─────────────────────────────────────────────────────────────────────────


_Nodes = Sequence[tuple[ast.AST, bool]]
"""Every node, and whether it stands in a class body."""


def _parts(code: Code, kind: ObjectKind, nodes: _Nodes) -> Iterator[_Place]:
    """Comments, imports, or definitions, whose parts rules speak of."""
    if kind == "comment":
        yield from _comments(code.text)
    elif kind == "import":
        for node, _ in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield _Place(node.lineno, ast.unparse(node))
    else:
        imports, word = _imports(nodes), kind.split()[0]
        for node in _definitions(nodes, word):
            with suppress(RecursionError):
                yield _Place(node.lineno, imports + _alone(node, word))


def _named(kind: ObjectKind, nodes: _Nodes) -> Iterator[_Place]:
    code = CODE[kind]
    for line, name in _NAMES[kind](nodes):
        yield _Place(line, code.format(name=name))


def _walk(tree: ast.Module) -> Iterator[tuple[ast.AST, bool]]:
    """The nodes in the order in which they stand; a stack, for code may be nested deeply."""
    waiting: list[tuple[ast.AST, bool]] = [(node, False) for node in reversed(tree.body)]
    while waiting:
        node, in_class = waiting.pop()
        yield node, in_class
        if isinstance(node, ast.ClassDef):
            in_class = True
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            in_class = False
        waiting += [(child, in_class) for child in reversed([*ast.iter_child_nodes(node)])]


def _functions(nodes: _Nodes, *, methods: bool) -> Iterator[AnyFunction]:
    for node, in_class in nodes:
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and in_class is methods:
            yield node  # type: ignore[misc]


def _classes(nodes: _Nodes) -> Iterator[ast.ClassDef]:
    for node, _ in nodes:
        if isinstance(node, ast.ClassDef):
            yield node


def _definitions(nodes: _Nodes, word: str) -> Iterator[AnyFunction | ast.ClassDef]:
    found = _classes(nodes) if word == "class" else _functions(nodes, methods=word == "method")
    yield from islice(found, MOST_DEFINITIONS)


def _arguments(nodes: _Nodes) -> Iterator[tuple[int, str]]:
    for function in _functions(nodes, methods=False):
        for node in ast.walk(function.args):
            if isinstance(node, ast.arg):
                yield node.lineno, node.arg


def _variables(nodes: _Nodes) -> Iterator[tuple[int, str]]:
    for node, in_class in nodes:
        if not in_class:
            yield from _bound(node)


def _attributes(nodes: _Nodes) -> Iterator[tuple[int, str]]:
    for node, in_class in nodes:
        if in_class:
            yield from _bound(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def _bound(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.lineno, node.id
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.lineno, node.name


_NAMES: Mapping[str, Callable[[_Nodes], Iterator[tuple[int, str]]]] = {
    "function": lambda nodes: ((n.lineno, n.name) for n in _functions(nodes, methods=False)),
    "method": lambda nodes: ((n.lineno, n.name) for n in _functions(nodes, methods=True)),
    "class": lambda nodes: ((n.lineno, n.name) for n in _classes(nodes)),
    "function argument": _arguments,
    "variable": _variables,
    "attribute": _attributes,
}


def _imports(nodes: _Nodes) -> str:
    """All the imports, for a decorator may be known by another name."""
    found = (node for node, _ in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    return "".join(f"{ast.unparse(node)}\n" for node in found)


def _alone(node: AnyFunction | ast.ClassDef, word: str) -> str:
    """A definition without those inside it, which are judged by themselves."""
    body: list[ast.stmt] = [ast.Pass()]
    if not isinstance(node, ast.ClassDef):
        nested = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        body = [part for part in node.body if not isinstance(part, nested)] or body
    copied = copy(node)
    copied.body = body
    text = ast.unparse(copied)
    if word != "method":
        return text
    return "class C:\n" + "\n".join(f"    {line}" for line in text.splitlines())


def _comments(code: str) -> Iterator[_Place]:
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    with quiet(), suppress(tokenize.TokenError, SyntaxError, ValueError):
        for token in tokens:
            if token.type == tokenize.COMMENT:
                yield _Place(token.start[0], f"{token.string}\npass\n")


# ── from the code's lines to the answer's ─────────────────────────────────────────────────────


def _answer_lines(answer: str, code: Code) -> dict[int, int]:
    """The answer's line for each line of the code that was read out of it, both from 1."""
    text = plain_text(answer)
    start = text.find(code.text)
    lines = code.text.split("\n")
    if start >= 0:
        before = text.count("\n", 0, start)
        return {number: before + number for number in range(1, len(lines) + 1)}
    # Blocks put together, or freed of an indentation or a prompt: the same lines, in order.
    where: dict[str, list[int]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        where.setdefault(line.removeprefix(">>> ").removeprefix("... ").strip(), []).append(number)
    found: dict[int, int] = {}
    latest = 0
    for number, line in enumerate(lines, start=1):
        known = where.get(line.strip(), [])
        at = bisect.bisect_right(known, latest)
        if line.strip() and at < len(known):
            latest = found[number] = known[at]
    return found
