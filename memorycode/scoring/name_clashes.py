"""Which rules on the names of one object cannot hold together with some other one.

A dialogue may tell thousands of rules, so not every pair is tried. Letters can be put together in
any number: two rules on letters stand in each other's way at a beginning or an end alone, and these
are compared as texts. Names are built and judged for what is left: traits, which ask something of
all the letters, and letters that Python or a scorer reads in a way of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product

from memorycode.protocols import Scorer
from memorycode.rules import Rule
from memorycode.scoring.name_search import follows_all, is_trait, shape_of

_LAST = "\U0010ffff"
"""Stands in no name, and behind every letter that does."""


def clashing_names(rules: Sequence[Rule], scorer: Scorer) -> frozenset[Rule]:
    """Of distinct rules on the names of one object those that no name follows together with some
    other one of them."""
    if len(rules) < 2:
        return frozenset()
    if any(rule.constraint.value.isascii() and not follows_all((rule,), scorer) for rule in rules):
        return frozenset(rules)  # what no name can do, none can do with something else
    beginnings = {rule: rule.constraint.value for rule in _of_kind(rules, "prefix")}
    ends = {rule: rule.constraint.value[::-1] for rule in _of_kind(rules, "suffix")}
    found = {*_apart(beginnings), *_apart(ends)}
    place = {rule: number for number, rule in enumerate(rules)}
    together: dict[tuple[Rule, str, str], bool] = {}
    for one, other in _doubtful(rules):
        if one == other or (one in found and other in found):
            continue
        key = one, other.constraint.kind, _letters(one, other)
        if key not in together:
            together[key] = follows_all(sorted((one, other), key=place.__getitem__), scorer)
        if not together[key]:
            found |= {one, other}
    return frozenset(found)


def _of_kind(rules: Sequence[Rule], *kinds: str) -> list[Rule]:
    return [rule for rule in rules if rule.constraint.kind in kinds]


def _apart(texts: Mapping[Rule, str]) -> Iterator[Rule]:
    """The rules whose text neither begins with that of each other one nor is its beginning."""
    counts = Counter(texts.values())
    ordered = sorted(texts.values())
    for rule, text in texts.items():
        shorter = sum(counts[text[:end]] for end in range(1, len(text)))
        longer = bisect_left(ordered, f"{text}{_LAST}") - bisect_left(ordered, text)
        if shorter + longer < len(texts):
            yield rule


def _doubtful(rules: Sequence[Rule]) -> Iterator[tuple[Rule, Rule]]:
    """The pairs that texts do not decide. Of letters these are the beginning and the end of a name
    like ``__init__``, and what Python normalizes."""
    foreign = (rule for rule in rules if not rule.constraint.value.isascii())
    special = [r for r in _of_kind(rules, "prefix") if r.constraint.value.startswith("__")]
    ends = [
        rule
        for rule in _of_kind(rules, "suffix", "contains")
        if rule.constraint.value.endswith("__")
    ]
    traits = filter(is_trait, rules)
    return chain(product(traits, rules), product(special, ends), product(foreign, rules))


def _letters(one: Rule, other: Rule) -> str:
    """What makes a difference to whether the first holds together with the other."""
    value = other.constraint.value
    return shape_of(value) if is_trait(one) and not is_trait(other) else value
