"""Does a name follow a rule on names, by what the rule means? For the strict scorer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from memorycode.rules import Constraint, constraint_of
from memorycode.scoring.matching import MAX_PATTERN, Budget, match_name

_ONE_DIGIT = re.compile(r"\D*\d\D*")


def all_follow(check: str, names: Iterable[str], budget: Budget) -> bool:
    """Whether every name follows the check; a pattern of no known form is matched as it stands."""
    meaning = _meaning(check)
    if meaning is not None:
        return all(map(meaning, names))
    return all(match_name(check, name, budget) for name in names)


def any_follows(check: str, names: Iterable[str], budget: Budget) -> bool:
    """Whether some name follows the check."""
    return any(all_follow(check, (name,), budget) for name in names)


@lru_cache(maxsize=1024)
def _meaning(check: str) -> Callable[[str], bool] | None:
    return None if len(check) > MAX_PATTERN else _test_of(constraint_of(check))


def _test_of(constraint: Constraint) -> Callable[[str], bool] | None:
    text = constraint.value
    match constraint.kind:
        case "prefix":
            return lambda name: name.startswith(text)
        case "suffix":
            return lambda name: name.endswith(text)
        case "contains":
            return lambda name: text in name
        case "digit":
            return _has_one_digit
        case "case":
            return _CASES[text]
        case _:
            return None


def _has_one_digit(name: str) -> bool:
    """Exactly one decimal digit of any script (``\\d``), anywhere; ² and Ⅳ are none."""
    return _ONE_DIGIT.fullmatch(name) is not None


def _is_upper(name: str) -> bool:
    """No lower-case letter."""
    if name.isascii():
        return name == name.upper()
    return not any(map(str.islower, name))


def _is_snake(name: str) -> bool:
    """No upper-case letter: what is left in a name is lower-case letters, digits, underscores."""
    if name.isascii():
        return name == name.lower()
    return not any(map(str.isupper, name))


def _is_camel(name: str) -> bool:
    """A capital, and no underscore. Acronyms are admitted: ``LRUCache``."""
    return name[:1].isupper() and "_" not in name


_CASES: dict[str, Callable[[str], bool]] = {
    "upper": _is_upper,
    "snake": _is_snake,
    "camel": _is_camel,
}
