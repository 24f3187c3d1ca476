"""The code objects that the paper's evaluator sees, with its quirks.

Only statements are visited, never expressions: no object hides in one. The order of the items of a
kind has no meaning, so the statements still to be visited are kept on a stack, and code may be
nested as deeply as the parser admits.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from memorycode.rules import ObjectKind
from memorycode.scoring.parsing import BRIEF, parse

Item = Sequence[str]
"""What is seen of one object: its name, its arguments, its docstring …; empty if there is none.
Statements and annotations have no text and count only: an empty string stands for each."""

Objects = Mapping[ObjectKind, Sequence[Item]]
"""The items of each kind of which the code has any."""

CACHED_CODES = 10_000
"""Codes whose objects are kept, some 3 kB each: more than one model's answers to the release."""

_COMMENT = re.compile("#.*")


def objects_of(code: str) -> Objects | None:
    """The objects of a piece of code; None if it does not parse."""
    return _kept(code) if len(code) <= BRIEF else _collected(code)


def _collected(code: str) -> Objects | None:
    tree = parse(code)
    return None if tree is None else _Collector().collect(tree, code)


_kept = lru_cache(maxsize=CACHED_CODES)(_collected)


class _Collector:
    """Visits the statements of one tree.

    `_in_class` says that the body being visited stands somewhere in a class: a function nested in
    a method is a method to the paper's evaluator.
    """

    def __init__(self) -> None:
        self._found: defaultdict[ObjectKind, list[Item]] = defaultdict(list)
        self._bodies: list[tuple[Sequence[ast.stmt], bool]] = []
        self._in_class = False

    def collect(self, tree: ast.Module, code: str) -> Objects:
        self._bodies.append((tree.body, False))
        while self._bodies:
            body, self._in_class = self._bodies.pop()
            for statement in body:
                if visit := _VISITS.get(type(statement)):
                    visit(self, statement)
        self._found["comment"].append(tuple(_COMMENT.findall(code)))
        return {kind: tuple(items) for kind, items in self._found.items()}

    def later(self, *bodies: Sequence[ast.stmt]) -> None:
        self._bodies += [(body, self._in_class) for body in bodies]

    def block(self, node: ast.If | ast.For | ast.AsyncFor | ast.While) -> None:
        self.later(node.body, node.orelse)

    def plain_block(self, node: ast.With | ast.AsyncWith | ast.AsyncFunctionDef) -> None:
        self.later(node.body)

    def try_block(self, node: ast.Try | ast.TryStar) -> None:
        self.later(node.body, node.orelse, node.finalbody)
        self.later(*(handler.body for handler in node.handlers))

    def match_block(self, node: ast.Match) -> None:
        self.later(*(case.body for case in node.cases))

    def class_def(self, node: ast.ClassDef) -> None:
        self._found["class"].append((node.name,))
        self._found["class decorator"].append(_decorators(node))
        self._bodies.append((node.body, True))

    def function_def(self, node: ast.FunctionDef) -> None:
        self.later(node.body)
        if not self._in_class:
            self._function(node)
        elif node.name == "__init__":
            self._found["attribute"].append(_attributes(node))
        elif not node.name.startswith("__"):
            self._method(node)

    def _function(self, node: ast.FunctionDef) -> None:
        found = self._found
        found["function"].append((node.name,))
        found["function argument"].append(tuple([arg.arg for arg in node.args.args]))
        found["function docstring"].append(_docstring(node))
        found["function try"].append(_statements(node, ast.Try))
        found["function assert"].append(_statements(node, ast.Assert))
        found["function annotation"].append(_annotations(node))
        found["function decorator"].append(_decorators(node))

    def _method(self, node: ast.FunctionDef) -> None:
        found = self._found
        found["method"].append((node.name,))
        found["method docstring"].append(_docstring(node))
        found["method try"].append(_statements(node, ast.Try))
        found["method assert"].append(_statements(node, ast.Assert))
        found["method annotation"].append(_annotations(node))
        found["method decorator"].append(_decorators(node))

    def assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._variables(target.elts if isinstance(target, ast.Tuple) else (target,))

    def annotated_assign(self, node: ast.AnnAssign) -> None:
        self._variables((node.target,))

    def _variables(self, targets: Iterable[ast.expr]) -> None:
        for target in targets:
            if isinstance(target, ast.Name):
                self._found["variable"].append((target.id,))

    def imports(self, node: ast.Import) -> None:
        # An import's item is its bare name: a rule on the name of a module looks for it among the
        # items, where other rules look inside each.
        self._found["import"] += [alias.name for alias in node.names]


_VISITS: dict[type[ast.stmt], Callable[[_Collector, Any], None]] = {
    ast.FunctionDef: _Collector.function_def,
    ast.AsyncFunctionDef: _Collector.plain_block,
    ast.ClassDef: _Collector.class_def,
    ast.Assign: _Collector.assign,
    ast.AnnAssign: _Collector.annotated_assign,
    ast.Import: _Collector.imports,
    ast.If: _Collector.block,
    ast.For: _Collector.block,
    ast.AsyncFor: _Collector.block,
    ast.While: _Collector.block,
    ast.With: _Collector.plain_block,
    ast.AsyncWith: _Collector.plain_block,
    ast.Try: _Collector.try_block,
    ast.TryStar: _Collector.try_block,
    ast.Match: _Collector.match_block,
}


def _docstring(node: ast.FunctionDef) -> Item:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        text = first.value.value
        # Cleaning is slow, and cannot empty a docstring that has more than white space.
        if isinstance(text, str) and (text.strip() or ast.get_docstring(node)):
            return (text,)
    return ()


def _statements(node: ast.FunctionDef, kind: type[ast.stmt]) -> Item:
    return ("",) * [*map(type, node.body)].count(kind)


def _annotations(node: ast.FunctionDef) -> Item:
    annotations = [node.returns, *[arg.annotation for arg in node.args.args]]
    return ("",) * (len(annotations) - annotations.count(None))


def _attributes(node: ast.FunctionDef) -> Item:
    return tuple(
        target.attr
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == "self"
    )


def _decorators(node: ast.FunctionDef | ast.ClassDef) -> Item:
    names = []
    for decorator in node.decorator_list:
        expression = decorator
        while isinstance(expression, ast.Call):
            expression = expression.func
        if isinstance(expression, ast.Name):
            names.append(expression.id)
        elif isinstance(expression, ast.Attribute):
            names.append(expression.attr)
    return tuple(names)
