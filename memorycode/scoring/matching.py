"""Does a name match a rule's regular expression? The one place where patterns meet names.

Nothing here is slow, whatever the pattern and whatever the name. The release's forms have
equivalents that are linear in the length of the name. Any other pattern is left to `re` where its
worst case is small, and to the `regex` package with a time limit where it is not. A match that is
not found in that time is none: no answer gains by a name that keeps the matcher busy.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any

from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN, Constraint, constraint_of
from memorycode.scoring.parsing import quiet

MAX_PATTERN = 500
"""Longer patterns match nothing: compiling them could take longer than matching."""

MATCH_SECONDS = 0.05
"""CPU time for one name and one pattern of no known form."""

TOTAL_SECONDS = 0.25
"""CPU time for all the names and patterns of no known form that one answer is judged by."""

_MAX_STEPS = 1_000_000
"""`re` may try that much at worst: some hundredths of a second."""

_MAX_REPEATS = 10_000
"""`regex` writes out what is repeated; this bounds the memory for it."""

# The release's pattern for CamelCase nests one star in another, and backtracks exponentially. Read
# as a language it is short: a capital, then nothing, or anything that does not open with a capital
# (each later capital follows a small letter or digit, which may open a group).
_LINEAR = {
    CASE_PATTERNS["camel"]: r"^[A-Z](?:[a-z\d][A-Za-z\d]*)?$",
    CASE_PATTERNS["upper"]: CASE_PATTERNS["upper"],
    CASE_PATTERNS["snake"]: CASE_PATTERNS["snake"],
    DIGIT_PATTERN: DIGIT_PATTERN,
}

_COUNTED = re.compile(r"\{(\d*),?(\d*)\}")
_REPEATED_GROUP = re.compile(r"\)[*+{]")
_BACK_REFERENCE = re.compile(r"\\\d|\(\?(?:P=|\()")
# Literal to `re`; to `regex` the start of a fuzzy match and of a class of POSIX.
_ONLY_REGEX = re.compile(r"(\\.)|(?:(?<=\[):|\{(?!\d*,\d*\}|\d+\}))", re.DOTALL)
# Folding the case of a range of all of Unicode takes `re` a hundredth of a second each time.
_WIDE_FOLDING = re.compile(r"\(\?[a-zA-Z]*i")
_WIDE = re.compile(r"[^\x00-\x7f]|\\[uUN]")


@dataclass(slots=True)
class Budget:
    """CPU seconds left for patterns of no known form."""

    seconds: float = TOTAL_SECONDS

    def spend(self, work: Callable[[float], bool]) -> bool:
        """What `work` says, given the seconds it may take; False once nothing is left."""
        if self.seconds <= 0:
            return False
        start = time.thread_time()
        try:
            return work(min(self.seconds, MATCH_SECONDS))
        finally:
            self.seconds -= time.thread_time() - start


def match_name(pattern: str, name: str, budget: Budget | None = None) -> bool:
    """Whether `pattern` matches at the start of `name`, as `re.match` has it.

    False for a pattern that does not compile, that is longer than `MAX_PATTERN` or cannot be
    compiled within bounds, and for a match that is not found in time. `budget` is what the calls
    for one answer share.
    """
    known, unknown = _matcher(pattern)
    if known is not None:
        return bool(known(name))
    return unknown.matches(name, Budget() if budget is None else budget)


Known = Callable[[str], Any]
"""Its result is true or false as a condition."""


@lru_cache(maxsize=1024)
def _matcher(pattern: str) -> tuple[Known | None, _Unknown]:
    return _known(pattern), _Unknown(pattern)


def _known(pattern: str) -> Known | None:
    if len(pattern) > MAX_PATTERN:
        return _nothing
    if pattern in _LINEAR:
        return re.compile(_LINEAR[pattern]).match
    return None if "\n" in pattern else _literal(constraint_of(pattern))


def _nothing(name: str) -> bool:  # noqa: ARG001  whatever the name
    return False


def _literal(constraint: Constraint) -> Known | None:
    """A dot does not match a line end, and a dollar forgives one at the end of the text."""
    text = constraint.value
    match constraint.kind:
        case "prefix":
            return lambda name: name.startswith(text)
        case "suffix":
            return lambda name: _ends_with(name.removesuffix("\n"), text)
        case "contains":
            return lambda name: text in name.partition("\n")[0]
        case _:
            return None


def _ends_with(line: str, text: str) -> bool:
    return line.endswith(text) and "\n" not in line


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[1] else f"\\{found[0]}"


class _Unknown:
    """A pattern that may be as hostile as it likes; nothing is compiled before it is asked for."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def matches(self, name: str, budget: Budget) -> bool:
        return budget.spend(lambda seconds: self._search(name, seconds))

    def _search(self, name: str, seconds: float) -> bool:
        if self._plain is None:
            return False
        if self._steps(len(name)) <= _MAX_STEPS:
            return self._plain.match(name) is not None
        if self._timed is None:
            return False
        try:
            return self._timed.match(name, timeout=seconds) is not None
        except (TimeoutError, MemoryError):
            return False

    @cached_property
    def _plain(self) -> re.Pattern[str] | None:
        if _WIDE_FOLDING.search(self._pattern) and _WIDE.search(self._pattern):
            return None
        try:
            with quiet():
                return re.compile(self._pattern)
        except (re.error, OverflowError, RecursionError, ValueError):
            return None

    @cached_property
    def _timed(self) -> Any | None:
        counts = _COUNTED.findall(self._pattern)
        if prod(max(1, *(int(n or 1) for n in count)) for count in counts) > _MAX_REPEATS:
            return None
        import regex

        try:
            with quiet():
                return regex.compile(_ONLY_REGEX.sub(_escaped, self._pattern))
        except Exception:  # what it has no words for, it does not match
            return None

    def _steps(self, length: int) -> float:
        """The most that backtracking can try: each loop ends anywhere, each choice doubles."""
        pattern = self._pattern
        if self._is_tangled:
            return float("inf")
        loops = pattern.count("*") + pattern.count("+") + pattern.count("{")
        choices = pattern.count("|") + pattern.count("?")
        return float(length + 1) ** min(loops, 20) * 2.0**choices * (length + len(pattern))

    @cached_property
    def _is_tangled(self) -> bool:
        found = _REPEATED_GROUP.search(self._pattern) or _BACK_REFERENCE.search(self._pattern)
        return found is not None
