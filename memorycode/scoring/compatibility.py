"""Can one name follow several rules at once, as a scorer sees it?

The official digit pattern wants the digit at the end, where a suffix wants its letters; and a
prefix in lower case leaves no name in capitals. Names are built that should do, and judged: what is
said to be possible is, and what is said to be not could only be done by a name that nobody thinks
of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memorycode.protocols import Scorer
from memorycode.rules import ObjectKind, Rule
from memorycode.scoring.name_clashes import clashing_names
from memorycode.scoring.name_search import CODE, Fit, best_fit, follows_all

_NAME_KINDS = ("prefix", "suffix", "contains", "digit", "case")


def clashing(rules: Sequence[Rule], scorer: Scorer) -> frozenset[Rule]:
    """The rules that cannot hold together with some other one of them."""
    groups = _names_by_object(rules)
    return frozenset().union(*(clashing_names(group, scorer) for group in groups))


def satisfiable(rules: Iterable[Rule], scorer: Scorer) -> bool:
    """Whether for each object some name follows all of its rules.

    Rules that do not speak of names, and free patterns, are taken to stand in nobody's way.
    """
    return all(follows_all(group, scorer) for group in _names_by_object(rules))


def most_followed(weights: Mapping[Rule, int], scorer: Scorer) -> Fit:
    """How many of one object's rules one name can follow; each counts with its weight.

    Rules that do not speak of names, and free patterns, count as followed.
    """
    named = {rule: weight for rule, weight in weights.items() if _is_of_names(rule)}
    others = sum(weight for rule, weight in weights.items() if rule not in named)
    fit = best_fit(named, scorer)
    return Fit(fit.followed + others, fit.is_best)


def _names_by_object(rules: Iterable[Rule]) -> list[list[Rule]]:
    """The distinct rules that speak of names, those of one object together."""
    by_object: dict[ObjectKind, dict[Rule, None]] = {}
    for rule in rules:
        if _is_of_names(rule):
            by_object.setdefault(rule.object, {})[rule] = None
    return [list(group) for group in by_object.values()]


def _is_of_names(rule: Rule) -> bool:
    return rule.object in CODE and rule.constraint.kind in _NAME_KINDS
