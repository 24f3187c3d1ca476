"""Claims about what code must have: annotations, try, assert, docstrings, comments, decorators."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import cast

from memorycode.scoring.detection.claims import (
    DECORATED,
    MOST_CLAIMS,
    Claim,
    Group,
    Mood,
    Topic,
    values,
)
from memorycode.scoring.detection.moods import mood_of
from memorycode.scoring.detection.phrases import Part, Token

_TO = frozenset(
    "in for to on within with into inside throughout across above before of over by from".split()
)
_ASKING = frozenset({"what", "how", "which", "that", "why"})
_FORMS = frozenset("conventions convention format formats style styles".split())
_ANNOTATING = frozenset({"annotate", "annotating", "annotated"})

_CODE = re.compile(
    r"(?i)\b(?:code|codebases?|code base|functions?|methods?|class(?:es)?|scripts?|programs?|"
    r"logic|as you go|python|implementations?)\b"
)
_IN_CODE = re.compile(
    r"(?i)\bcomments?\b[^.;]{0,40}?\b(?:in|to|on|throughout|within|into|for|across)\b "
    r"(?:\w+ ){0,3}(?:code|scripts?|functions?|methods?|classes|programs?|logic)\b|"
    r"\bcomment(?:ing)?\b (?:on )?(?:\w+ ){0,2}code\b"
)
_NOT_CODE = re.compile(
    r"(?i)\b(?:commit|pull request|merge request|tickets?|cards?|tasks?|review(?:s|er|ers)?|forum|"
    r"platform|social media|surveys?|features?|boards?|slack|jira|trello|asana|articles?|"
    r"questions?|customers?|e-?mails?)\b"
)
_COMMENT_DUTY = re.compile(
    r"(?i)\b(?:add|includ|us|writ|leav|provid|put|insert|incorporat|annotat)(?:e|es|ing|ting|ding)?\b"
    r"[^.;]{0,60}?\bcomments?\b|"
    r"\bcomment(?:ing|s|ed)?\b (?:(?:on|in|to|throughout|within|for|and document(?:ing)?) )?"
    r"(?:\w+ ){0,2}(?:code|functions?|scripts?|work|logic)\b|"
    r"\bwell-commented\b|\b(?:code|functions?)\b[^.;]{0,40}\bcommented\b|"
    r"\bcomment as you go\b|\bskimp on comment"
)
_COMMENT_MUST = re.compile(
    r"(?i)\b(?:no|never|not)\b.{0,40}\bwithout comments\b|"
    r"\bwithout comments\b.{0,40}\b(?:no|never|not)\b|"
    r"\bcomments (?:are|is) (?:a must|mandatory|required|obligatory|expected|compulsory)\b|"
    r"\b(?:needs|requires|(?:must|should) (?:always )?have) (?:\w+ ){0,3}comments\b"
)


def presence_claims(
    text: str, tokens: Sequence[Token], groups: Sequence[Group], forceful: bool
) -> list[Claim]:
    """The claims about presence in a sentence; `forceful` says whether it obliges."""
    claims = _concepts(text, tokens, groups, forceful)
    claims += _decorators(text, tokens, groups, forceful)
    return claims + _comments(text, tokens, forceful)


def _places(tokens: Sequence[Token], part: Part) -> list[tuple[int, int, int]]:
    """Where the tokens of a part are: the end of the one before, it, and the next one."""
    places = [
        at
        for at, token in enumerate(tokens)
        if token.part == part and not (part == "concept" and _is_about_form(tokens, at))
    ][:MOST_CLAIMS]
    starts = [0] + [at + 1 for at in places[:-1]]
    return list(zip(starts, places, [*places[1:], len(tokens)], strict=True)) if places else []


def _is_about_form(tokens: Sequence[Token], at: int) -> bool:
    """*docstring conventions*: how they look, not whether they are there."""
    return at + 1 < len(tokens) and tokens[at + 1].value in _FORMS


# ── annotations, try, assert, docstrings ──────────────────────────────────────────────────────


def _concepts(
    text: str, tokens: Sequence[Token], groups: Sequence[Group], forceful: bool
) -> list[Claim]:
    claims = []
    for since, at, until in _places(tokens, "concept"):
        topic = cast(Topic, tokens[at].value)
        fit: tuple[str, ...] = ("function", "method")
        if topic == "annotation":
            fit = (*fit, "function argument")
        group = _own(tokens, at) or _holders(text, tokens, groups, (since, at, until), fit)
        # annotated arguments make an annotated function
        kinds = [kind.removesuffix(" argument") for kind in (group.only(fit) if group else ())]
        mood = mood_of(text, tokens, since if since < at else 0, at)
        implied = text[tokens[at].start : tokens[at].end].lower() == "annotated"
        span = _span(tokens, at, group)
        objects = tuple(dict.fromkeys(kinds))
        claims.append(Claim(topic, "", objects, *span, mood, implied, forceful))
    return _share(claims)


def _own(tokens: Sequence[Token], at: int) -> Group | None:
    """*function annotations*."""
    if at and tokens[at - 1].part == "object":
        return Group((tokens[at - 1].value,), at - 1, at - 1, False)
    return None


def _span(tokens: Sequence[Token], at: int, group: Group | None) -> tuple[int, int]:
    """The characters from the first to the last of what stands at `at` and its objects."""
    first, last = (min(at, group.first), max(at, group.last)) if group else (at, at)
    return tokens[first].start, tokens[last].end


def _share(claims: list[Claim]) -> list[Claim]:
    """*docstrings and try statements in functions*: one takes the objects of its neighbour."""
    for at in range(len(claims) - 2, -1, -1):
        if not claims[at].objects:
            claims[at] = claims[at]._replace(objects=claims[at + 1].objects)
    for at in range(1, len(claims)):
        if not claims[at].objects:
            claims[at] = claims[at]._replace(objects=claims[at - 1].objects)
    return claims


def _holders(
    text: str,
    tokens: Sequence[Token],
    groups: Sequence[Group],
    place: tuple[int, int, int],
    kinds: tuple[str, ...],
) -> Group | None:
    """The objects that must have what stands in the middle of `place`."""
    since, at, until = place
    fit = [group for group in groups if group.only(kinds)]
    after = list(takewhile(lambda g: g.first < until, (g for g in fit if g.first > at)))
    before = [group for group in fit if since <= group.first < at]
    for group in after:
        if _is_introduced(text, tokens, group, at):
            return group
    if before:
        return before[-1]
    if after and tokens[at].part == "decorator" and not after[0].named:
        return after[0]
    return None


def _is_introduced(text: str, tokens: Sequence[Token], group: Group, at: int) -> bool:
    """*in all your functions*, *annotate your functions*, and not *of what a function does*."""
    near = values(tokens[max(at + 1, group.first - 5) : group.first])
    if not _TO & {*near}:
        verb = text[tokens[at].start : tokens[at].end].lower()
        return verb in _ANNOTATING and group.first - at <= 3
    if group.kinds == ("function argument",):
        return len(near) <= 3 and near[0] in ("for", "to", "on", "in")
    return not _ASKING & {*near}


# ── decorators ────────────────────────────────────────────────────────────────────────────────


def _decorators(
    text: str, tokens: Sequence[Token], groups: Sequence[Group], forceful: bool
) -> list[Claim]:
    claims = []
    for since, at, until in _places(tokens, "decorator"):
        group = _holders(text, tokens, groups, (since, at, until), DECORATED)
        mood: Mood = mood_of(text, tokens, since, at)
        if group and "decorator" not in text and _is_restricted(tokens, group):
            mood = "example"
        objects = group.only(DECORATED) if group else ()
        span = _span(tokens, at, group)
        claims.append(Claim("decorator", tokens[at].value, objects, *span, mood, forceful=forceful))
    return _share(claims)


def _is_restricted(tokens: Sequence[Token], group: Group) -> bool:
    """*functions that handle data*: some, not all; *functions that you write* are all."""
    behind = values(tokens[group.last + 1 : group.last + 3])
    if len(behind) < 2 or behind[0] not in ("that", "which", "whose"):
        return False
    return behind[1] not in ("you", "we", "i")


def decorator_sources(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The modules that a sentence takes decorators from."""
    if not any(token.part == "decorator" for token in tokens):
        return ()
    return tuple(
        token.value
        for at, token in enumerate(tokens)
        if token.part == "value" and "from" in values(tokens[max(0, at - 2) : at])
    )


# ── comments ──────────────────────────────────────────────────────────────────────────────────


def _comments(text: str, tokens: Sequence[Token], forceful: bool) -> list[Claim]:
    """At most one claim: code is to have comments."""
    at = next((at for at, token in enumerate(tokens) if token.part == "comment"), None)
    if at is None or not _CODE.search(text):
        return []
    must = _COMMENT_MUST.search(text)
    found = must or _COMMENT_DUTY.search(text)
    if found is None or (_NOT_CODE.search(text) and not _IN_CODE.search(text)):
        return []
    stressed = must is not None and "without" in must[0]  # "no code without comments"
    mood: Mood = "holds" if stressed else mood_of(text, tokens, 0, at)
    forceful = forceful or must is not None
    return [Claim("comment", "", ("comment",), *found.span(), mood, forceful=forceful)]
