"""Reading a text sentence by sentence: incomplete claims are completed, later ones replace.

A claim that lacks its objects takes them from what is being talked of (*about method names: start
them with …*), from a later sentence that points back (*add this decorator to all methods*), or from
the mentee who repeats it. Of each family the last version holds; one that is taken back does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from memorycode.rules import Family
from memorycode.scoring.detection.claims import (
    DECORATED,
    NAMED_OBJECTS,
    NAMING,
    Claim,
    Group,
    Topic,
    groups_of,
)
from memorycode.scoring.detection.imports import import_claims
from memorycode.scoring.detection.moods import is_directive, is_forceful, is_pledge
from memorycode.scoring.detection.name_claims import naming_claims
from memorycode.scoring.detection.phrases import Token, tokens_of
from memorycode.scoring.detection.presence import decorator_sources, presence_claims
from memorycode.scoring.detection.stated import Detection, Wording, rules_of
from memorycode.transcripts import Sentence

_MOST_OPEN = 20
"""How many incomplete claims are kept in mind."""

_MEMORY = 8
"""For how many turns what was said counts as just said."""

_CARRY = 2
"""For how many turns a claim may wait for its completion, and a topic for a claim."""

_LONG_AGO = -99

_CONFIRMS = re.compile(
    r"(?i)^\W*(?:yes|yeah|yep|exactly|correct|that[’']s (?:right|correct|it)|right|precisely|"
    r"absolutely|indeed|you got it)\b"
)
_ASKS_FOR_RULE = re.compile(r"(?i)\b(?:you want|should i|do i|so i|just to (?:confirm|clarify))\b")
_SAME = re.compile(r"(?i)\bthe same\b|\bditto\b")
_POINTERS = frozenset({"it", "them", "these", "this", "both"})
_ARTICLES = frozenset({"the", "this", "that", "these", "those"})
_OF_PRESENCE = frozenset({"concept", "comment", "decorator"})
_OF_IMPORTS = frozenset({"import", "statement", "module"})


class _Parsed(NamedTuple):
    """A sentence read by itself.

    `sources` are modules that decorators come from; `points_back` is the token that refers to
    something said before (*it*, *this decorator*); `same` says whether it says *the same*.
    """

    claims: tuple[Claim, ...]
    groups: tuple[Group, ...]
    sources: tuple[str, ...]
    points_back: int | None
    of_decorators: bool
    same: bool


@lru_cache(maxsize=8192)
def _parse(text: str, bare: bool) -> _Parsed:
    tokens = tokens_of(text)
    groups = groups_of(tokens)
    return _Parsed(
        claims=tuple(sorted(_claims(text, tokens, groups, bare), key=lambda claim: claim.start)),
        groups=tuple(groups),
        sources=decorator_sources(tokens),
        points_back=_pointer(tokens),
        of_decorators="decorator" in text,
        same=_SAME.search(text) is not None,
    )


def _claims(text: str, tokens: Sequence[Token], groups: Sequence[Group], bare: bool) -> list[Claim]:
    claims = naming_claims(text, tokens, groups)
    parts = {token.part for token in tokens}
    if not parts & (_OF_PRESENCE | _OF_IMPORTS):
        return claims
    forceful = bare or is_forceful(text)  # notes oblige without saying so
    if parts & _OF_PRESENCE:
        claims += presence_claims(text, tokens, groups, forceful)
    if parts & _OF_IMPORTS:
        claims += import_claims(text, tokens, forceful, bare)
    return claims


def _pointer(tokens: Sequence[Token]) -> int | None:
    for at, token in enumerate(tokens):
        if token.value in _POINTERS:
            return at
        before = tokens[at - 1].value if at else ""
        if token.value in ("decorator", "decorators") and before in _ARTICLES:
            return at
    return None


class _Told(NamedTuple):
    """A claim with the sentence that makes it."""

    claim: Claim
    sentence: Sentence


@dataclass
class Reader:
    """What is talked of, what is incomplete and what holds, while a text is read.

    `bare` is a text without speakers: a rule by itself, a summary, a list of notes.
    """

    bare: bool
    _turn: int = -1
    _topic: tuple[str, ...] = ()
    _topic_turn: int = _LONG_AGO
    _decorated: tuple[str, ...] = ()
    _latest: Claim | None = None
    _open: list[_Told] = field(default_factory=list)
    _asked: list[_Told] = field(default_factory=list)
    _sources: set[str] = field(default_factory=set)
    _values: dict[str, None] = field(default_factory=dict)
    _past: dict[tuple[Topic, str], tuple[tuple[str, ...], int]] = field(default_factory=dict)
    _said: dict[tuple[Topic, str], int] = field(default_factory=dict)
    _holding: dict[Family, Detection] = field(default_factory=dict)

    def open_turn(self, opening: str, by_mentor: bool) -> None:
        """Begin a turn; a mentor who opens it with *yes* makes rules of what the mentee asked."""
        self._turn += 1
        if by_mentor:
            if _CONFIRMS.match(opening):
                for claim, sentence in self._asked:
                    self._hold(claim, claim.objects, sentence, "completed")
            self._asked = []
        self._expire(self._turn - _CARRY)

    def read(self, sentence: Sentence) -> None:
        parsed = _parse(sentence.text, self.bare)
        if sentence.by_mentor:
            self._hear_mentor(sentence, parsed)
        elif parsed.claims or self._open:
            self._hear_mentee(sentence, parsed)

    def result(self) -> tuple[Detection, ...]:
        """What holds, in the order stated."""
        self._expire(self._turn + 1)
        kept = [
            found
            for found in self._holding.values()
            if found.rule.object != "import" or found.rule.constraint.value not in self._sources
        ]
        return tuple(sorted(kept, key=lambda found: (found.start, found.end)))

    # ── the mentor ────────────────────────────────────────────────────────────────────────────

    def _hear_mentor(self, sentence: Sentence, parsed: _Parsed) -> None:
        if (parsed.claims or self._open) and is_pledge(sentence.text):
            return
        self._sources.update(parsed.sources)
        if self._open and parsed.groups and is_directive(sentence.text):
            self._complete_by(parsed, "plain")
        for claim in parsed.claims:
            if claim.mood == "holds":
                self._state(claim, sentence)
            elif claim.mood == "withdrawn":
                self._withdraw(claim)
            elif claim.mood == "past" and claim.objects:
                self._past[claim.topic, claim.value] = claim.objects, self._turn
        if parsed.same and not parsed.claims and self._latest:
            self._repeat(self._latest, sentence, parsed.groups)
        self._note_topic(parsed)

    def _note_topic(self, parsed: _Parsed) -> None:
        """Remember what is talked of: *now to method names*, *all functions get a decorator*."""
        for group in parsed.groups:
            if group.topical:
                self._topic, self._topic_turn = group.kinds, self._turn
        if parsed.groups and parsed.of_decorators:
            self._decorated = parsed.groups[0].only(DECORATED) or self._decorated

    def _state(self, claim: Claim, sentence: Sentence) -> None:
        """Take a claim as a rule, or leave it open."""
        objects = claim.objects or self._recalled(claim)
        if not objects and self._just_said(claim.topic, claim.value):
            return  # a reminder
        if not objects and claim.topic in NAMING:
            if not is_directive(sentence.text):
                return
            if self._turn - self._topic_turn <= _CARRY:
                objects = self._topic
        if objects and claim.forceful and claim.is_whole:
            self._hold(claim, objects, sentence, "implied" if claim.implied else "plain")
        else:
            self._open = [*self._open[-_MOST_OPEN:], _Told(claim, sentence)]

    def _recalled(self, claim: Claim) -> tuple[str, ...]:
        """The objects of an old rule that is told again: *remember our …? Do so from now on*."""
        objects, turn = self._past.get((claim.topic, claim.value), ((), _LONG_AGO))
        return objects if self._turn - turn <= _MEMORY else ()

    def _withdraw(self, claim: Claim) -> None:
        """*You no longer need to …*: the rule it names holds no more."""
        for _, family in rules_of(claim.topic, claim.value, claim.objects or NAMED_OBJECTS):
            found = self._holding.get(family)
            if found and claim.value in ("", found.rule.constraint.value):
                del self._holding[family]

    def _repeat(self, latest: Claim, sentence: Sentence, groups: Sequence[Group]) -> None:
        """*Do the same with variable names*."""
        again = latest._replace(start=0, end=len(sentence.text.rstrip()))
        for group in groups:
            if group.named:
                self._hold(again, group.kinds, sentence, "implied")

    # ── the mentee ────────────────────────────────────────────────────────────────────────────

    def _hear_mentee(self, sentence: Sentence, parsed: _Parsed) -> None:
        if sentence.asks:
            if _ASKS_FOR_RULE.search(sentence.text):
                whole = [c for c in parsed.claims if c.objects and c.is_whole]
                self._asked += [_Told(claim, sentence) for claim in whole]
            return
        for claim in parsed.claims:
            if claim.mood == "holds":
                self._acknowledge(claim, is_pledge(sentence.text))
        if self._open and is_pledge(sentence.text):
            self._complete_by(parsed, "completed")

    def _acknowledge(self, claim: Claim, pledged: bool) -> None:
        """Complete what the mentor left open by what the mentee makes of it."""
        for told, where in list(self._open):
            if told.topic != claim.topic or told.value not in ("", claim.value):
                continue
            if claim.topic in NAMING and not told.value and claim.value in self._values:
                continue  # it is another rule that the mentee repeats
            objects = told.objects or claim.objects
            specific = bool(told.objects) or told.topic == "decorator"
            if objects and (told.forceful or (specific and pledged)):
                whole = claim._replace(start=told.start, end=told.end)
                self._hold(whole, objects, where, "completed")
                self._open.remove(_Told(told, where))

    # ── both ──────────────────────────────────────────────────────────────────────────────────

    def _complete_by(self, parsed: _Parsed, wording: Wording) -> None:
        """*Add this decorator to all your methods*: objects for what was left open."""
        if parsed.points_back is None or not parsed.groups:
            return
        behind = [group for group in parsed.groups if group.first > parsed.points_back]
        kinds = (behind or parsed.groups)[0].only(DECORATED)
        for told in list(self._open) if kinds else []:
            if not told.claim.objects and told.claim.topic not in NAMING:
                self._hold(told.claim, kinds, told.sentence, wording)
                self._open.remove(told)

    def _expire(self, turn: int) -> None:
        """Give up claims open since before `turn`; a decorator goes where those before it went."""
        for claim, sentence in self._open:
            lost = sentence.turn < turn and claim.topic == "decorator" and not claim.objects
            if lost and claim.forceful and self._decorated:
                self._hold(claim, self._decorated, sentence, "implied")
        self._open = [told for told in self._open if told.sentence.turn >= turn]

    def _hold(
        self, claim: Claim, objects: tuple[str, ...], sentence: Sentence, wording: Wording
    ) -> None:
        self._said[claim.topic, claim.value] = self._turn
        if claim.topic in NAMING:
            self._latest = claim
            self._values[claim.value] = None
            if len(self._values) > _MOST_OPEN:
                del self._values[next(iter(self._values))]
        for rule, family in rules_of(claim.topic, claim.value, objects):
            old = self._holding.get(family)
            if old and (old.rule == rule or self._echoes(claim, old)):
                continue
            start = sentence.start
            self._holding[family] = Detection(
                rule=rule, start=start + claim.start, end=start + claim.end, wording=wording
            )

    def _just_said(self, topic: Topic, value: str) -> bool:
        return self._turn - self._said.get((topic, value), _LONG_AGO) <= _MEMORY

    def _echoes(self, claim: Claim, old: Detection) -> bool:
        """Whether a value is the one just told, without its underscore: *why the letter 'x'?*"""
        told = old.rule.constraint.value
        shortened = "_" in told and told.strip("_") == claim.value
        return shortened and self._just_said(claim.topic, told)
