"""Where code binds names in targets, patterns and expressions."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

_FOR = re.compile(r"for\b(?<!\w...)")
_WALRUS = re.compile(":=")
_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.stmt)


def lines_that_bind(code: str) -> Sequence[int]:
    """The lines, counted from 1, on which an expression may bind a name: one entry for each walrus
    and each word ``for``. `code` has line ends ``\\n`` only."""
    lines = _lines_with(_FOR, code)
    if ":=" in code:
        lines = sorted([*lines, *_lines_with(_WALRUS, code)])
    return lines


def _lines_with(sign: re.Pattern[str], code: str) -> list[int]:
    lines: list[int] = []
    line, counted = 1, 0
    for found in sign.finditer(code):
        line += code.count("\n", counted, found.start())
        counted = found.start()
        lines.append(line)
    return lines


def may_bind(statement: Any, lines: Sequence[int]) -> bool:
    """Whether one of `lines` holds a part of the statement, the statements in it left out."""
    first, last = statement.lineno, statement.end_lineno
    if decorators := getattr(statement, "decorator_list", None):
        first = decorators[0].lineno
    body = getattr(statement, "body", None)
    if body and not isinstance(statement, ast.Try | ast.TryStar):
        last = body[0].lineno
    at = bisect_left(lines, first)
    if isinstance(statement, ast.For | ast.AsyncFor):
        at += 1  # its own keyword
    return at < len(lines) and lines[at] <= last


def binding_expressions(statement: ast.stmt) -> Iterator[ast.NamedExpr | ast.comprehension]:
    """The walruses and comprehensions of a statement, the statements in it left out."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.NamedExpr | ast.comprehension):
            yield node
        for value in vars(node).values():
            if isinstance(value, list):
                waiting += [child for child in value if _may_hold_more(child)]
            elif _may_hold_more(value):
                waiting.append(value)


def _may_hold_more(value: object) -> bool:
    return isinstance(value, ast.AST) and not isinstance(value, _LEAVES)


def simple_targets(target: ast.expr) -> Iterator[ast.Name | ast.Attribute]:
    """The names and attributes that an assignment to `target` sets, starred and nested ones too."""
    waiting = [target]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name() | ast.Attribute():
                yield node
            case ast.Tuple() | ast.List():
                waiting += node.elts
            case ast.Starred():
                waiting.append(node.value)


def captured_names(pattern: ast.pattern) -> Iterator[str]:
    """The names that a ``match`` pattern captures."""
    for node in ast.walk(pattern):
        match node:
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
