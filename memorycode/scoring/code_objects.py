"""The code objects that rules speak of, all of them: for the strict scorer.

What the words mean:

* A *method* is defined directly in a class body (or in a block of it), any other ``def`` is a
  *function*; both may be asynchronous, a lambda is neither. Dunder methods are left out: the
  language, not the author, decides about them.
* A *variable* is a name bound in code outside a class body; parameters, imports, functions, classes
  and type aliases are none.
* An *attribute* is a name bound in a class body, or set on the first parameter of a method.
* ``_`` and dunder names are given, not chosen: they are no names that a rule could be about.

Statements wait on a stack and expressions are entered only where one may bind a name: code may be
nested as deeply as the parser admits, and costs little more than for the paper's evaluator.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memorycode.scoring.answer_code import Code
from memorycode.scoring.binding import (
    binding_expressions,
    captured_names,
    lines_that_bind,
    may_bind,
    simple_targets,
)
from memorycode.scoring.comments import comments_of, has_comment
from memorycode.scoring.definitions import (
    AnyFunction,
    Definition,
    decorator_name,
    decorators_of,
    define,
)

_MAX_ALIASES = 8
"""Steps from an alias to what it stands for."""


@dataclass
class CodeObjects:
    """The objects of one answer.

    `modules` are the dotted names imported; a relative one keeps its dots. `decorators` of
    definitions hold a name as written and, where it is an alias, what it stands for.
    """

    functions: list[Definition] = field(default_factory=list)
    methods: list[Definition] = field(default_factory=list)
    classes: list[Definition] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    commented_code: str = ""

    @cached_property
    def comments(self) -> tuple[str, ...]:
        return comments_of(self.commented_code)

    @cached_property
    def has_comment(self) -> bool:
        return has_comment(self.commented_code)


def collect(code: Code) -> CodeObjects:
    """All the objects in a piece of code."""
    return _Collector().collect(code)


def is_chosen(name: str) -> bool:
    """Whether the author chose the name: neither ``_`` nor a dunder name."""
    return name != "_" and not _is_dunder(name)


def _is_dunder(name: str) -> bool:
    return name[:2] == "__" == name[-2:] and len(name) > 4


@dataclass(slots=True)
class _Scope:
    """A body of code: of the module, a class, or a function, which is then its `definition`.

    `receiver` is the name whose attributes are those of the class.
    """

    is_class: bool = False
    receiver: str = ""
    definition: Definition | None = None


class _Collector:
    """Visits the statements of one tree."""

    def __init__(self) -> None:
        self._found = CodeObjects()
        self._aliases: dict[str, str] = {}
        self._bodies: list[tuple[Sequence[ast.stmt], _Scope]] = []
        self._scope = _Scope()

    def collect(self, code: Code) -> CodeObjects:
        lines = lines_that_bind(code.text)
        self._bodies.append((code.tree.body, self._scope))
        while self._bodies:
            body, self._scope = self._bodies.pop()
            for statement in body:
                if visit := _VISITS.get(type(statement)):
                    visit(self, statement)
                if lines and may_bind(statement, lines):
                    self.expressions(statement)
        self._resolve_decorators()
        self._found.commented_code = code.text if "#" in code.text else ""
        return self._found

    def later(self, *bodies: Sequence[ast.stmt]) -> None:
        self._bodies += [(body, self._scope) for body in bodies if body]

    # ── definitions ───────────────────────────────────────────────────────────────────────────

    def class_def(self, node: ast.ClassDef) -> None:
        self._found.classes.append(Definition(node.name, decorators_of(node)))
        self._bodies.append((node.body, _Scope(is_class=True)))

    def function_def(self, node: AnyFunction) -> None:
        decorators = decorators_of(node)
        inside = _Scope(receiver=self._scope.receiver)
        if self._scope.is_class:
            first = [*node.args.posonlyargs, *node.args.args][:1]
            inside.receiver = first[0].arg if first and "staticmethod" not in decorators else ""
        inside.definition = define(node, decorators, inside.receiver)
        self._bodies.append((node.body, inside))
        if not self._scope.is_class:
            self._found.functions.append(inside.definition)
        elif not _is_dunder(node.name):
            self._found.methods.append(inside.definition)

    def _resolve_decorators(self) -> None:
        """Only now is every alias known, and what it stands for."""
        if self._aliases:
            for definition in (*self._found.functions, *self._found.methods, *self._found.classes):
                definition.decorators += tuple(self._originals(definition.decorators))

    def _originals(self, names: Iterable[str]) -> Iterable[str]:
        for name in names:
            original = name
            for _ in range(_MAX_ALIASES):
                if original not in self._aliases:
                    break
                original = self._aliases[original]
            yield original

    # ── names ─────────────────────────────────────────────────────────────────────────────────

    def bind(self, target: ast.expr) -> None:
        for part in simple_targets(target):
            if isinstance(part, ast.Name):
                self.bind_name(part.id)
            elif isinstance(part.value, ast.Name) and part.value.id == self._scope.receiver:
                self._add(self._found.attributes, part.attr)

    def bind_name(self, name: str) -> None:
        self._add(self._found.attributes if self._scope.is_class else self._found.variables, name)

    def _add(self, names: list[str], name: str) -> None:
        if is_chosen(name):
            names.append(name)

    def assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.bind(target)
        if isinstance(node.targets[0], ast.Name) and (original := decorator_name(node.value)):
            self._aliases.setdefault(node.targets[0].id, original)

    def one_target(self, node: ast.AnnAssign | ast.AugAssign) -> None:
        self.bind(node.target)

    def expressions(self, statement: ast.stmt) -> None:
        for node in binding_expressions(statement):
            if isinstance(node, ast.NamedExpr):
                self.bind(node.target)
            else:  # a scope of its own, even in a class body
                here, self._scope = self._scope, _Scope(receiver=self._scope.receiver)
                self.bind(node.target)
                self._scope = here

    # ── blocks ────────────────────────────────────────────────────────────────────────────────

    def branch(self, node: ast.If | ast.While) -> None:
        self.later(node.body, node.orelse)

    def loop(self, node: ast.For | ast.AsyncFor) -> None:
        self.bind(node.target)
        self.later(node.body, node.orelse)

    def with_block(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self.bind(item.optional_vars)
        self.later(node.body)

    def try_block(self, node: ast.Try | ast.TryStar) -> None:
        if self._scope.definition is not None:
            self._scope.definition.has_try = True
        self.later(node.body, node.orelse, node.finalbody)
        for handler in node.handlers:
            if handler.name is not None:
                self.bind_name(handler.name)
            self.later(handler.body)

    def match_block(self, node: ast.Match) -> None:
        for case in node.cases:
            for name in captured_names(case.pattern):
                self.bind_name(name)
            self.later(case.body)

    def assertion(self, _node: ast.Assert) -> None:
        if self._scope.definition is not None:
            self._scope.definition.has_assert = True

    # ── imports ───────────────────────────────────────────────────────────────────────────────

    def imports(self, node: ast.Import) -> None:
        for alias in node.names:
            self._found.modules.append(alias.name)
            self._alias(alias)

    def imports_from(self, node: ast.ImportFrom) -> None:
        # What is imported from a package may itself be a module.
        module = "." * node.level + (node.module or "")
        self._found.modules.append(module)
        dot = "." if node.module else ""
        self._found.modules += [f"{module}{dot}{alias.name}" for alias in node.names]
        for alias in node.names:
            self._alias(alias)

    def _alias(self, alias: ast.alias) -> None:
        if alias.asname is not None:
            self._aliases[alias.asname] = alias.name.rpartition(".")[2]


_VISITS: dict[type[ast.stmt], Callable[[_Collector, Any], None]] = {
    ast.FunctionDef: _Collector.function_def,
    ast.AsyncFunctionDef: _Collector.function_def,
    ast.ClassDef: _Collector.class_def,
    ast.Assign: _Collector.assign,
    ast.AnnAssign: _Collector.one_target,
    ast.AugAssign: _Collector.one_target,
    ast.Import: _Collector.imports,
    ast.ImportFrom: _Collector.imports_from,
    ast.If: _Collector.branch,
    ast.While: _Collector.branch,
    ast.For: _Collector.loop,
    ast.AsyncFor: _Collector.loop,
    ast.With: _Collector.with_block,
    ast.AsyncWith: _Collector.with_block,
    ast.Try: _Collector.try_block,
    ast.TryStar: _Collector.try_block,
    ast.Match: _Collector.match_block,
    ast.Assert: _Collector.assertion,
}
