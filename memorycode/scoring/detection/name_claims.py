"""Claims about names: prefixes, suffixes, contained texts, digits and case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from memorycode.scoring.detection.affixes import Anchor, affix_at, is_old, is_onset
from memorycode.scoring.detection.claims import MOST_CLAIMS, Claim, Group, values
from memorycode.scoring.detection.moods import mood_of
from memorycode.scoring.detection.phrases import Token

_REACH = 30
"""Tokens before a value among which its cue is looked for."""

_VAGUE = frozenset({"specific", "certain", "particular", "special", "unique"})
_BRIDGE = frozenset(
    "as a an the prefix suffix for in of to on all your our any every each both new python code "
    "names name identifier string letter letters convention style format casing notation rule "
    "kind at beginning start front end into onto inside within throughout somewhere from now "
    "going moving forward always them their its that whenever when whatever you are you're is "
    "naming defining creating writing declaring goes go comes come must should be appear appears "
    "occur occurs belongs belong included part prefixed ,".split()
)
"""Words that may stand between a constraint and the objects named after it."""

_INSIDE = frozenset({"in", "within", "inside", "of", "from"})
_PRONOUNS = frozenset({"they", "them", "it"})


def naming_claims(text: str, tokens: Sequence[Token], groups: Sequence[Group]) -> list[Claim]:
    """The claims about names in a sentence, in order."""
    claims: list[Claim] = []
    anchors = _anchors(tokens)
    group: Group | None = None
    since = 0
    for number, anchor in enumerate(anchors):
        until = anchors[number + 1].first if number + 1 < len(anchors) else len(tokens)
        own = _objects(tokens, groups, anchor, since, until)
        group = own or group  # "start method names with 'x_' and end them with '_y'"
        shared = own is not None or anchor.topic != "case" or bool(
            _PRONOUNS & {*values(tokens[since : anchor.last])}
        )  # fmt: skip
        opening = min(anchor.first, own.first) if own else anchor.first
        claims.append(
            Claim(
                anchor.topic,
                anchor.value,
                group.kinds if group and shared else (),
                tokens[opening].start,
                tokens[anchor.last].end,
                mood_of(text, tokens, since, anchor.first),
                anchor.implied,
            )
        )
        since = max(anchor.last, own.last if own else 0) + 1
    return claims


# ── constraints ───────────────────────────────────────────────────────────────────────────────


def _anchors(tokens: Sequence[Token]) -> list[Anchor]:
    found: list[Anchor] = []
    for at, token in enumerate(tokens):
        previous = found[-1] if found else None
        since = max(previous.last + 1 if previous else 0, at - _REACH)
        if token.part == "case" and is_old(tokens, at):
            if previous and previous.topic == "case":  # "snake_case instead of CamelCase for …"
                found[-1] = previous._replace(last=at)
            continue
        anchor = _anchor(tokens, at, since, previous)
        if anchor:
            found.append(anchor)
        if len(found) == MOST_CLAIMS:
            break
    return found


def _anchor(tokens: Sequence[Token], at: int, since: int, previous: Anchor | None) -> Anchor | None:
    token = tokens[at]
    if token.part == "value":
        return affix_at(tokens, at, since, previous)
    if token.part == "digit":
        return _digit(tokens, at, since)
    if token.part == "case":
        return Anchor("case", token.value, at, at)
    if token.value in _VAGUE and at + 1 < len(tokens):
        return _unsaid(tokens, at, since)
    return None


def _unsaid(tokens: Sequence[Token], at: int, since: int) -> Anchor | None:
    """*a specific prefix*: a value that is still to be told."""
    noun = tokens[at + 1]
    if any(token.part in ("value", "digit") for token in tokens[since:]):
        return None
    if noun.value in ("prefix", "suffix"):
        return Anchor(cast(Literal["prefix", "suffix"], noun.value), "", at, at + 1)
    return Anchor("contains", "", at, at + 1) if noun.part == "text" else None


def _digit(tokens: Sequence[Token], at: int, since: int) -> Anchor | None:
    """*include a single digit*, *a digit must be included*, *a digit in all names*."""
    after = tokens[at + 1 : at + 8]
    vague = tokens[at].value == "number"  # it has other uses: "a number of"
    if vague and values(after[:1]) == ["of"]:
        return None
    for back in range(at - 1, max(since, at - (4 if vague else 12)) - 1, -1):
        if _holds(tokens, back):
            return Anchor("digit", "", back, at)
    told = bool({"included", "present"} & {*values(after[:5])})
    named = any(token.part == "object" and token.named for token in after)
    return Anchor("digit", "", at, at) if not vague and (told or named) else None


def _holds(tokens: Sequence[Token], at: int) -> bool:
    """*include*, *end with*, *have*, *followed by*."""
    part = tokens[at].part
    if part in ("contains", "suffix") or tokens[at].value == "followed":
        return True
    return part in ("verb", "prefix") and not is_onset(tokens, at)


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
    if after and _is_bridged(tokens[anchor.last + 1 : after[0].first], bool(before)):
        return after[0]
    free = [g for g in before if not _is_place(tokens, g)] or before
    return free[-1] if free else None


def _stands_for(tokens: Sequence[Token], group: Group) -> bool:
    """*the variable name*, for whatever is being named."""
    before = tokens[group.first - 1].value if group.first else ""
    return group.kinds == ("variable",) and group.first == group.last and before == "the"


def _is_bridged(between: Sequence[Token], has_other: bool) -> bool:
    """Whether only linking words stand between; no comma where other objects are at hand."""
    if has_other and any(token.part == "stop" for token in between):
        return False
    return len(between) <= 12 and {*values(between)} <= _BRIDGE


def _is_place(tokens: Sequence[Token], group: Group) -> bool:
    """*in your classes*: where something is, not what is named."""
    near = values(tokens[max(0, group.first - 5) : group.first])
    return not group.named and bool(_INSIDE & {*near})
