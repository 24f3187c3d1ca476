"""What one sentence claims about code, and the objects it speaks of.

A *claim* is a rule or a part of one. `naming`, `presence` and `imports` read claims out of a
sentence, `reading` puts the parts together and decides what holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from memorycode.scoring.detection.phrases import Token

Topic = Literal[
    "prefix", "suffix", "contains", "digit", "case",
    "annotation", "try", "assert", "docstring", "comment", "decorator", "import",
]  # fmt: skip
NAMING: frozenset[str] = frozenset({"prefix", "suffix", "contains", "digit", "case"})
NAMED_OBJECTS = ("function", "method", "class", "attribute", "variable", "function argument")
DECORATED = ("function", "method", "class")

MOST_CLAIMS = 12
"""Claims of one kind that are looked for in one sentence, so that all work on it is bounded."""

Mood = Literal["holds", "withdrawn", "past", "example"]


class Claim(NamedTuple):
    """Offsets are into the sentence; `objects` is empty where the sentence names none.

    `implied` marks a paraphrase: the value is spelt out in words or its place has to be inferred.
    `forceful` says whether the sentence obliges.
    """

    topic: Topic
    value: str
    objects: tuple[str, ...]
    start: int
    end: int
    mood: Mood = "holds"
    implied: bool = False
    forceful: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether a value is given where one is needed."""
        return bool(self.value) or self.topic not in ("prefix", "suffix", "contains")


class Group(NamedTuple):
    """Objects joined by *and*, *or* or commas; `first` and `last` count tokens.

    `named`: their names are spoken of. `topical`: that, or the sentence is *about* them.
    """

    kinds: tuple[str, ...]
    first: int
    last: int
    named: bool
    topical: bool = False

    def only(self, kinds: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(kind for kind in self.kinds if kind in kinds)


_JOINTS = frozenset({"and", "or", "&", "/", "well"})
_LINKS = _JOINTS | {",", "both", "as", "your", "our", "all", "the"}
_ABOUT = frozenset({"about", "regarding", "concerning"})
_DETERMINERS = frozenset("of for your the all our any each every new python a".split())


def values(tokens: Sequence[Token]) -> list[str]:
    return [token.value for token in tokens]


def groups_of(tokens: Sequence[Token]) -> list[Group]:
    """The objects of a sentence, those joined together as one group."""
    runs: list[list[int]] = []
    for at, token in enumerate(tokens):
        if token.part != "object" or _is_modifier(tokens, at):
            continue
        if runs and _linked(tokens, runs[-1][-1], at):
            runs[-1].append(at)
        else:
            runs.append([at])
    return [group for run in runs for group in _grouped(tokens, run)]


def _is_modifier(tokens: Sequence[Token], at: int) -> bool:
    """*function annotations*: the object belongs to the word after it alone."""
    return at + 1 < len(tokens) and tokens[at + 1].part == "concept"


def _linked(tokens: Sequence[Token], left: int, right: int) -> bool:
    between = {token.value for token in tokens[left + 1 : right][:6]}
    return 0 < right - left - 1 <= 5 and between <= _LINKS and bool(between & (_JOINTS | {","}))


def _grouped(tokens: Sequence[Token], run: list[int]) -> list[Group]:
    """A run of objects as one group, or as several where only commas part them."""
    words = {token.value for token in tokens[run[0] : run[-1]]}
    parts = [run] if words & _JOINTS else [[at] for at in run]
    return [_group(tokens, part) for part in parts]


def _group(tokens: Sequence[Token], part: list[int]) -> Group:
    first, last = part[0], part[-1]
    named = any(tokens[at].named or _names_of(tokens, at) for at in part)
    about = first > 0 and tokens[first - 1].value in _ABOUT
    kinds = tuple(dict.fromkeys(tokens[at].value for at in part))
    return Group(kinds, first, last, named, named or about)


def _names_of(tokens: Sequence[Token], at: int) -> bool:
    """*the names of all functions*, *naming your methods*."""
    for back in range(at - 1, max(-1, at - 6), -1):
        if tokens[back].part == "name":
            return True
        if tokens[back].value not in _DETERMINERS:
            return False
    return False
