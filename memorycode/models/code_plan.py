"""What a set of rules comes to for the code: worked out once for all questions asked under it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memorycode.models.name_building import NameForm, choose_form, is_dotted_name
from memorycode.rules import Constraint, ObjectKind, Rule

_PRESENT = Constraint(kind="presence")
_ABSENT = Constraint(kind="presence", positive=False)

_ANY_DECORATOR = "trace"
_ANY_MODULE = "math"

_NAMED: tuple[ObjectKind, ...] = (
    *("function", "function argument", "variable", "class", "method", "attribute"),
)


@dataclass(frozen=True)
class CodePlan:
    """How the code is written.

    `forms` says how each kind of object is named, `names` which decorators and modules are used;
    `present` and `absent` are the kinds of object that a rule demands or forbids as such.
    """

    forms: Mapping[ObjectKind, NameForm]
    names: Mapping[ObjectKind, tuple[str, ...]]
    present: frozenset[ObjectKind]
    absent: frozenset[ObjectKind]
    forbidden_modules: frozenset[str]


def plan_code(rules: Sequence[Rule]) -> CodePlan:
    """Sort rules, given in the order told, by the object they speak of."""
    stated: dict[ObjectKind, list[Constraint]] = defaultdict(list)
    for rule in rules:
        stated[rule.object].append(rule.constraint)
    absent = frozenset(kind for kind, found in stated.items() if _ABSENT in found)
    return CodePlan(
        forms={
            kind: choose_form(tuple(stated[kind]), "camel" if kind == "class" else "snake")
            for kind in _NAMED
        },
        names={kind: _names(kind, found) for kind, found in stated.items() if kind not in absent},
        present=frozenset(k for k, found in stated.items() if _PRESENT in found) - absent,
        absent=absent,
        forbidden_modules=frozenset(
            c.value for c in stated["import"] if c.kind == "name" and not c.positive
        ),
    )


def _names(kind: ObjectKind, constraints: Sequence[Constraint]) -> tuple[str, ...]:
    """The decorators or modules asked for by name; some one where merely any is asked for."""
    stated = (c.value for c in constraints if c.kind == "name" and c.positive)
    names = tuple(dict.fromkeys(name for name in stated if is_dotted_name(name)))
    if names or _PRESENT not in constraints:
        return names
    return (_ANY_MODULE,) if kind == "import" else (_ANY_DECORATOR,)
