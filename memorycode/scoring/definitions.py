"""What the head and the docstring of a function, method or class say: for the strict scorer."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Annotated = Literal["no", "partly", "fully"]

AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Definition:
    """A function, method or class, and what rules ask of it."""

    name: str
    decorators: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    docstring: str = ""
    annotated: Annotated = "no"
    has_try: bool = False
    has_assert: bool = False


def define(node: AnyFunction, decorators: tuple[str, ...], receiver: str) -> Definition:
    """A function or method as its head and docstring tell; `receiver` needs no annotation."""
    every = _parameters(node.args)
    return Definition(
        name=node.name,
        decorators=decorators,
        arguments=tuple([parameter.arg for parameter in every]),
        docstring=_docstring(node),
        annotated=_annotated(node, every, receiver),
    )


def _docstring(node: AnyFunction) -> str:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        text = first.value.value
        return text.strip() if isinstance(text, str) else ""
    return ""


def _annotated(node: AnyFunction, every: Sequence[ast.arg], receiver: str) -> Annotated:
    """Whether all parameters but `self` and `cls` are annotated, or the return value if there are
    no others."""
    if every and every[0].arg in ("self", "cls", receiver):
        every = every[1:]
    wanted = [parameter.annotation for parameter in every] or [node.returns]
    if None not in wanted:
        return "fully"
    return "partly" if node.returns is not None or any(wanted) else "no"


def decorators_of(node: AnyFunction | ast.ClassDef) -> tuple[str, ...]:
    if not node.decorator_list:
        return ()
    return tuple(filter(None, map(decorator_name, node.decorator_list)))


def decorator_name(expression: ast.expr) -> str:
    """``retry`` of ``retry``, ``pedantic.retry`` and ``pedantic.retry(3)``."""
    while isinstance(expression, ast.Call):
        expression = expression.func
    if isinstance(expression, ast.Name):
        return expression.id
    return expression.attr if isinstance(expression, ast.Attribute) else ""


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters: positional-only, plain, ``*args``, keyword-only, ``**kwargs``."""
    return [
        *arguments.posonlyargs,
        *arguments.args,
        *([arguments.vararg] if arguments.vararg else ()),
        *arguments.kwonlyargs,
        *([arguments.kwarg] if arguments.kwarg else ()),
    ]
