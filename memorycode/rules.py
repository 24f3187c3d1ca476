"""What a rule checks: objects, checks in the release's form, what they mean, and families.

A *check* is what the release stores beside an object: a regular expression on names, ``True`` or
``False`` (the object is present, or is not), or ``(name, True)`` (a decorator or module of that
name). A `Constraint` is the meaning of a check, so that a reader of text, a writer of code and a
scorer need not read regular expressions. `rule_from` and `constraint_of` go back and forth.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, get_args

from memorycode.frozen import Frozen

ObjectKind = Literal[
    "function",
    "function argument",
    "function docstring",
    "function try",
    "function assert",
    "function annotation",
    "function decorator",
    "class",
    "class decorator",
    "method",
    "method docstring",
    "method try",
    "method assert",
    "method annotation",
    "method decorator",
    "attribute",
    "variable",
    "import",
    "comment",
]
"""The kinds of code object a rule can speak of (the paper's appendix A)."""

OBJECT_KINDS: tuple[ObjectKind, ...] = get_args(ObjectKind)

ConstraintKind = Literal[
    "prefix", "suffix", "contains", "digit", "case", "presence", "name", "pattern"
]

Check = bool | str | tuple[str, bool]

CASE_PATTERNS: dict[str, str] = {
    "upper": r"\b[A-Z][A-Z0-9_]*\b",
    "camel": r"^[A-Z][a-z0-9]*((\d|[a-z])[A-Z\d]*[a-z0-9]*)*$",
    "snake": r"^[a-z0-9_]*$",
}
"""The release's three patterns for the case of a name."""

DIGIT_PATTERN = r".*\d$"
"""The release's pattern for "include a single digit", though it asks for a digit at the end."""

_CASE_OF_PATTERN = {pattern: case for case, pattern in CASE_PATTERNS.items()}
_LITERAL = r"((?:[^\\^$.|?*+()\[\]{}]|\\[^\w])+)"
_PREFIX = re.compile(rf"\^{_LITERAL}\.\*\Z")
_SUFFIX = re.compile(rf"\.\*{_LITERAL}\$\Z")
_CONTAINS = re.compile(rf"\.\*{_LITERAL}\.\*\Z")


class Constraint(Frozen):
    """What a check means.

    `value` is the prefix, suffix or contained text; ``upper``, ``camel`` or ``snake`` for *case*;
    the decorator's or module's name for *name*; the regular expression for *pattern*; empty for
    *digit* and *presence*. `positive` is False for the two forms that forbid (``False`` and
    ``(name, False)``).
    """

    kind: ConstraintKind
    value: str = ""
    positive: bool = True


class Family(Frozen):
    """An instruction whatever its version; a later version replaces an earlier one of its family.

    `name` is set where the name is part of the family (decorators, imports, unknown patterns).
    """

    object: ObjectKind
    kind: ConstraintKind
    name: str = ""

    @property
    def number(self) -> int | None:
        """The release's number of this family, 0 to 50, where it has one."""
        return _RELEASE_NUMBERS.get((self.object, self.kind, self.name))


class Rule(Frozen):
    """An object and the check on it, in the release's form."""

    object: ObjectKind
    check: Check

    @property
    def constraint(self) -> Constraint:
        return constraint_of(self.check)

    @property
    def family(self) -> Family:
        constraint = self.constraint
        named = constraint.kind in ("name", "pattern")
        return Family(
            object=self.object, kind=constraint.kind, name=constraint.value if named else ""
        )


@lru_cache(maxsize=4096)
def constraint_of(check: Check) -> Constraint:
    """The meaning of a check; a regular expression of no known form is a *pattern*."""
    if isinstance(check, bool):
        return Constraint(kind="presence", positive=check)
    if isinstance(check, tuple):
        return Constraint(kind="name", value=check[0], positive=check[1])
    if check in _CASE_OF_PATTERN:
        return Constraint(kind="case", value=_CASE_OF_PATTERN[check])
    if check == DIGIT_PATTERN:
        return Constraint(kind="digit")
    forms: tuple[tuple[ConstraintKind, re.Pattern[str]], ...] = (
        ("prefix", _PREFIX),
        ("contains", _CONTAINS),
        ("suffix", _SUFFIX),
    )
    for kind, form in forms:
        if match := form.match(check):
            return Constraint(kind=kind, value=re.sub(r"\\(.)", r"\1", match[1]))
    return Constraint(kind="pattern", value=check)


def rule_from(object: ObjectKind, constraint: Constraint) -> Rule:
    """The rule in the release's form, the inverse of `constraint_of`."""
    escaped = re.escape(constraint.value)
    checks: dict[ConstraintKind, Check] = {
        "prefix": f"^{escaped}.*",
        "suffix": f".*{escaped}$",
        "contains": f".*{escaped}.*",
        "digit": DIGIT_PATTERN,
        "case": CASE_PATTERNS.get(constraint.value, ""),
        "presence": constraint.positive,
        "name": (constraint.value, constraint.positive),
        "pattern": constraint.value,
    }
    return Rule(object=object, check=checks[constraint.kind])


def _release_numbers() -> dict[tuple[str, str, str], int]:
    names = ("function", "variable", "method", "attribute", "function argument")
    table: list[tuple[str, str, str]] = [("class", "case", "")]
    for kind in ("contains", "prefix", "suffix"):
        table += [(name, kind, "") for name in names]
    table += [
        (kind, "presence", "")
        for kind in (
            "function annotation",
            "method annotation",
            "method try",
            "function try",
            "method assert",
            "function assert",
            "method docstring",
            "function docstring",
            "comment",
        )
    ]
    table += [
        ("import", "name", module)
        for module in ("secrets", "locale", "mailbox", "bz2", "gzip", "hashlib")
    ]
    for decorator in ("retry", "count_calls", "rename_kwargs", "require_kwargs"):
        table += [(f"{kind} decorator", "name", decorator) for kind in ("function", "method")]
    table += [
        ("function decorator", "name", "timer"),
        ("function decorator", "name", "trace"),
        ("method decorator", "name", "validate"),
        ("function decorator", "name", "validate"),
        ("class decorator", "name", "timer_class"),
        ("class decorator", "name", "trace_class"),
    ]
    table += [(name, "digit", "") for name in (*names, "class")]
    return {family: number for number, family in enumerate(table)}


_RELEASE_NUMBERS = _release_numbers()
