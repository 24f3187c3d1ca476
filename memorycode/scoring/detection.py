"""Which coding rules a text states.

A text is read sentence by sentence. Sentences make claims (`claims`); a claim that lacks its object
or its value is completed by its neighbours, or by the mentee who repeats it; claims then become
rules, of which the last version of each family holds. Rules of language only: nothing is learned,
values are open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from memorycode.rules import (
    OBJECT_KINDS,
    Constraint,
    ConstraintKind,
    Family,
    Frozen,
    ObjectKind,
    Rule,
    rule_from,
)
from memorycode.scoring.claims import NAMING, Claim, Group, Topic, groups_of, is_directive, is_pledge
from memorycode.scoring.naming import naming_claims
from memorycode.scoring.phrases import Token, tokens_of
from memorycode.scoring.presence import decorator_sources, presence_claims
from memorycode.scoring.turns import Sentence, sentences_of, turns_of

Wording = Literal["plain", "implied", "completed"]

_STEMS = (
    "function", "method", "class", "attribut", "variab", "argument", "param", "_", "@", "annotat",
    " hint", "hints", "assert", "docstring", "doc string", "doc-string", "comment", "decorat",
    "import", "module", "prefix", "suffix", "digit", "nam", "string", "snake", "camel", "pascal",
    "uppercase", "upper", "caps", "capital", "try stat", "try bl", "try-", "try/", "try cl",
    "try ex", "try'", "try`", "try and", "the same",
)  # fmt: skip
"""A sentence with none of these says nothing about code; they are looked for before anything."""

_QUOTED = re.compile(r"['\"`‘“]\w{1,20}['\"`’”]")
_OPEN = 20
"""How many incomplete claims are kept in mind."""

_MEMORY = 8
"""For how many turns what was said counts as just said."""

_CONFIRMS = re.compile(
    r"(?i)^\W*(?:yes|yeah|yep|exactly|correct|that[’']s (?:right|correct|it)|right|precisely|"
    r"absolutely|indeed|you got it)\b"
)
_ASKS_TO_BE_TOLD = re.compile(r"(?i)\b(?:you want|should i|do i|so i|just to (?:confirm|clarify))\b")
_SAME = re.compile(r"(?i)\bthe same\b|\bditto\b")
_DECORATED = ("function", "method", "class")
_NAMED_OBJECTS = ("function", "method", "class", "attribute", "variable", "function argument")


class Detection(Frozen):
    """A rule and where it is said: ``text[start:end]``.

    `wording` tells how: ``plain``; ``implied`` where the value is spelt out in words or where it
    goes is left to its looks; ``completed`` where the mentor left a part to the mentee.
    """

    rule: Rule
    start: int
    end: int
    wording: Wording = "plain"

    @property
    def family(self) -> Family:
        return self.rule.family


def detect(text: str, mentor: str | None = None) -> tuple[Detection, ...]:
    """The coding rules that hold after `text`, in the order stated.

    `mentor` is the name of the one who instructs; without it the one who does is guessed. A text
    without speaker labels is the mentor's word throughout.
    """
    reader = _Reader()
    turns = turns_of(text, mentor)
    reader.bare = len(turns) == 1 and not turns[0].start
    for number, turn in enumerate(turns):
        reader.pass_turn(turn.by_mentor, text[turn.start : min(turn.end, turn.start + 60)])
        if _may_matter(text[turn.start : turn.end]):
            for sentence in sentences_of(text, turn, number):
                if _may_matter(sentence.text):
                    reader.read(sentence)
    return reader.result()


def _may_matter(text: str) -> bool:
    low = text.lower()
    for stem in _STEMS:  # a loop: this is run on every sentence
        if stem in low:
            return True
    return _QUOTED.search(text) is not None


class _Parsed(NamedTuple):
    """A sentence read by itself."""

    claims: tuple[Claim, ...]
    groups: tuple[Group, ...]
    sources: tuple[str, ...]
    refers: int | None
    """The token that points back: *it*, *this decorator*."""
    of_decorators: bool
    same: bool
    """Whether it says *the same*."""


@lru_cache(maxsize=8192)
def _parse(text: str, bare: bool) -> _Parsed:
    tokens = tokens_of(text)
    groups = groups_of(tokens)
    claims = naming_claims(text, tokens, groups) + presence_claims(text, tokens, groups, bare)
    return _Parsed(
        claims=tuple(sorted(claims, key=lambda claim: claim.start)),
        groups=tuple(groups),
        sources=decorator_sources(tokens),
        refers=_referring(tokens),
        of_decorators="decorator" in text,
        same=_SAME.search(text) is not None,
    )


@dataclass
class _Reader:
    """The state of reading: what is talked of, what is incomplete, what holds."""

    bare: bool = False
    topic: tuple[str, ...] = ()
    topic_turn: int = -9
    turn: int = -1
    open: list[tuple[Claim, Sentence]] = field(default_factory=list)
    asked: list[tuple[Claim, Sentence]] = field(default_factory=list)
    last: Claim | None = None
    decorated: tuple[str, ...] = ()
    sources: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    past: dict[tuple[str, str], tuple[tuple[str, ...], int]] = field(default_factory=dict)
    said: dict[tuple[str, str], int] = field(default_factory=dict)
    holding: dict[Family, Detection] = field(default_factory=dict)

    def pass_turn(self, by_mentor: bool, opening: str) -> None:
        self.turn += 1
        if by_mentor:
            if self.asked and _CONFIRMS.match(opening):
                for claim, sentence in self.asked:
                    self._hold(claim, claim.objects, sentence, "completed")
            self.asked = []
        self._expire(self.turn - 2)

    def _expire(self, turn: int) -> None:
        """Give up on claims left open; a decorator goes where the decorators before it went."""
        for claim, sentence in self.open:
            if sentence.turn < turn and claim.topic == "decorator" and not claim.objects:
                if claim.forceful and self.decorated:
                    self._hold(claim, self.decorated, sentence, "implied")
        self.open = [pair for pair in self.open if pair[1].turn >= turn]

    def read(self, sentence: Sentence) -> None:
        parsed = _parse(sentence.text, self.bare)
        if sentence.by_mentor:
            self._mentor(sentence, parsed)
        elif parsed.claims or self.open:
            self._mentee(sentence, parsed)

    def result(self) -> tuple[Detection, ...]:
        self._expire(self.turn + 9)
        kept = (
            found
            for found in self.holding.values()
            if found.rule.object != "import" or found.rule.constraint.value not in self.sources
        )
        return tuple(sorted(kept, key=lambda found: (found.start, found.end)))

    def _mentor(self, sentence: Sentence, parsed: _Parsed) -> None:
        if (parsed.claims or self.open) and is_pledge(sentence.text):
            return
        self.sources.update(parsed.sources)
        if parsed.groups and self.open and is_directive(sentence.text):
            self._refer(parsed, "plain")
        for claim in parsed.claims:
            if claim.mood == "holds":
                self._state(claim, sentence)
            elif claim.mood == "withdrawn":
                self._withdraw(claim)
            elif claim.mood == "past" and claim.objects:
                self.past[claim.topic, claim.value] = claim.objects, self.turn
        self._announce(sentence, parsed)
        if parsed.same and not parsed.claims and self.last:
            self._repeat(sentence, parsed.groups)

    def _announce(self, sentence: Sentence, parsed: _Parsed) -> None:
        """Remember what is talked of: *now to method names*, *all functions get a decorator*."""
        for group in parsed.groups:
            if group.topical:
                self.topic, self.topic_turn = group.kinds, sentence.turn
        if parsed.groups and parsed.of_decorators:
            kinds = tuple(kind for kind in parsed.groups[0].kinds if kind in _DECORATED)
            self.decorated = kinds or self.decorated

    def _state(self, claim: Claim, sentence: Sentence) -> None:
        """Take a claim of the mentor's as a rule, or leave it open."""
        objects = claim.objects or self._recalled(claim)
        if not objects and self._is_said(claim):
            return
        if not objects and claim.topic in NAMING:
            if not is_directive(sentence.text):
                return
            if sentence.turn - self.topic_turn <= 2:
                objects = self.topic
        if objects and claim.forceful and self._complete(claim):
            self._hold(claim, objects, sentence, "implied" if claim.implied else "plain")
        else:
            self.open = [*self.open[-_OPEN:], (claim, sentence)]

    def _echoes(self, claim: Claim, old: Detection) -> bool:
        """Whether a value is the one just told, without its underscore: *why the letter 'x'?*"""
        told = old.rule.constraint.value
        just = self.turn - self.said.get((claim.topic, told), -99) <= _MEMORY
        return just and "_" in told and told.strip("_") == claim.value

    def _is_said(self, claim: Claim) -> bool:
        """Whether this was told a moment ago, so that less of it is a reminder."""
        return self.turn - self.said.get((claim.topic, claim.value), -99) <= _MEMORY

    def _recalled(self, claim: Claim) -> tuple[str, ...]:
        """The objects of an old rule that is told again: *remember to … ? Do so from now on*."""
        objects, turn = self.past.get((claim.topic, claim.value), ((), -99))
        return objects if self.turn - turn <= _MEMORY else ()

    def _withdraw(self, claim: Claim) -> None:
        """*You no longer need to …*: the rule it names holds no more."""
        objects = claim.objects or _NAMED_OBJECTS
        for _, family in _rules(claim.topic, claim.value, objects):
            found = self.holding.get(family)
            if found and claim.value in ("", found.rule.constraint.value):
                del self.holding[family]

    def _repeat(self, sentence: Sentence, groups: Sequence[Group]) -> None:
        """*Do the same with variable names*."""
        for group in groups:
            if group.named and self.last:
                again = self.last._replace(start=0, end=len(sentence.text.rstrip()))
                self._hold(again, group.kinds, sentence, "implied")

    def _refer(self, parsed: _Parsed, wording: Wording) -> None:
        """*Add this decorator to all your methods*: objects for what was left open."""
        if not parsed.groups or parsed.refers is None:
            return
        after = [group for group in parsed.groups if group.first > parsed.refers] or parsed.groups
        kinds = tuple(kind for kind in after[0].kinds if kind in _DECORATED)
        for pair in list(self.open) if kinds else []:
            claim, where = pair
            if not claim.objects and claim.topic not in NAMING:
                self._hold(claim, kinds, where, wording)
                self.open.remove(pair)

    def _mentee(self, sentence: Sentence, parsed: _Parsed) -> None:
        if sentence.asks:
            for claim in parsed.claims:
                if claim.objects and _ASKS_TO_BE_TOLD.search(sentence.text) and self._complete(claim):
                    self.asked = [*self.asked[-_OPEN:], (claim, sentence)]
            return
        for claim in parsed.claims:
            if claim.mood == "holds":
                self._acknowledge(claim, sentence)
        if self.open and is_pledge(sentence.text):
            self._refer(parsed, "completed")

    def _acknowledge(self, claim: Claim, sentence: Sentence) -> None:
        for pair in list(self.open):
            told, where = pair
            if told.topic != claim.topic or told.value not in ("", claim.value):
                continue
            if claim.topic in NAMING and not told.value and claim.value in self.values:
                continue
            objects = told.objects or claim.objects
            special = told.objects or told.topic == "decorator"
            if objects and (told.forceful or (special and is_pledge(sentence.text))):
                self._hold(claim, objects, where, "completed", told)
                self.open.remove(pair)

    def _complete(self, claim: Claim) -> bool:
        return bool(claim.value) or claim.topic not in ("prefix", "suffix", "contains")

    def _hold(
        self, claim: Claim, objects: tuple[str, ...], sentence: Sentence, wording: Wording,
        told: Claim | None = None,
    ) -> None:  # fmt: skip
        where = told or claim
        self.said[claim.topic, claim.value] = self.turn
        self.values = {*self.values, claim.value} if len(self.values) < _OPEN else {claim.value}
        if claim.topic in NAMING:
            self.last = claim
        for rule, family in _rules(claim.topic, claim.value, objects):
            old = self.holding.get(family)
            if old and (old.rule == rule or self._echoes(claim, old)):
                continue
            self.holding[family] = Detection(
                rule=rule,
                start=sentence.start + where.start,
                end=sentence.start + where.end,
                wording=wording,
            )


