"""Names that keep to several rules at once: a prefix, words, a contained text, a digit, a suffix.

Rules may clash: no name ends both in ``_a`` and in a digit, as the release's patterns for the two
demand. A `NameForm` is therefore chosen as the one that satisfies most, counted under both
readings of a rule: the official one (the release's pattern) and the strict one (what it says).
"""

from __future__ import annotations

import itertools
import keyword
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memorycode.rules import Constraint
from memorycode.scoring.matching import match_name

Case = Literal["snake", "camel", "upper"]

MAX_LENGTH = 60
"""Prefixes, suffixes, decorators and modules longer than this are noise and are not written."""

_MAX_MATCHED = 16
"""Unknown patterns are tried on names up to this length only: they may be slow to match."""

_DIGIT = "1"
_STEM = "\0"
"""Stands for the words while a form is judged: no rule may hold by the luck of the words."""

_STEMS = (
    *("item", "items", "Item", "ITEM", "get_item", "is_item", "new_item", "my_item", "itemName"),
    *("ItemName", "item1", "Item1", "ITEM1", "item_1", "item_10", "_item", "__item", "item_"),
    *("tmp", "data", "a", "b", "i", "x", "X", "n1", "foo"),
)
"""Names to try where a rule's pattern has no known form."""


@dataclass(frozen=True)
class NameForm:
    """How names of one kind of object are written; `fixed` is the whole name where it is set."""

    before: str = ""
    after: str = ""
    case: Case = "snake"
    fixed: str = ""

    def name(self, words: tuple[str, ...]) -> str:
        """The name made of lower-case words: always an identifier and never a keyword."""
        if self.fixed:
            return self.fixed
        stem = in_case(words, self.case)
        name = f"{self.before}{stem}{self.after}"
        if is_name(name):
            return name
        # The words may spell a keyword; one word more cannot.
        return f"{self.before}{in_case((*words, 'value'), self.case)}{self.after}"

    @property
    def sample(self) -> str:
        """A name of this form with a placeholder for the words."""
        return self.fixed or f"{self.before}{_STEM}{self.after}"

    @property
    def example(self) -> str:
        """A name of this form."""
        return self.name(("two", "words"))


def in_case(words: tuple[str, ...], case: Case) -> str:
    """The words as one name: ``two_lists``, ``TwoLists`` or ``TWO_LISTS``."""
    if case == "camel":
        return "".join(word.capitalize() for word in words)
    joined = "_".join(words)
    return joined.upper() if case == "upper" else joined


def is_name(text: str) -> bool:
    """Whether Python reads `text` as this very name (identifiers are normalised when parsed)."""
    return (
        text.isidentifier()
        and not keyword.iskeyword(text)
        and (text.isascii() or unicodedata.normalize("NFKC", text) == text)
    )


def is_dotted_name(text: str) -> bool:
    """Whether `text` is a name, or names joined by dots, as decorators and modules are."""
    return len(text) <= MAX_LENGTH and all(is_name(part) for part in text.split("."))


@lru_cache(maxsize=4096)
def choose_form(constraints: tuple[Constraint, ...], default: Case) -> NameForm:
    """The form that satisfies most of the constraints, which are given in the order told.

    Among equals, the one that follows what was told later wins. `default` is the case of a name
    for which none was asked. Constraints that no name can hold are passed over.
    """
    usable = tuple(c for c in constraints if _is_usable(c))
    if not usable:
        return NameForm(case=default)
    return max(_forms(usable, default), key=lambda form: _merit(form, usable))


def _is_usable(constraint: Constraint) -> bool:
    value = constraint.value
    match constraint.kind:
        case "prefix" | "suffix" | "contains":
            return len(value) <= MAX_LENGTH and is_name(f"a_{value}_a")
        case kind:
            return kind in ("digit", "case", "pattern")


def _forms(constraints: tuple[Constraint, ...], default: Case) -> Iterator[NameForm]:
    """The plain form, then every form that might do, the fullest first."""
    values: dict[str, str] = {c.kind: c.value for c in constraints}
    yield NameForm(case=default)
    cases: tuple[Case, ...] = ("snake", "camel", "upper")
    stated = [case for case in cases if case == values.get("case")]
    for case in dict.fromkeys((*stated, default)):
        forms = (NameForm(before, after, case) for before, after in _affixes(values, case))
        for form in forms:
            if "pattern" in values:
                names = (f"{form.before}{stem}{form.after}" for stem in _STEMS)
                yield from (NameForm(fixed=name) for name in names if is_name(name))
            elif is_name(form.example):
                yield form


def _affixes(values: dict[str, str], case: Case) -> Iterator[tuple[str, str]]:
    """What stands before and after the words: each part used or not, the digit here or there."""
    digits = ((_DIGIT, ""), ("", _DIGIT), ("", "")) if "digit" in values else (("", ""),)
    parts = [dict.fromkeys((values.get(k, ""), "")) for k in ("prefix", "contains", "suffix")]
    for prefix, contained, suffix in itertools.product(*parts):
        before = prefix if case == "camel" or prefix.endswith("_") or not prefix else f"{prefix}_"
        for inner, last in digits:
            yield before, f"{_joined(contained, case)}{inner}{_joined(suffix, case)}{last}"


def _joined(part: str, case: Case) -> str:
    return part if case == "camel" or part.startswith("_") or not part else f"_{part}"


def _merit(form: NameForm, constraints: tuple[Constraint, ...]) -> tuple[int, tuple[int, ...]]:
    points = [_holds_officially(form, c) + _holds_strictly(form, c) for c in constraints]
    return sum(points), tuple(reversed(points))


def _holds_officially(form: NameForm, constraint: Constraint) -> bool:
    """Whether names of this form match the release's pattern, whatever the words."""
    if constraint.kind == "digit":
        return form.sample[-1].isdigit()
    if (constraint.kind, constraint.value) == ("case", "camel") and form.example[1:2].isupper():
        return False
    return _holds_strictly(form, constraint)


def _holds_strictly(form: NameForm, constraint: Constraint) -> bool:
    """Whether names of this form do what the rule says, whatever the words."""
    name, value = form.sample, constraint.value
    match constraint.kind:
        case "prefix":
            return name.startswith(value)
        case "suffix":
            return name.endswith(value)
        case "contains":
            return value in name
        case "digit":
            return sum(map(str.isdigit, name)) == 1
        case "case":
            return _has_case(form.example, value)
        case _:
            return _matches(value, name)


def _has_case(name: str, case: str) -> bool:
    # Not by the release's patterns: the one for CamelCase is slow beyond measure on long names.
    match case:
        case "upper":
            return name.isascii() and name[:1].isalpha() and name == name.upper()
        case "camel":
            return name.isascii() and name.isalnum() and name[0].isupper() and not name.isupper()
        case _:
            return name.isascii() and name == name.lower()


def _matches(pattern: str, name: str) -> bool:
    try:
        return len(name) <= _MAX_MATCHED and match_name(pattern, name)
    except (re.error, RecursionError, OverflowError):
        return False
