"""Can one name follow several rules at once, under the official patterns?

The official digit pattern wants the digit at the end, where a suffix wants its letters; and a
prefix in lower case leaves no name in capitals. A name is built that should do, and tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product

from memorycode.rules import Constraint, Rule

_NAME_KINDS = ("prefix", "suffix", "contains", "digit", "case")
_CORES = ("n", "N", "Name")
"""One core for each case."""


def satisfiable(rules: Iterable[Rule]) -> bool:
    """Whether for each object some name matches all of its rules.

    Rules that do not speak of names, and free patterns, are taken to stand in nobody's way.
    """
    by_object: dict[str, list[Rule]] = {}
    for rule in rules:
        if rule.constraint.kind in _NAME_KINDS:
            by_object.setdefault(rule.object, []).append(rule)
    return all(_some_name(group) for group in by_object.values())


def _some_name(rules: list[Rule]) -> bool:
    patterns = [re.compile(str(rule.check)) for rule in rules]
    return any(
        name.isidentifier() and all(pattern.match(name) for pattern in patterns)
        for name in _candidates([rule.constraint for rule in rules])
    )


def _candidates(constraints: list[Constraint]) -> Iterator[str]:
    values: dict[str, str] = {}
    for constraint in constraints:
        values[constraint.kind] = values.get(constraint.kind, "") + constraint.value
    prefix, inside, suffix = (values.get(kind, "") for kind in ("prefix", "contains", "suffix"))
    for core, digit in product((*_CORES, ""), ("", "1")):
        yield f"{prefix}{core}{inside}{suffix}{digit}"
        yield f"{prefix}{inside}{core}{suffix}{digit}"
