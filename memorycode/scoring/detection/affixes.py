"""Where a quoted text or a bare affix belongs: at a name's start, its end, or anywhere in it.

The place is told by a word before the value (*start … with 'x_'*), by one after it (*'x_' as a
prefix*), or by the value's own looks (*use 'x_' for …*).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import NamedTuple

from memorycode.scoring.detection.claims import Topic, values
from memorycode.scoring.detection.phrases import Token


class Anchor(NamedTuple):
    """A constraint found in a sentence, before its objects are known; indices count tokens."""

    topic: Topic
    value: str
    first: int
    last: int
    implied: bool = False


class _Spot(NamedTuple):
    """A value and where it stands: from `at` to `last`; its cue is sought from `since` on."""

    tokens: Sequence[Token]
    value: str
    at: int
    last: int
    since: int
    spelt: bool
    previous: Anchor | None

    def before(self, n: int) -> list[str]:
        """The up to `n` words before the value, as far as `since`."""
        return values(self.tokens[max(self.since, self.at - n) : self.at])

    def after(self, n: int) -> Sequence[Token]:
        return self.tokens[self.last + 1 : self.last + 1 + n]

    def anchor(self, topic: Topic, first: int | None = None, implied: bool = False) -> Anchor:
        opening = self.at if first is None else first
        return Anchor(topic, self.value, opening, self.last, implied or self.spelt)


_VALUE = re.compile(r"(?!\d+\Z)[A-Za-z0-9_]{1,30}\Z")
_OLD = frozenset({"instead", "rather", "than", "replace", "replacing", "over", "formerly"})
_EXAMPLES = frozenset("like e.g example examples instance named called become becomes be".split())
_FOLLOWED = frozenset({",", "followed", "by", "an", "and", "then", "with", "plus"})
_LETTER = _FOLLOWED | frozenset("letter letters character lowercase lower case a the".split())
_APPEAR = frozenset({"appear", "appears", "occur", "occurs", "belongs", "belong", "included"})
_BEFORE_NOUN = frozenset("a an the their your is our be should common single".split())
_STARTS = frozenset({"beginning", "start", "front"})
_ENDS = frozenset({"end", "back", "tail"})


def affix_at(
    tokens: Sequence[Token], at: int, since: int, previous: Anchor | None
) -> Anchor | None:
    """The constraint that the value at `at` makes, if it is one on names."""
    value, last, spelt = _spelt_out(tokens, at)
    spot = _Spot(tokens, value, at, last, since, spelt, previous)
    if not _VALUE.match(value) or _is_other(spot) or _is_aside(spot):
        return None
    return next((anchor for way in _WAYS if (anchor := way(spot))), None)


def is_old(tokens: Sequence[Token], at: int) -> bool:
    """*instead of CamelCase*, *from CamelCase to …*."""
    before = values(tokens[max(0, at - 3) : at])
    following = tokens[at + 1].value if at + 1 < len(tokens) else ""
    return bool(_OLD & {*before}) or (before[-1:] == ["from"] and following == "to")


def is_onset(tokens: Sequence[Token], at: int) -> bool:
    """*start using*, *start to*: the beginning of a habit, not of a name."""
    following = tokens[at + 1].value if at + 1 < len(tokens) else ""
    return following == "to" or (following.endswith("ing") and following != "naming")


# ── what the value is ─────────────────────────────────────────────────────────────────────────


def _spelt_out(tokens: Sequence[Token], at: int) -> tuple[str, int, bool]:
    """The value with an underscore that is said in words, where it ends, and whether it was."""
    value = tokens[at].value
    after, before = values(tokens[at + 1 : at + 7]), values(tokens[max(0, at - 6) : at])
    if "_" not in value and "underscore" in after:
        place = after.index("underscore")
        if {*after[:place]} <= _FOLLOWED:
            return value + "_", at + 1 + place, True
    if "_" not in value and "underscore" in before:
        place = before.index("underscore")
        if {*before[place + 1 :]} <= _LETTER:
            return "_" + value, at, True
    return value, at, False


def _is_other(spot: _Spot) -> bool:
    """*the 'pedantic' module*, *from 'pedantic'*, *the 'total' function*."""
    following = next(iter(spot.after(1)), None)
    if following is None or following.part == "word":
        return False
    if following.part == "object" and not following.named and "_" not in spot.value:
        return True
    before = values(spot.tokens[max(0, spot.at - 2) : spot.at])
    return following.part == "module" or "from" in before


def _is_aside(spot: _Spot) -> bool:
    """Whether the value is an old one or an example: *instead of 'x_'*, *like 'x_total'*."""
    near = spot.before(3)
    following = values(spot.after(1))
    if near[-1:] == ["from"] and following == ["to"]:
        return True
    if near[-2:] in (["such", "as"], ["no", "longer"]) or near[-1:] in (["not"], ["was"]):
        return True
    if _OLD & {*near}:
        return True
    return bool(_EXAMPLES & {*near[-2:]}) and not {"prefix", "suffix"} & {*near}


def _shape(value: str) -> Topic | None:
    """Where an affix goes by its underscore."""
    if value.endswith("_") == value.startswith("_"):
        return None
    return "prefix" if value.endswith("_") else "suffix"


# ── where it goes: the ways to tell, the surest first ─────────────────────────────────────────


def _by_noun(spot: _Spot) -> Anchor | None:
    """*'x_' as a prefix*, *the 'x_' prefix*."""
    window = spot.after(5)
    as_what = bool(window) and window[0].value == "as"
    for place, token in enumerate(window, spot.last + 1):
        if token.value in ("prefix", "suffix"):
            if _includes_string(spot):
                return None
            topic: Topic = "prefix" if token.value == "prefix" else "suffix"
            cue = _cue(spot)
            first = cue[1] if cue else _verb(spot)
            return spot._replace(last=place).anchor(topic, first)
        if token.part != "word" or not (as_what or token.value in _BEFORE_NOUN):
            return None
    return None


def _by_appearance(spot: _Spot) -> Anchor | None:
    """*'x' appears somewhere in*, *'x' must be part of*."""
    words = values(spot.after(4))
    appears = bool(_APPEAR & {*words[:3]}) or words[-2:] == ["part", "of"]
    return spot.anchor("contains") if appears else None


def _by_cue(spot: _Spot) -> Anchor | None:
    """*start … with 'x_'*, *include the string 'x'*."""
    cue = _cue(spot)
    if cue is None:
        return None
    topic, first = cue
    if topic == "contains" and not _includes_string(spot):
        topic = _edge(spot) or topic
    shown = _as_in_example(spot, topic)
    return spot._replace(value=shown).anchor(topic, first, shown != spot.value)


def _by_rank(spot: _Spot) -> Anchor | None:
    """*'x_' comes first*."""
    words = values(spot.after(2))
    if words[:1] in (["comes"], ["goes"], ["stands"]) and words[1:] in (["first"], ["last"]):
        return spot.anchor("prefix" if words[1] == "first" else "suffix")
    return None


def _by_edge(spot: _Spot) -> Anchor | None:
    """*'x_' at the beginning of*."""
    topic = _edge(spot)
    return spot.anchor(topic) if topic else None


def _by_shape(spot: _Spot) -> Anchor | None:
    """*use 'x_' for …*: the underscore tells the place."""
    topic, verb = _shape(spot.value), _verb(spot)
    return spot.anchor(topic, verb, True) if topic and verb is not None else None


def _by_likeness(spot: _Spot) -> Anchor | None:
    """*… with 'x_' and methods with 'y_'*, *not with 'x_' but with 'y_'*: as the one before."""
    topic = _shape(spot.value)
    if topic is None or spot.previous is None or spot.previous.topic != topic:
        return None
    between = spot.tokens[spot.since : spot.at]
    alike = any(token.part == "object" for token in between) or "but" in spot.before(3)
    return spot.anchor(topic) if alike else None


def _in_names(spot: _Spot) -> Anchor | None:
    """*'x' in all variable names*, *'x' in it*; the value is quoted."""
    token, behind = spot.tokens[spot.at], spot.after(6)
    if token.end - token.start == len(spot.value) or values(behind[:1]) != ["in"]:
        return None
    clause = takewhile(lambda later: later.part != "stop", behind)
    lies = values(behind[1:2]) in (["it"], ["them"]) or any(later.named for later in clause)
    return spot.anchor("contains") if lies else None


_WAYS: tuple[Callable[[_Spot], Anchor | None], ...] = (
    _by_noun, _by_appearance, _by_cue, _by_rank, _by_edge, _by_shape, _by_likeness, _in_names,
)  # fmt: skip


def _cue(spot: _Spot) -> tuple[Topic, int] | None:
    """The nearest word before the value that says where it goes, and that word's index."""
    text: int | None = None
    for back in range(spot.at - 1, spot.since - 1, -1):
        token = spot.tokens[back]
        if token.part == "prefix" and not is_onset(spot.tokens, back):
            return "prefix", back
        if token.part in ("suffix", "contains"):
            return "suffix" if token.part == "suffix" else "contains", back
        if token.part == "text" and back >= spot.at - 2 and not spot.spelt:
            text = back  # "the string 'x'", unless the name ends with it
        if token.part == "verb" and token.value != "with":
            edge = None if text is not None else _edge(spot)
            if edge:
                return edge, back
            break
    return None if text is None else ("contains", text)


