"""The most rules on one kind of name that a single name can follow.

A name has a beginning, letters inside, an end, and traits (its case, a digit). A beginning obeys
the prefixes that it begins with and no others, an end likewise; what must be inside can always be
put together; only traits ask something of all the parts. So there are few kinds of name to tell
apart, however many rules there are. Names of each kind are built and judged, the most promising
first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

from memorycode.protocols import Scorer
from memorycode.rules import ObjectKind, Rule

MOST_NAMES = 500
"""Names judged for the rules of one object; rules that people mean are done after a few."""

LONGEST_NAME = 4_000
"""Characters of a name that is judged."""

CODE: Mapping[ObjectKind, str] = {
    "function": "def {name}(): pass",
    "function argument": "def f({name}): pass",
    "variable": "{name} = 0",
    "class": "class {name}: pass",
    "method": "class C:\n    def {name}(self): pass",
    "attribute": "class C:\n    def __init__(self):\n        self.{name} = 0",
}
"""The shortest code that has one object of a kind, and no other of that kind."""

_CORES = ("n", "N", "Name", "N1", "__", "")
"""One core for each case, one for capitals in CamelCase, one without letters, and none."""


class Fit(NamedTuple):
    """How many of an object's rules one name is known to follow, each counted with its weight.

    Some name does follow so many. Without `is_best` the search ended at its bounds, and another
    name may follow more.
    """

    followed: int
    is_best: bool


def best_fit(weights: Mapping[Rule, int], scorer: Scorer) -> Fit:
    """The most of some rules on the names of one object, given with their weights."""
    if not weights:
        return Fit(0, True)
    return _Search(weights, scorer).run()


def follows_all(rules: Sequence[Rule], scorer: Scorer) -> bool:
    """Whether a name is found that follows all of these rules on the names of one object."""
    return _Search(dict.fromkeys(rules, 1), scorer).go_together(rules)


class _End(NamedTuple):
    """What a name begins or ends with, and the rules that this obeys."""

    text: str
    rules: tuple[Rule, ...]
    weight: int


class _Sketch(NamedTuple):
    """A kind of name; none of it follows more than `bound`."""

    bound: int
    prefix: _End
    suffix: _End
    traits: tuple[Rule, ...]
    contained: tuple[Rule, ...]


class _Plan(NamedTuple):
    """Names of one sketch that are meant to follow `rules`; `is_whole` if its letters had room."""

    bound: int
    rules: tuple[Rule, ...]
    names: Iterator[str]
    is_whole: bool


class _Search:
    def __init__(self, weights: Mapping[Rule, int], scorer: Scorer) -> None:
        self._weights, self._scorer = weights, scorer
        self._code = CODE[next(iter(weights)).object]
        self._met: dict[tuple[Rule, str, str], bool] = {}

    def go_together(self, rules: Sequence[Rule]) -> bool:
        """Whether a name is found that follows all of these."""
        of = _by_kind(rules)
        prefix, suffix = _longest(of["prefix"]), _longest(of["suffix"])
        if not all(prefix.startswith(rule.constraint.value) for rule in of["prefix"]):
            return False
        if not all(suffix.endswith(rule.constraint.value) for rule in of["suffix"]):
            return False
        inside, _ = _put_together(of["contains"], prefix, suffix)
        names = _names(prefix, inside, suffix, [*of["digit"], *of["case"]])
        return any(len(self._followed(name, rules)) == len(rules) for name in names)

    def run(self) -> Fit:
        """Look for the name that follows the most."""
        # Rules that no name can follow would only keep the others waiting.
        rules = [rule for rule in self._weights if self.go_together((rule,))]
        rules.sort(key=lambda rule: -self._weights[rule])
        best, judged, is_best = 0, 0, True
        for plan in self._plans(rules):
            if plan.bound <= best:
                break
            is_best = is_best and plan.is_whole
            for name in plan.names:
                if self._weight(plan.rules) <= best:
                    break
                if judged == MOST_NAMES:
                    return Fit(best, False)
                judged += 1
                best = max(best, self._weight(self._followed(name, plan.rules)))
        return Fit(best, is_best)

    def _plans(self, rules: Sequence[Rule]) -> Iterator[_Plan]:
        for sketch in sorted(self._sketches(rules), key=lambda sketch: -sketch.bound):
            ends = sketch.prefix.text, sketch.suffix.text
            for chosen in _choices(sketch):
                inside, held = _put_together(chosen, *ends)
                yield _Plan(
                    sketch.bound,
                    (*sketch.prefix.rules, *sketch.suffix.rules, *sketch.traits, *held),
                    _names(ends[0], inside, ends[1], sketch.traits),
                    len(held) == len(chosen),
                )

    def _sketches(self, rules: Sequence[Rule]) -> Iterator[_Sketch]:
        for traits in _subsets([rule for rule in rules if is_trait(rule)]):
            if traits and not self.go_together(traits):
                continue
            of = _by_kind(rule for rule in rules if self._fits(rule, traits))
            contained = tuple(of["contains"])
            both = self._weight((*traits, *contained))
            prefixes = self._ends(of["prefix"], _beginnings)
            suffixes = self._ends(of["suffix"], _endings)
            for prefix, suffix in _pairs(prefixes, suffixes):
                bound = prefix.weight + suffix.weight + both
                yield _Sketch(bound, prefix, suffix, traits, contained)

    def _fits(self, rule: Rule, traits: Sequence[Rule]) -> bool:
        """Whether a rule with a value can hold beside each of some traits."""
        return not is_trait(rule) and all(self._meets(trait, rule) for trait in traits)

    def _meets(self, trait: Rule, rule: Rule) -> bool:
        key = trait, rule.constraint.kind, shape_of(rule.constraint.value)
        if key not in self._met:
            self._met[key] = self.go_together((trait, rule))
        return self._met[key]

    def _ends(self, rules: Sequence[Rule], pieces: Callable[[str], Iterable[str]]) -> list[_End]:
        """What is worth trying at one end, the heaviest first; nothing at all is worth it too.

        Of those with the same sorts of letters one is enough: traits cannot tell them apart.
        """
        by_value: dict[str, list[Rule]] = {}
        for rule in rules:
            by_value.setdefault(rule.constraint.value, []).append(rule)
        heaviest = {"": _End("", (), 0)}
        for value in by_value:
            obeyed = tuple(rule for piece in pieces(value) for rule in by_value.get(piece, ()))
            end = _End(value, obeyed, self._weight(obeyed))
            shape = shape_of(value)
            if shape not in heaviest or heaviest[shape].weight < end.weight:
                heaviest[shape] = end
        return sorted(heaviest.values(), key=lambda end: -end.weight)

    def _followed(self, name: str, rules: Sequence[Rule]) -> list[Rule]:
        code = self._code.format(name=name)
        verdicts = self._scorer.judge(code, rules, [False] * len(rules))
        return [
            rule for rule, verdict in zip(rules, verdicts, strict=True) if verdict == "followed"
        ]

    def _weight(self, rules: Iterable[Rule]) -> int:
        return sum(self._weights[rule] for rule in rules)


def _longest(rules: Iterable[Rule]) -> str:
    return max((rule.constraint.value for rule in rules), key=len, default="")


def is_trait(rule: Rule) -> bool:
    """Whether it asks something of all the letters of a name."""
    return rule.constraint.kind in ("digit", "case")


def _by_kind(rules: Iterable[Rule]) -> Mapping[str, list[Rule]]:
    by_kind: defaultdict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        by_kind[rule.constraint.kind].append(rule)
    return by_kind


def _subsets(rules: Sequence[Rule]) -> Iterator[tuple[Rule, ...]]:
    sizes = range(len(rules), -1, -1)
    return chain.from_iterable(combinations(rules, size) for size in sizes)


def _pairs(prefixes: Sequence[_End], suffixes: Sequence[_End]) -> Iterator[tuple[_End, _End]]:
    """All pairs that may be among the `MOST_NAMES` heaviest, both lists being sorted."""
    for position, prefix in enumerate(prefixes, 1):
        for suffix in suffixes[: MOST_NAMES // position + 1]:
            yield prefix, suffix


def _beginnings(value: str) -> Iterator[str]:
    return (value[:end] for end in range(1, len(value) + 1))


def _endings(value: str) -> Iterator[str]:
    return (value[start:] for start in range(len(value)))


def shape_of(value: str) -> str:
    """The sorts of letters in a value: of more than two in a row, two."""
    sorts = "".join(_sort(letter) for letter in value)
    return re.sub(r"(.)\1{2,}", r"\1\1", sorts)


def _sort(letter: str) -> str:
    if letter.isdecimal():
        return "1"
    if letter.isascii() and letter.isalpha():
        return "a" if letter.islower() else "A"
    return letter


def _choices(sketch: _Sketch) -> Iterator[Sequence[Rule]]:
    """What to put inside: all that fits; and, in case one digit may be all, no second one."""
    yield sketch.contained
    if any(rule.constraint.kind == "digit" for rule in sketch.traits):
        ends = sketch.prefix.text, sketch.suffix.text
        digits = sum(map(_digits, ends))
        chosen = []
        for rule in sketch.contained:
            value = rule.constraint.value
            more = 0 if any(value in end for end in ends) else _digits(value)
            if digits + more <= 1:
                digits += more
                chosen.append(rule)
        if len(chosen) < len(sketch.contained):
            yield chosen


def _digits(text: str) -> int:
    return sum(map(str.isdecimal, text))


def _put_together(rules: Sequence[Rule], prefix: str, suffix: str) -> tuple[str, list[Rule]]:
    """Letters that contain the values of rules, where the ends do not; and the rules with room."""
    room = LONGEST_NAME - len(prefix) - len(suffix) - 10
    text, held = "", []
    for rule in sorted(rules, key=lambda rule: -len(rule.constraint.value)):
        value = rule.constraint.value
        if value not in prefix and value not in suffix and value not in text:
            if len(text) + len(value) > room:
                continue
            text = _overlapped(text, value)
        held.append(rule)
    return text, held


def _names(prefix: str, inside: str, suffix: str, traits: Sequence[Rule]) -> Iterator[str]:
    """Names of these parts, in the ways that may make a difference to the traits."""
    if len(prefix) + len(inside) + len(suffix) > LONGEST_NAME:
        return iter(())
    cores = _CORES if traits else _CORES[:1]
    digits = ("", "1") if any(rule.constraint.kind == "digit" for rule in traits) else ("",)
    names = [
        name
        for core, digit in product(cores, digits)
        for name in (
            f"{prefix}{core}{inside}{suffix}{digit}",
            f"{prefix}{core}{digit}{inside}{suffix}",
        )
    ]
    names.append(_overlapped(_overlapped(prefix, inside), suffix))
    return (
        name for name in dict.fromkeys(names) if len(name) <= LONGEST_NAME and name.isidentifier()
    )


def _overlapped(text: str, end: str) -> str:
    """The two with as many letters in common as can be: a digit in both then counts once."""
    longest = min(len(text), len(end))
    shared = next(n for n in range(longest, -1, -1) if text.endswith(end[:n]))
    return text + end[shared:]
