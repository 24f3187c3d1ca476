"""Can one name follow several rules at once, as a scorer sees it?

The official digit pattern wants the digit at the end, where a suffix wants its letters; and a
prefix in lower case leaves no name in capitals. Names are built that should do, and judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from memorycode.protocols import Scorer
from memorycode.rules import Constraint, ObjectKind, Rule

_NAME_KINDS = ("prefix", "suffix", "contains", "digit", "case")
_CORES = ("n", "N", "Name", "")
"""One core for each case, and none."""

_CODE: dict[ObjectKind, str] = {
    "function": "def {name}(): pass",
    "function argument": "def f({name}): pass",
    "variable": "{name} = 0",
    "class": "class {name}: pass",
    "method": "class C:\n    def {name}(self): pass",
    "attribute": "class C:\n    def __init__(self):\n        self.{name} = 0",
}
"""The shortest code that has one object of a kind, and no other of that kind."""


def clashing(rules: Sequence[Rule], scorer: Scorer) -> frozenset[Rule]:
    """The rules that cannot hold together with some other one of them."""
    return frozenset(
        rule
        for group in _names_by_object(rules)
        for pair in combinations(group, 2)
        if not _some_name(pair, scorer)
        for rule in pair
    )


def satisfiable(rules: Iterable[Rule], scorer: Scorer) -> bool:
    """Whether for each object some name follows all of its rules.

    Rules that do not speak of names, and free patterns, are taken to stand in nobody's way.
    """
    return all(_some_name(group, scorer) for group in _names_by_object(rules))


def _names_by_object(rules: Iterable[Rule]) -> list[list[Rule]]:
    """The distinct rules that speak of names, those of one object together."""
    by_object: dict[ObjectKind, list[Rule]] = {}
    for rule in rules:
        if rule.object in _CODE and rule.constraint.kind in _NAME_KINDS:
            group = by_object.setdefault(rule.object, [])
            if rule not in group:
                group.append(rule)
    return list(by_object.values())


def _some_name(rules: Sequence[Rule], scorer: Scorer) -> bool:
    code = _CODE[rules[0].object]
    wanted = ["followed"] * len(rules)
    return any(
        scorer.judge(code.format(name=name), rules, [False] * len(rules)) == wanted
        for name in _candidates([rule.constraint for rule in rules])
        if name.isidentifier()
    )


def _candidates(constraints: list[Constraint]) -> Iterator[str]:
    values: dict[str, str] = {}
    for constraint in constraints:
        values[constraint.kind] = values.get(constraint.kind, "") + constraint.value
    prefix, inside, suffix = (values.get(kind, "") for kind in ("prefix", "contains", "suffix"))
    for core, digit in product(_CORES, ("", "1")):
        yield f"{prefix}{core}{inside}{suffix}{digit}"
        yield f"{prefix}{inside}{core}{suffix}{digit}"
        yield f"{prefix}{core}{digit}{inside}{suffix}"
