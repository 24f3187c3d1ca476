"""Claims about modules that code must import."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memorycode.scoring.detection.claims import MOST_CLAIMS, Claim, values
from memorycode.scoring.detection.moods import mood_of
from memorycode.scoring.detection.phrases import Token

_NAME = re.compile(r"[A-Za-z_][\w.]{0,60}\Z")
_UNCONDITIONAL = re.compile(
    r"(?i)\b(?:always|every|all|each|any|even if|regardless|from now on|(?:going|moving) forward)\b"
)
_QUANTIFIERS = frozenset({"always", "every", "all", "each", "everywhere"})
_NEXT = frozenset({"in", "even", "at", "everywhere", "always", ","})
_NO_NAMES = frozenset(
    "the this that same following necessary required relevant specific new it them only from "
    "everything statements statement modules all any what things libraries first packages".split()
)


def import_claims(text: str, tokens: Sequence[Token], forceful: bool, bare: bool) -> list[Claim]:
    """The imports a sentence claims; in `bare` notes an import statement is a rule by itself."""
    if any(token.part == "decorator" or token.value.startswith("decorator") for token in tokens):
        return []  # a module that a decorator comes from is no rule of its own
    obliges = bare or _UNCONDITIONAL.search(text) is not None
    claims: list[Claim] = []
    for at, token in enumerate(tokens):
        name = _imported(tokens, at)
        if token.part == "statement" and not obliges:
            continue  # how to use a tool
        if name and _NAME.match(name):
            mood = mood_of(text, tokens, 0, at)
            claims.append(
                Claim("import", name, ("import",), token.start, token.end, mood, forceful=forceful)
            )
        if len(claims) == MOST_CLAIMS:
            break
    return _import_it(text, tokens, forceful) or claims


def _imported(tokens: Sequence[Token], at: int) -> str | None:
    """The module that token `at` names as one to import."""
    token = tokens[at]
    if token.part == "statement":
        return token.value
    if "from" in values(tokens[max(0, at - 2) : at]):
        return None
    if token.part == "value":
        return token.value if _is_quoted_module(tokens, at) else None
    if token.part == "word" and token.value not in _NO_NAMES:
        return token.value if _is_plain_module(tokens, at) else None
    return None


def _is_quoted_module(tokens: Sequence[Token], at: int) -> bool:
    """*import the 'x' module*, *the 'x' module must be imported*, *include the 'x' module*."""
    before = {token.part for token in tokens[max(0, at - 5) : at]}
    after = [token.part for token in tokens[at + 1 : at + 12]]
    if "import" in before or after[:1] == ["import"]:
        return True
    return after[:1] == ["module"] and ("contains" in before or "import" in after)


def _is_plain_module(tokens: Sequence[Token], at: int) -> bool:
    """*import the x module*; *import x*, in a sentence that holds for all files."""
    before, after = tokens[max(0, at - 2) : at], tokens[at + 1 : at + 2]
    if not before:
        return False
    direct = before[-1].part == "import"
    if after and after[0].part == "module":
        return direct or (before[0].part == "import" and before[-1].value == "the")
    alone = not after or after[0].value in _NEXT
    return direct and alone and bool(_QUANTIFIERS & {*values(tokens)})


def _import_it(text: str, tokens: Sequence[Token], forceful: bool) -> list[Claim]:
    """*Even if you do not need the 'x' module, import it.*"""
    module, since = None, 0
    for at, (token, following) in enumerate(pairwise(tokens)):
        if token.part == "value" and following.part == "module":
            module, since = token, at + 1
        if token.part == "import" and following.value == "it" and module:
            mood = mood_of(text, tokens, since, at)
            span = module.start, following.end
            return [Claim("import", module.value, ("import",), *span, mood, forceful=forceful)]
    return []
