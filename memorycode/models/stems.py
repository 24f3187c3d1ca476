"""The words of a question, taken as the stems of the names in the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

Words = tuple[str, ...]

_WORD = re.compile(r"[A-Za-z]{2,20}")
_LOOKED_AT = 300
"""Characters of a question that names are drawn from."""

_FILLERS = frozenset((
    "an", "and", "as", "at", "by", "class", "code", "for", "from", "function", "given", "has",
    "if", "in", "is", "it", "its", "method", "methods", "of", "on", "or", "please", "python",
    "that", "the", "their", "then", "this", "to", "using", "which", "with", "write", "your"
))  # fmt: skip


@dataclass(frozen=True)
class Stems:
    """The words that the names of a function, a class and its method are made of."""

    function: Words
    klass: Words
    method: Words


@lru_cache(maxsize=4096)
def stems_of(query: str) -> Stems:
    """Split "Queue class with push and drain methods" into a class and what it does; what asks
    for a function lends its first words to the function and to the class alike."""
    words = _WORD.findall(query[:_LOOKED_AT].lower())
    if "class" not in words:
        about = _telling(words)[:3] or ("compute", "result")
        return Stems(function=about, klass=about, method=("run",))
    place = words.index("class")
    klass = _telling(words[:place])[-3:] or ("solution",)
    method = _telling(words[place + 1 :])[:2] or ("run",)
    return Stems(function=("make", *klass), klass=klass, method=method)


def _telling(words: list[str]) -> Words:
    return tuple(word for word in words if word not in _FILLERS)
