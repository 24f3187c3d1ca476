"""Claims about what code must have: annotations, try, assert, docstrings, comments, decorators,
imports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import cast

from memorycode.scoring.claims import (
    MOST_CLAIMS,
    Claim,
    Group,
    Topic,
    is_forceful,
    mood_of,
)
from memorycode.scoring.phrases import Token

_TO = frozenset({"in", "for", "to", "on", "within", "with", "into", "inside", "throughout", "across",
                 "above", "before", "of", "over", "by", "from"})  # fmt: skip
_CODE = re.compile(r"(?i)\b(?:code|codebases?|code base|functions?|methods?|class(?:es)?|scripts?|programs?|logic|"
                   r"as you go|python|implementations?)\b")  # fmt: skip
_IN_CODE = re.compile(
    r"(?i)\bcomments?\b[^.;]{0,40}?\b(?:in|to|on|throughout|within|into|for|across)\b (?:\w+ ){0,3}"
    r"(?:code|scripts?|functions?|methods?|classes|programs?|logic)\b|"
    r"\bcomment(?:ing)?\b (?:on )?(?:\w+ ){0,2}code\b"
)
_NOT_CODE = re.compile(
    r"(?i)\b(?:commit|pull request|merge request|tickets?|cards?|tasks?|review(?:s|er|ers)?|forum|"
    r"platform|social media|surveys?|features?|boards?|slack|jira|trello|asana|articles?|questions?|"
    r"customers?|e-?mails?)\b"
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
    r"(?i)\b(?:no|never|not)\b.{0,40}\bwithout comments\b|\bwithout comments\b.{0,40}\b(?:no|never|not)\b|"
    r"\bcomments (?:are|is) (?:a must|mandatory|required|obligatory|expected|compulsory)\b|"
    r"\b(?:needs|requires|(?:must|should) (?:always )?have) (?:\w+ ){0,3}comments\b"
)
_UNCONDITIONAL = re.compile(
    r"(?i)\b(?:always|every|all|each|any|even if|regardless|from now on|(?:going|moving) forward)\b"
)
_VERB_LENGTHS = (len("annotate"), len("annotating"), len("annotated"))
_ASKING = frozenset({"what", "how", "which", "that", "why"})
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]{0,60}\Z")


def presence_claims(
    text: str, tokens: Sequence[Token], groups: Sequence[Group], bare: bool
) -> list[Claim]:
    """The claims about presence in a sentence; `bare` texts (notes) oblige without saying so."""
    parts = {token.part for token in tokens}
    if not parts & {"concept", "comment", "decorator", "import", "statement", "module"}:
        return []
    force = bare or is_forceful(text)
    claims: list[Claim] = []
    if "concept" in parts:
        claims += _concepts(text, tokens, groups, force)
    if "comment" in parts:
        claims += _comments(text, tokens, force)
    if "decorator" in parts:
        claims += _decorators(text, tokens, groups, force)
    if parts & {"import", "statement", "module"}:
        claims += _imports(text, tokens, force, bare)
    return claims


# ── annotations, try, assert, docstrings ──────────────────────────────────────────────────────


def _concepts(
    text: str, tokens: Sequence[Token], groups: Sequence[Group], force: bool
) -> list[Claim]:
    claims = []
    places = [
        at
        for at, token in enumerate(tokens)
        if token.part == "concept" and not _is_about_form(tokens, at)
    ][:MOST_CLAIMS]
    for number, at in enumerate(places):
        since = places[number - 1] + 1 if number else 0
        until = places[number + 1] if number + 1 < len(places) else len(tokens)
        token = tokens[at]
        fit = ("function", "method", *(("function argument",) * (token.value == "annotation")))
        group = _own(tokens, at) or _holders(tokens, groups, at, since, until, fit)
        first = min(at, group.first) if group else at
        kinds = _kinds(group, fit)
        claims.append(
            Claim(
                cast(Topic, token.value), "", kinds, tokens[first].start,
                tokens[max(at, group.last) if group else at].end,
                mood_of(text, tokens, since if since < at else 0, at), False, force,
            )
        )  # fmt: skip
    return _share(claims)


def _own(tokens: Sequence[Token], at: int) -> Group | None:
    """*function annotations*."""
    if at and tokens[at - 1].part == "object":
        return Group((tokens[at - 1].value,), at - 1, at - 1, False)
    return None


def _kinds(group: Group | None, fit: tuple[str, ...]) -> tuple[str, ...]:
    """The objects of a group that fit; annotated arguments make an annotated function."""
    kinds = [kind for kind in (group.kinds if group else ()) if kind in fit]
    return tuple(dict.fromkeys(kind.removesuffix(" argument") for kind in kinds))


def _is_about_form(tokens: Sequence[Token], at: int) -> bool:
    """*docstring conventions*: how they look, not whether they are there."""
    following = tokens[at + 1].value if at + 1 < len(tokens) else ""
    return following in ("conventions", "convention", "format", "formats", "style", "styles")


def _is_restricted(tokens: Sequence[Token], group: Group) -> bool:
    """*functions that handle data*: some, not all; *functions that you write* are all."""
    behind = [token.value for token in tokens[group.last + 1 : group.last + 3]]
    if len(behind) < 2 or behind[0] not in ("that", "which", "whose"):
        return False
    return behind[1] not in ("you", "we", "i", "is", "are")


def _share(claims: list[Claim]) -> list[Claim]:
    """*docstrings and try statements in functions*: the earlier takes the objects of the later."""
    for at in range(len(claims) - 2, -1, -1):
        if not claims[at].objects and claims[at + 1].objects:
            claims[at] = claims[at]._replace(objects=claims[at + 1].objects)
    for at in range(1, len(claims)):
        if not claims[at].objects and claims[at - 1].objects:
            claims[at] = claims[at]._replace(objects=claims[at - 1].objects)
    return claims


def _holders(
    tokens: Sequence[Token], groups: Sequence[Group], at: int, since: int, until: int,
    kinds: tuple[str, ...],
) -> Group | None:  # fmt: skip
    """The objects that must have what stands at `at`."""
    fit = [group for group in groups if any(kind in kinds for kind in group.kinds)]
    after = [group for group in fit if at < group.first < until]
    for group in after:
        if _introduced(tokens, group, at):
            return group
    before = [group for group in fit if since <= group.first < at]
    if before:
        return before[-1]
    if after and tokens[at].part == "decorator" and not after[0].named:
        return after[0]
    return None


def _introduced(tokens: Sequence[Token], group: Group, at: int) -> bool:
    """*in all your functions*, and not *of what a function does*."""
    near = [token.value for token in tokens[max(at + 1, group.first - 5) : group.first]]
    if tokens[at].value == "annotation" and group.first - at <= 3 and not any(w in _TO for w in near):
        return tokens[at].end - tokens[at].start in _VERB_LENGTHS
    if group.kinds == ("function argument",):
        return len(near) <= 3 and near[:1] in (["for"], ["to"], ["on"], ["in"])
    return any(word in _TO for word in near) and not any(word in _ASKING for word in near)


# ── comments ──────────────────────────────────────────────────────────────────────────────────


def _comments(text: str, tokens: Sequence[Token], force: bool) -> list[Claim]:
    found = _COMMENT_DUTY.search(text)
    must = _COMMENT_MUST.search(text)
    found = must or found
    if not found or not _CODE.search(text):
        return []
    if _NOT_CODE.search(text) and not _IN_CODE.search(text):
        return []
    at = next(i for i, token in enumerate(tokens) if token.part == "comment")
    mood = "holds" if must and "without" in must[0] else mood_of(text, tokens, 0, at)
    start, end = found.span()
    return [Claim("comment", "", ("comment",), start, end, mood, False, force or must is not None)]


# ── decorators ────────────────────────────────────────────────────────────────────────────────


def _decorators(
    text: str, tokens: Sequence[Token], groups: Sequence[Group], force: bool
) -> list[Claim]:
    kinds = ("function", "method", "class")
    places = [at for at, token in enumerate(tokens) if token.part == "decorator"][:MOST_CLAIMS]
    claims = []
    for number, at in enumerate(places):
        since = places[number - 1] + 1 if number else 0
        until = places[number + 1] if number + 1 < len(places) else len(tokens)
        group = _holders(tokens, groups, at, since, until, kinds)
        first = min(at, group.first) if group else at
        objects = tuple(kind for kind in group.kinds if kind in kinds) if group else ()
        mood = mood_of(text, tokens, min(since, at), at)
        if group and "decorator" not in text and _is_restricted(tokens, group):
            mood = "example"
        claims.append(
            Claim("decorator", tokens[at].value, objects, tokens[first].start,
                  tokens[max(at, group.last) if group else at].end, mood, False, force)
        )  # fmt: skip
    return _share(claims)


# ── imports ───────────────────────────────────────────────────────────────────────────────────


def _imports(text: str, tokens: Sequence[Token], force: bool, bare: bool) -> list[Claim]:
    if any(token.part == "decorator" or token.value.startswith("decorator") for token in tokens):
        return []  # a module that a decorator comes from is no rule of its own
    claims: list[Claim] = []
    for at, token in enumerate(tokens):
        if len(claims) == MOST_CLAIMS:
            break
        name = _imported(tokens, at)
        if token.part == "statement" and not (bare or _UNCONDITIONAL.search(text)):
            continue  # how to use a tool, not a rule
        if name and _IDENTIFIER.match(name):
            mood = mood_of(text, tokens, 0, at)
            claim = Claim("import", name, ("import",), token.start, token.end, mood, False, force)
            claims.append(claim)
    return claims or _import_it(text, tokens, force)


def _import_it(text: str, tokens: Sequence[Token], force: bool) -> list[Claim]:
    """*Even if you do not need the 'x' module, import it.*"""
    module: Token | None = None
    for at, (token, following) in enumerate(pairwise(tokens)):
        if token.part == "value" and following.part == "module":
            module = token
        if token.part == "import" and following.value == "it" and module:
            mood = mood_of(text, tokens, max(0, at - 5), at)
            start, end = module.start, following.end
            return [Claim("import", module.value, ("import",), start, end, mood, False, force)]
    return []


def _imported(tokens: Sequence[Token], at: int) -> str | None:
    """The module that token `at` names as one to import."""
    token = tokens[at]
    if token.part == "statement":
        return token.value
    before, after = tokens[max(0, at - 5) : at], tokens[at + 1 : at + 12]
    if any(earlier.value == "from" for earlier in before[-2:]):
        return None
    is_module = bool(after) and after[0].part == "module"
    if token.part == "value":
        if any(earlier.part == "import" for earlier in before):
            return token.value
        included = any(earlier.part == "contains" for earlier in before)
        if is_module and (included or any(later.part == "import" for later in after)):
            return token.value
        if after and after[0].part == "import":
            return token.value
    if token.part == "word" and before and before[-1].part == "import" and _stands_alone(tokens, at):
        return token.value
    if token.part == "word" and is_module and len(before) > 1:
        if before[-1].part == "import" or before[-2].part == "import" and before[-1].value == "the":
            return token.value if token.value not in _VAGUE else None
    return None


def _stands_alone(tokens: Sequence[Token], at: int) -> bool:
    """*import uuid in every file*: a bare module name, in a sentence that holds for all files."""
    following = tokens[at + 1].value if at + 1 < len(tokens) else "."
    always = any(t.value in ("always", "every", "all", "each", "everywhere") for t in tokens)
    module = tokens[at].value.isidentifier() and tokens[at].value not in _VAGUE
    return always and module and following in ("in", "even", "at", "everywhere", "always", ",", ".")


_VAGUE = frozenset("the this that same following necessary required relevant specific new it them only from "
    "everything statements statement modules all any what things libraries first packages".split())


def decorator_sources(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The modules that a sentence takes decorators from."""
    if not any(token.part == "decorator" for token in tokens):
        return ()
    return tuple(
        token.value
        for at, token in enumerate(tokens)
        if token.part == "value" and any(t.value == "from" for t in tokens[max(0, at - 2) : at])
    )