def _edge(spot: _Spot) -> Topic | None:
    """*at the beginning*, *to the end*, *in front of*."""
    words = values(list(takewhile(lambda t: t.part not in ("value", "stop"), spot.after(5))))
    for place, word in enumerate(words[:-2]):
        if word == "in" and words[place + 1] == "front":
            return "prefix"
        edge = words[place + 2] if words[place + 1] == "the" else ""
        if word in ("at", "to", "in", "onto") and edge in _STARTS | _ENDS:
            return "prefix" if edge in _STARTS else "suffix"
    return None


def _verb(spot: _Spot) -> int | None:
    """*use 'x_'*, *switch to 'x_'*: a verb that leaves open where the value goes."""
    for back in range(spot.at - 1, max(spot.since, spot.at - 6) - 1, -1):
        if spot.tokens[back].part == "verb" and spot.tokens[back].value != "with":
            return back
    return None


def _includes_string(spot: _Spot) -> bool:
    """*include the string 'x'*: anywhere, whatever place is added; an affix has its own place."""
    cue = _cue(spot)
    if cue is None or cue[0] != "contains" or _shape(spot.value):
        return False
    return any(token.part == "text" for token in spot.tokens[cue[1] : spot.at])


def _as_in_example(spot: _Spot, topic: Topic) -> str:
    """*with a lower case 'm', such as 'm_number'*: the example shows the underscore."""
    value = spot.value
    if len(value) > 3 or "_" in value:
        return value
    for token in spot.tokens[spot.last + 1 :]:
        if token.part == "value" and topic == "prefix" and token.value.startswith(value + "_"):
            return value + "_"
        if token.part == "value" and topic == "suffix" and token.value.endswith("_" + value):
            return "_" + value
    return value