def _referring(tokens: Sequence[Token]) -> int | None:
    """The first *it*, *them*, *this decorator*."""
    for at, token in enumerate(tokens):
        if token.value in _PRONOUNS:
            return at
        if token.value in ("decorator", "decorators") and at:
            if tokens[at - 1].value in ("the", "this", "that", "these", "those"):
                return at
    return None


_PRONOUNS = frozenset({"it", "them", "these", "this", "both"})


@lru_cache(maxsize=4096)
def _rules(topic: Topic, value: str, objects: tuple[str, ...]) -> tuple[tuple[Rule, Family], ...]:
    """The rules a complete claim makes; objects that no rule of its topic speaks of are left out."""
    found = [_rule(topic, value, kind) for kind in objects]
    return tuple((rule, rule.family) for rule in found if rule is not None)


def _rule(topic: Topic, value: str, kind: str) -> Rule | None:
    if topic in NAMING:
        fits = kind in _NAMED_OBJECTS and (topic != "case" or kind == "class")
        name, constraint = kind, Constraint(kind=cast(ConstraintKind, topic), value=value)
    elif topic in ("decorator", "import"):
        name = "import" if topic == "import" else f"{kind} decorator"
        fits, constraint = name in OBJECT_KINDS, Constraint(kind="name", value=value)
    else:
        name = "comment" if topic == "comment" else f"{kind} {topic}"
        fits, constraint = name in OBJECT_KINDS, Constraint(kind="presence")
    return rule_from(cast(ObjectKind, name), constraint) if fits else None
