"""What may be a speaker's name, and whose name a label spells."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

MENTOR_WORDS = frozenset({"mentor", "teacher", "manager", "lead", "senior", "instructor"})
MENTEE_WORDS = frozenset({"mentee", "student", "junior", "intern", "learner"})
_ROLES = MENTOR_WORDS | MENTEE_WORDS

# Marks that combine with a letter are no word characters, so a name may hold all but punctuation.
_IN_NAME = r"[^\s:;,!?*_\"“”()\[\]{}<>=`|/\\@#]"
SPEAKER_NAME = re.compile(rf"[^\W\d_]{_IN_NAME}{{0,30}}(?: [^\W_]{_IN_NAME}{{0,30}}){{0,5}}")
"""Up to six words, the first opened by a letter, the others by a letter or a digit."""

_PARTICLES = frozenset(
    ("af", "al", "av", "bin", "bint", "da", "de", "del", "della", "den", "der", "di", "do", "dos")
) | frozenset(("du", "e", "el", "ibn", "la", "le", "och", "of", "te", "ten", "van", "von", "y"))
"""Words of a name that are written small."""

_HEADING = re.compile(
    r"(?i)\b(?:note|notes|rules?|reminder|remember|example|examples|important|conventions?|"
    r"summary|guidelines?|instructions?|session|update|updates|naming|names?|functions?|methods?|"
    r"class|classes|variables?|attributes?|arguments?|parameters?|decorators?|imports?|modules?|"
    r"comments?|docstrings?|annotations?|asserts?|assertions?|try|statements?|code|coding|style|"
    r"first|second|third|also|finally|and|the|for|prefix|suffix|case|digits?|context|query|"
    r"question|answer|task|memory|ledger|state|active|current|todo|tip|warning|this|that|here|"
    r"standards?|practices?|following|like|requirements?|general|documentation|people|facts)\b"
)
"""What opens a list or a remark, and is nobody's name unless somebody is known by it."""

ALIKE = 0.6
"""Likeness from which a label may be a spelling of a name."""

Spelling = Literal["exact", "initials", "misspelt"]


@lru_cache(maxsize=4096)
def looks_like_name(label: str) -> bool:
    """Whether a label may name a speaker nobody has told of: a role, or words that all open with
    a capital or with a letter of a script that has none."""
    if label.casefold() in _ROLES:
        return True
    if not SPEAKER_NAME.fullmatch(label) or is_heading(label):
        return False
    first, *others = label.split()
    return _opens_as_name(first) and all(_opens_as_name(w) or w in _PARTICLES for w in others)


def _opens_as_name(word: str) -> bool:
    return word[0].isalpha() and not word[0].islower()


def is_heading(label: str) -> bool:
    """Whether a label has a word of what opens a list or a remark."""
    return _HEADING.search(label) is not None


@lru_cache(maxsize=4096)
def spelling_of(label: str, names: tuple[str, ...]) -> tuple[str, Spelling] | None:
    """The name that a label spells, and how; None where it is like none of the names."""
    if label in names:
        return label, "exact"
    letters = _letters(label)
    if not letters or label[0].islower():
        return None
    if not looks_like_name(label):
        same = (n for n in names if _letters(n) == letters or _is_one_word_more(label, n))
        return next(((name, "misspelt") for name in same), None)
    for name in names:
        if letters in _initials(name):
            return name, "initials"
    nearest = max(names, key=lambda name: likeness(label, name), default="")
    return (nearest, "misspelt") if likeness(label, nearest) >= ALIKE else None


def likeness(label: str, name: str) -> float:
    """How alike two spellings of a name are, 0 to 1; a part of a name is fairly alike."""
    a, b = _letters(label), _letters(name)
    if not a or not b:
        return 0.0
    if a == b:
        return 1.0
    if a in _ROLES or b in _ROLES:
        return 0.0
    shorter, longer = sorted((a, b), key=len)
    if longer.startswith(shorter):
        return 0.9
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _is_one_word_more(label: str, name: str) -> bool:
    """As in "Ada, smiling" and "Ada said"."""
    rest = label.removeprefix(name)
    return rest != label and rest[0] in " ," and len(rest.strip(" ,").split()) == 1


def _initials(name: str) -> tuple[str, str]:
    """Of all parts of a name, and of the first."""
    initials = "".join(part[0] for part in re.findall(r"[^\W\d_]+", name)).casefold()
    return initials, initials[:1]


@lru_cache(maxsize=4096)
def _letters(name: str) -> str:
    """The letters of a name alone, small."""
    return re.sub(r"[\W\d_]", "", name).casefold()
