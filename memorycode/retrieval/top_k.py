"""How many of the ranked units are taken: the paper's dynamic k and four policies beside it.

=============  =====================================================================
``5``          the best five
``20%``        that share of all units, rounded up
``dynamic``    as many as there are sessions with instructions: appendix D of the
               paper (arXiv 2502.13791). That number is gold: an oracle
``budget``     as many as the run's budget of tokens holds; all where there is none
``2000tokens`` as many as so many tokens hold
``cliff``      up to the steepest fall of the score among the best fifty
=============  =====================================================================
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

from pydantic import JsonValue

from memorycode.errors import UsageError
from memorycode.protocols import Hit

TOOK_ALL = "took_all"
"""The note of a recall that it has all that there is: nothing was chosen. Tables count them."""

_LOOKED_AT = 50
"""A gap further down than that is no use."""


@dataclass(frozen=True)
class Candidates:
    """What is there to be ranked: the number of units, and what a policy may know beside scores.

    `tokens` is what a unit takes in the prompt, by its position; `budget` the run's.
    `gold_sessions` is the number of sessions with instructions, for the oracle alone.
    """

    units: int
    tokens: Callable[[int], int]
    budget: int | None = None
    gold_sessions: int = 0


class TopK(Protocol):
    """Says how many of the hits, which come best first, are taken."""

    @property
    def is_oracle(self) -> bool: ...

    def depth(self, candidates: Candidates) -> int:
        """How many hits it has to see: a retriever need not rank the rest."""
        ...

    def __call__(self, hits: Sequence[Hit], candidates: Candidates) -> int: ...


class _WholeDepth(ABC):
    """Takes every hit that it has to see: their scores do not matter."""

    @abstractmethod
    def depth(self, candidates: Candidates) -> int: ...

    def __call__(self, hits: Sequence[Hit], candidates: Candidates) -> int:
        return min(self.depth(candidates), len(hits))


@dataclass(frozen=True)
class Fixed(_WholeDepth):
    """The best `k`."""

    k: int
    is_oracle: bool = False

    def depth(self, candidates: Candidates) -> int:
        return min(self.k, candidates.units)


@dataclass(frozen=True)
class Share(_WholeDepth):
    """A share of all units, rounded up; exact, so that 28 % of 25 are seven."""

    share: Fraction
    is_oracle: bool = False

    def depth(self, candidates: Candidates) -> int:
        return min(math.ceil(self.share * candidates.units), candidates.units)


@dataclass(frozen=True)
class Dynamic(_WholeDepth):
    """As many as there are sessions with instructions."""

    is_oracle: bool = True

    def depth(self, candidates: Candidates) -> int:
        return min(candidates.gold_sessions, candidates.units)


@dataclass(frozen=True)
class Tokens:
    """As many as a number of tokens holds; the run's budget where `most` is None."""

    most: int | None = None
    is_oracle: bool = False

    def depth(self, candidates: Candidates) -> int:
        return candidates.units

    def __call__(self, hits: Sequence[Hit], candidates: Candidates) -> int:
        most = self.most if self.most is not None else candidates.budget
        if most is None:
            return len(hits)
        taken = 0
        for count, hit in enumerate(hits):
            taken += candidates.tokens(hit.position)
            if taken > most:
                return count
        return len(hits)


@dataclass(frozen=True)
class ScoreGap:
    """Up to the steepest fall of the score; one unit where all scores are alike."""

    is_oracle: bool = False

    def depth(self, candidates: Candidates) -> int:
        return min(_LOOKED_AT, candidates.units)

    def __call__(self, hits: Sequence[Hit], candidates: Candidates) -> int:
        scores = [hit.score for hit in hits[: self.depth(candidates)]]
        falls = [above - below for above, below in pairwise(scores)]
        return falls.index(max(falls)) + 1 if falls else len(scores)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], TopK]], ...] = (
    (re.compile(r"(\d{1,9})", re.ASCII), lambda text: Fixed(int(text))),
    (
        re.compile(r"(100(?:\.0{1,3})?|\d{1,2}(?:\.\d{1,3})?)%", re.ASCII),
        lambda text: Share(Fraction(text) / 100),
    ),
    (re.compile(r"(\d{1,9})tokens", re.ASCII), lambda text: Tokens(int(text))),
)
_WORDS: dict[str, TopK] = {"dynamic": Dynamic(), "budget": Tokens(), "cliff": ScoreGap()}


def top_k(text: str | int) -> TopK:
    """The policy that a text names. Raises `UsageError` for one that names none."""
    named = str(text).strip()
    if named in _WORDS:
        return _WORDS[named]
    for form, make in _FORMS:
        match = form.fullmatch(named)
        if match and float(match[1]):
            return make(match[1])
    if named.endswith("%"):
        raise UsageError(
            f"k is {named!r}; a share is above 0% and at most 100%, of three decimals at most"
        )
    raise UsageError(
        f"k is {named!r}; it is a whole number from 1 on, a share above 0% and at most "
        f"100%, such as 20%, a size such as 2000tokens, or one of {', '.join(_WORDS)}"
    )


def said_of_all(taken: int, units: int) -> dict[str, JsonValue]:
    """For a recall's notes: that as many units were taken as there are, if so."""
    return {TOOK_ALL: True} if taken >= units > 0 else {}
