"""Rules in, code out: a short module in which every rule has its object and is followed.

There is always a function with an argument and a variable, and a class with a method and an
attribute, and no further object that could break a rule. The code is made to be parsed: it does
nothing of interest, but every rule holds in it both for the paper's evaluator and under a strict
reading, wherever one name can satisfy all the rules on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memorycode.models.code_plan import CodePlan, plan_code
from memorycode.models.stems import stems_of
from memorycode.rules import ObjectKind, Rule

DECORATOR_MODULE = "pedantic"
"""Where the benchmark's decorators come from: a rule's check does not say it."""

_DECORATOR_KINDS: tuple[ObjectKind, ...] = (
    *("function decorator", "method decorator", "class decorator"),
)


@dataclass(frozen=True)
class _Routine:
    """A function or method to be written; rules say which of its parts are used.

    `parameters` are names with their types (empty for ``self``), `checked` is what an assert
    statement states, `last` what a try statement encloses.
    """

    kind: Literal["function", "method"]
    name: str
    parameters: dict[str, str]
    returns: str
    docstring: str
    checked: str
    first: tuple[str, ...] = ()
    last: str = "pass"


def write_code(rules: Sequence[Rule], query: str) -> str:
    """A Python module that follows the rules, given in the order told; `query` lends its words."""
    return write_planned(plan_code(rules), query)


def write_planned(plan: CodePlan, query: str) -> str:
    """The module for one question under rules that were planned before."""
    stems = stems_of(query)
    blocks = [_head(plan)]
    if "function" not in plan.absent:
        name = plan.forms["function"].name(stems.function)
        blocks.append("\n".join(_routine(plan, _function(plan, name))))
    if "class" not in plan.absent:
        name = plan.forms["class"].name(stems.klass)
        method = plan.forms["method"].name(stems.method)
        blocks.append("\n".join(_class(plan, name, method)))
    return "\n\n\n".join(block for block in blocks if block) + "\n"


def _head(plan: CodePlan) -> str:
    """A comment and the imports, where rules ask for them."""
    comment = ["# Follows the guidelines of the team."] if "comment" in plan.present else []
    modules = [f"import {module}" for module in plan.names.get("import", ())]
    return "\n".join([*comment, *modules, *_decorator_import(plan)])


def _decorator_import(plan: CodePlan) -> list[str]:
    if "import" in plan.absent or DECORATOR_MODULE in plan.forbidden_modules:
        return []
    used = [name for kind in _DECORATOR_KINDS for name in plan.names.get(kind, ())]
    plain = dict.fromkeys(name for name in used if "." not in name)
    return [f"from {DECORATOR_MODULE} import {', '.join(plain)}"] if plain else []


def _function(plan: CodePlan, name: str) -> _Routine:
    argument = plan.forms["function argument"].name(("items",))
    variable = plan.forms["variable"].name(("result",))
    source = "[]" if "function argument" in plan.absent else argument
    held = source if "variable" in plan.absent else variable
    return _Routine(
        kind="function",
        name=name,
        parameters={} if "function argument" in plan.absent else {argument: "list"},
        returns="list",
        docstring="Return the items as a list.",
        checked=f"{held} is not None",
        first=() if "variable" in plan.absent else (f"{held} = {source}",),
        last=f"return list({held})",
    )


def _class(plan: CodePlan, name: str, method: str) -> Iterator[str]:
    """The class with `__init__` for its attribute and one method that reads it."""
    attribute = f"self.{plan.forms['attribute'].name(('values',))}"
    yield from _decorators(plan, "class decorator")
    yield f"class {name}:"
    routines = []
    if "attribute" not in plan.absent:
        routines.append(_init(attribute))
    if "method" not in plan.absent:
        routines.append(_method(method, attribute if routines else "[]"))
    for number, routine in enumerate(routines):
        if number:
            yield ""
        yield from (f"    {line}" for line in _routine(plan, routine))
    if not routines:
        yield "    pass"


def _init(attribute: str) -> _Routine:
    return _Routine(
        kind="method",
        name="__init__",
        parameters={"self": ""},
        returns="None",
        docstring="Start without values.",
        checked=f"{attribute} is not None",
        first=(f"{attribute} = []",),
    )


def _method(name: str, source: str) -> _Routine:
    return _Routine(
        kind="method",
        name=name,
        parameters={"self": ""},
        returns="list",
        docstring="Return the values as a list.",
        checked=f"{source} is not None",
        last=f"return list({source})",
    )


def _routine(plan: CodePlan, routine: _Routine) -> Iterator[str]:
    """The lines of a function or method with the parts that the rules on its kind ask for."""
    kind = routine.kind
    typed = f"{kind} annotation" in plan.present
    parameters = ", ".join(
        f"{name}: {hint}" if typed and hint else name for name, hint in routine.parameters.items()
    )
    returns = f" -> {routine.returns}" if typed else ""
    yield from _decorators(plan, "function decorator" if kind == "function" else "method decorator")
    yield f"def {routine.name}({parameters}){returns}:"
    yield from (f"    {line}" for line in _body(plan, routine))


def _body(plan: CodePlan, routine: _Routine) -> Iterator[str]:
    kind = routine.kind
    if f"{kind} docstring" in plan.present:
        yield f'"""{routine.docstring}"""'
    yield from routine.first
    if f"{kind} assert" in plan.present:
        yield f"assert {routine.checked}"
    if f"{kind} try" in plan.present:
        yield from ("try:", f"    {routine.last}", "except TypeError:", "    raise")
    elif routine.last != "pass" or not routine.first:
        yield routine.last


def _decorators(plan: CodePlan, kind: ObjectKind) -> Iterator[str]:
    return (f"@{name}" for name in plan.names.get(kind, ()))
