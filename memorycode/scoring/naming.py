"""Claims about names: prefixes, suffixes, contained texts, digits and case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple, cast

from memorycode.scoring.claims import MOST_CLAIMS, Claim, Group, Topic, mood_of
from memorycode.scoring.phrases import Token

_VALUE = re.compile(r"[A-Za-z0-9_]{1,30}\Z")
_OLD = frozenset({"instead", "rather", "than", "replace", "replacing", "over", "formerly"})
_EXAMPLES = frozenset(
    "like e.g example examples instance named called become becomes be".split()
)
_LETTERS = frozenset({"letter", "letters", "character", "lowercase", "lower", "case", "a", "an", "the"})
_BRIDGE = frozenset(
    "as a an the prefix suffix for in of to on all your our any every each new python names name "
    "at beginning start end from now going forward always somewhere within them their its both "
    "any onto letter convention style format casing notation rule goes go comes come is are front must should be appear appears occur occurs belongs belong included part letters throughout into that whenever when you are you're naming defining creating writing declaring "
    "whatever kind inside throughout code , moving prefixed identifier string".split()
)
_IN = frozenset({"in", "within", "inside", "of", "from"})


_REACH = 30
"""Tokens before a value among which its cue is looked for."""


class Anchor(NamedTuple):
    """A constraint found in a sentence, before its objects are known; indices count tokens."""

    topic: Topic
    value: str
    first: int
    last: int
    implied: bool = False


def naming_claims(
    text: str, tokens: Sequence[Token], groups: Sequence[Group]
) -> list[Claim]:
    """The claims about names in a sentence, in order."""
    anchors = _anchors(tokens)
    if not anchors:
        return []
    claims = []
    group: Group | None = None
    since = 0
    for number, anchor in enumerate(anchors):
        until = anchors[number + 1].first if number + 1 < len(anchors) else len(tokens)
        own = _objects(tokens, groups, anchor, since, until)
        opener = min(anchor.first, own.first) if own else anchor.first
        group = own or group  # "start method names with 'x_' and end them with '_y'"
        shared = anchor.topic != "case" or any(
            token.value in ("they", "them", "it") for token in tokens[since : anchor.last]
        )
        claims.append(
            Claim(
                anchor.topic,
                anchor.value,
                group.kinds if group and (own or shared) else (),
                tokens[opener].start,
                tokens[anchor.last].end,
                mood_of(text, tokens, min(since, anchor.first), anchor.first),
                anchor.implied,
            )
        )
        since = max(anchor.last, own.last if own else 0) + 1
    return claims


def _anchors(tokens: Sequence[Token]) -> list[Anchor]:
    found: list[Anchor] = []
    for at, token in enumerate(tokens):
        if len(found) == MOST_CLAIMS:
            break
        since = max(found[-1].last + 1 if found else 0, at - _REACH)
        anchor: Anchor | None = None
        if token.part == "value":
            anchor = _affix(tokens, at, since, found[-1] if found else None)
        elif token.part == "digit":
            anchor = _digit(tokens, at, since)
        elif token.part == "case" and not _is_old(tokens, at):
            anchor = Anchor("case", token.value, at, at)
        elif token.part == "case" and found and found[-1].topic == "case":
            found[-1] = found[-1]._replace(last=at)
        elif token.value in _VAGUE and at + 1 < len(tokens):
            anchor = _unsaid(tokens, at + 1, since)
        if anchor:
            found.append(anchor)
    return found


_VAGUE = frozenset({"specific", "certain", "particular", "special", "unique"})


def _unsaid(tokens: Sequence[Token], at: int, since: int) -> Anchor | None:
    """*a specific prefix*: a value that is still to be told."""
    noun = tokens[at]
    if noun.value in ("prefix", "suffix") or noun.part == "text":
        if any(token.part in ("value", "digit") for token in tokens[since:]):
            return None
        topic: Topic = "contains" if noun.part == "text" else cast(Topic, noun.part)
        return Anchor(topic, "", at - 1, at)
    return None


# ── affixes and contained texts ───────────────────────────────────────────────────────────────


def _affix(
    tokens: Sequence[Token], at: int, since: int, previous: Anchor | None
) -> Anchor | None:
    value, last, spelt = _spelt_out(tokens, at)
    if not _VALUE.match(value) or value.isdigit() or _is_module(tokens, at) or _is_aside(tokens, at, since):
        return None
    before = _cue_before(tokens, at, since, spelt)
    noun = _cue_after(tokens, last)
    includes = before and before[0] == "contains" and _says_text(tokens, before[1], at)
    if noun and not (includes and _shape(value) is None):
        topic, end = noun
        return Anchor(topic, value, _opening(tokens, at, since, before), end, spelt)
    if _appears(tokens, last):
        return Anchor("contains", value, at, last, spelt)
    rank = _ranked(tokens, last)
    if rank and not before:
        return Anchor(rank, value, at, last, spelt)
    if before:
        topic, first = before
        if topic == "contains" and not (includes and _shape(value) is None):
            topic = _cue_at_edge(tokens, last) or topic
        shown = _as_in_example(tokens, last, value, topic)
        return Anchor(topic, shown, first, last, spelt or shown != value)
    edge = _cue_at_edge(tokens, last)
    if edge:
        return Anchor(edge, value, at, last, spelt)
    shape = _shape(value)
    verb = _verb_before(tokens, at, since)
    if shape and verb is not None:
        return Anchor(shape, value, verb, last, True)
    if shape and previous and previous.topic == shape and _contrasts(tokens, at):
        return Anchor(shape, value, at, last, spelt)
    if shape and previous and previous.topic == shape and _has_object(tokens, since, at):
        return Anchor(shape, value, at, last, spelt)
    if tokens[at].end - tokens[at].start > len(value) and _lies_in_names(tokens, last):
        return Anchor("contains", value, at, last, spelt)
    return None


def _contrasts(tokens: Sequence[Token], at: int) -> bool:
    """*not with 'x_' but with 'y_'*."""
    return any(token.value == "but" for token in tokens[max(0, at - 3) : at])


def _lies_in_names(tokens: Sequence[Token], last: int) -> bool:
    """*'x' in all variable names*, *'x' in it*."""
    behind = tokens[last + 1 : last + 7]
    if len(behind) < 2 or behind[0].value != "in":
        return False
    if behind[1].value in ("it", "them"):
        return True
    clause = takewhile(lambda token: token.part != "stop", behind)
    return any(token.part == "object" and token.named for token in clause)


def _ranked(tokens: Sequence[Token], at: int) -> Topic | None:
    """*'x_' comes first*."""
    words = [token.value for token in tokens[at + 1 : at + 3]]
    if words[:1] and words[0] in ("comes", "goes", "stands"):
        return {"first": cast(Topic, "prefix"), "last": cast(Topic, "suffix")}.get(words[-1])
    return None


def _opening(
    tokens: Sequence[Token], at: int, since: int, before: tuple[Topic, int] | None
) -> int:
    """Where the words that lead to the value begin."""
    if before:
        return before[1]
    verb = _verb_before(tokens, at, since)
    return at if verb is None else verb


def _as_in_example(tokens: Sequence[Token], last: int, value: str, topic: Topic) -> str:
    """*with a lower case 'm', such as 'm_number'*: the example shows the underscore."""
    if len(value) > 3 or "_" in value:
        return value
    for token in tokens[last + 1 :]:
        if token.part == "value" and topic == "prefix" and token.value.startswith(value + "_"):
            return value + "_"
        if token.part == "value" and topic == "suffix" and token.value.endswith("_" + value):
            return "_" + value
    return value


def _is_module(tokens: Sequence[Token], at: int) -> bool:
    """*the 'pedantic' module*, *from 'pedantic'*, *the 'total' function*."""
    following = tokens[at + 1].part if at + 1 < len(tokens) else ""
    if following == "object" and not tokens[at + 1].named and "_" not in tokens[at].value:
        return True
    before = [token.value for token in tokens[max(0, at - 2) : at]]
    return following == "module" or ("from" in before and following != "word")


def _spelt_out(tokens: Sequence[Token], at: int) -> tuple[str, int, bool]:
    """The value with an underscore that is said in words, where it ends, and whether it was."""
    value = tokens[at].value
    after = [token.value for token in tokens[at + 1 : at + 7]]
    if "underscore" in after and "_" not in value:
        place = after.index("underscore")
        if all(word in (",", "followed", "by", "an", "and", "then", "with", "plus") for word in after[:place]):
            return value + "_", at + 1 + place, True
    before = [token.value for token in tokens[max(0, at - 6) : at]]
    if "underscore" in before and "_" not in value:
        place = before.index("underscore")
        link = before[place + 1 :]
        if all(word in ("followed", "by", "and", "then", "plus") or word in _LETTERS for word in link):
            return "_" + value, at, True
    return value, at, False


def _is_old(tokens: Sequence[Token], at: int) -> bool:
    """*instead of CamelCase*, *from CamelCase to …*."""
    before = [token.value for token in tokens[max(0, at - 3) : at]]
    following = tokens[at + 1].value if at + 1 < len(tokens) else ""
    return any(word in _OLD for word in before) or (before[-1:] == ["from"] and following == "to")


def _is_aside(tokens: Sequence[Token], at: int, since: int) -> bool:
    """Whether the value is an old one or an example: *instead of 'x_'*, *like 'x_total'*."""
    before = [token.value for token in tokens[max(since, at - 4) : at]]
    following = tokens[at + 1].value if at + 1 < len(tokens) else ""
    if before and before[-1] == "from" and following == "to":
        return True
    if before[-2:] == ["such", "as"] or before[-1:] in (["not"], ["was"]):
        return True
    if before[-2:] == ["no", "longer"]:
        return True
    near = before[-3:]
    if any(word in _OLD for word in near):
        return True
    return any(word in _EXAMPLES for word in before[-2:]) and "prefix" not in near and "suffix" not in near


def _appears(tokens: Sequence[Token], at: int) -> bool:
    """*'x' appears somewhere in*, *'x' belongs in*, *'x' must be part of*."""
    words = [token.value for token in tokens[at + 1 : at + 5]]
    return any(word in _APPEAR for word in words[:3]) or ["part", "of"] == words[-2:]


_APPEAR = frozenset({"appear", "appears", "occur", "occurs", "belongs", "belong", "included"})


def _cue_after(tokens: Sequence[Token], at: int) -> tuple[Topic, int] | None:
    """*'x_' as a prefix*, *the 'x_' prefix*: the place, and where it is said."""
    window = tokens[at + 1 : at + 6]
    as_what = bool(window) and window[0].value == "as"
    for place, token in enumerate(window, at + 1):
        if token.value in ("prefix", "suffix"):
            return ("prefix" if token.value == "prefix" else "suffix"), place
        if token.part != "word" or not (as_what or token.value in _BEFORE_NOUN):
            break
    return None


_BEFORE_NOUN = frozenset("a an the their your is our be should common single".split())


def _cue_at_edge(tokens: Sequence[Token], at: int) -> Topic | None:
    """*at the beginning*, *to the end*."""
    window = tokens[at + 1 : at + 6]
    for place, token in enumerate(window[:-2]):
        if token.part in ("value", "stop"):
            break
        if token.value == "in" and window[place + 1].value == "front":
            return "prefix"
        if token.value in ("at", "to", "in", "onto") and window[place + 1].value == "the":
            edge = window[place + 2].value
            if edge in ("beginning", "start", "front"):
                return "prefix"
            if edge in ("end", "back", "tail"):
                return "suffix"
    return None


def _cue_before(
    tokens: Sequence[Token], at: int, since: int, spelt: bool
) -> tuple[Topic, int] | None:
    """The nearest word before the value that says where the value goes."""
    text: int | None = None
    for back in range(at - 1, since - 1, -1):
        token = tokens[back]
        if token.part == "prefix" and not _is_onset(tokens, back):
            return "prefix", back
        if token.part == "suffix":
            return "suffix", back
        if token.part == "contains":
            return "contains", back
        if token.part == "text" and back >= at - 2 and not spelt:
            text = back
        if token.part == "verb" and token.value not in ("with", "of"):
            edge = _cue_at_edge(tokens, at)
            if edge or text is None:
                return (edge, back) if edge else None
            break
    return None if text is None else ("contains", text)


def _is_onset(tokens: Sequence[Token], at: int) -> bool:
    """*start using*, *start to*: the beginning of a habit, not of a name."""
    following = tokens[at + 1].value if at + 1 < len(tokens) else ""
    return following == "to" or (following.endswith("ing") and following != "naming")


def _says_text(tokens: Sequence[Token], first: int, at: int) -> bool:
    return any(token.part == "text" for token in tokens[first : at])


def _shape(value: str) -> Topic | None:
    if value.endswith("_") and not value.startswith("_"):
        return "prefix"
    return "suffix" if value.startswith("_") and not value.endswith("_") else None


def _has_object(tokens: Sequence[Token], since: int, at: int) -> bool:
    return any(token.part == "object" for token in tokens[since:at])


def _verb_before(tokens: Sequence[Token], at: int, since: int) -> int | None:
    """*use 'x_'*, *switch to 'x_'*: a verb that leaves open where the value goes."""
    for back in range(at - 1, max(since, at - 6) - 1, -1):
        if tokens[back].part == "verb" and tokens[back].value != "with":
            return back
    return None


# ── digits ────────────────────────────────────────────────────────────────────────────────────


def _digit(tokens: Sequence[Token], at: int, since: int) -> Anchor | None:
    token = tokens[at]
    following = tokens[at + 1].value if at + 1 < len(tokens) else ""
    if token.value == "number" and following == "of":
        return None
    for back in range(at - 1, max(since, at - 12) - 1, -1):
        part = "contains" if tokens[back].value == "followed" else tokens[back].part
        if part in ("contains", "suffix") or (part in ("verb", "prefix") and not _is_onset(tokens, back)):
            near = at - back <= 4
            if token.value != "number" or near:
                return Anchor("digit", "", back, at)
    after = [token.value for token in tokens[at + 1 : at + 6]]
    if token.value != "number" and ("included" in after or "present" in after):
        return Anchor("digit", "", at, at)
    behind = tokens[at + 1 : at + 8]
    if token.value != "number" and any(t.part == "object" and t.named for t in behind):
        return Anchor("digit", "", at, at)
    return None


# ── objects ───────────────────────────────────────────────────────────────────────────────────


def _objects(
    tokens: Sequence[Token], groups: Sequence[Group], anchor: Anchor, since: int, until: int
) -> Group | None:
    """The objects of an anchor: between its words, right after it, or before it in the sentence."""
    inside = [g for g in groups if max(since, anchor.first) <= g.first <= anchor.last]
    before = [g for g in groups if since <= g.first < anchor.first]
    before = [g for g in before if not _stands_for(tokens, g)] or before
    if inside and before and _stands_for(tokens, inside[0]):
        return before[-1]
    if inside:
        return next((g for g in inside if not _is_place(tokens, g)), inside[0])
    after = [g for g in groups if anchor.last < g.first < until]
    if after and _is_bridged(tokens, anchor.last + 1, after[0].first, bool(before)):
        return after[0]
    if before:
        free = [g for g in before if not _is_place(tokens, g)]
        return (free or before)[-1]
    return None


def _stands_for(tokens: Sequence[Token], group: Group) -> bool:
    """*the variable name*, for whatever is being named."""
    before = tokens[group.first - 1].value if group.first else ""
    return group.kinds == ("variable",) and group.first == group.last and before == "the"


def _is_bridged(tokens: Sequence[Token], first: int, last: int, chosen: bool) -> bool:
    """Whether only linking words stand between; no comma where another object can be `chosen`."""
    between = tokens[first:last]
    return len(between) <= 12 and all(
        token.value in _BRIDGE and not (chosen and token.part == "stop") for token in between
    )


def _is_place(tokens: Sequence[Token], group: Group) -> bool:
    """*in your classes*: where something is, not what is named."""
    if group.named:
        return False
    before = [token.value for token in tokens[max(0, group.first - 5) : group.first]]
    return any(word in _IN for word in before)
