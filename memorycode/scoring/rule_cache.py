"""The rules that a passage states, each passage read once in the whole process.

A transcript stands in thousands of prompts: what it says is worked out once, for the ideal mentee
and for attribution alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memorycode.bounded_cache import BoundedCache
from memorycode.dialogue import Speakers
from memorycode.rules import Rule
from memorycode.scoring.detection import detect

REMEMBERED_CHARACTERS = 64_000_000
"""Text whose rules are kept: ten times the release's sessions, and some memory in itself."""

FamilyKey = tuple[str, str, str]
"""A family as plain text: much faster to look up than the model it stands for."""

RulesByFamily = tuple[tuple[FamilyKey, Rule], ...]


class _Source(NamedTuple):
    passage: str
    mentor: str | None
    mentee: str | None


def cached_rules(
    passage: str, mentor: str | None = None, mentee: str | None = None
) -> RulesByFamily:
    """The rules that a passage states, in order, each with its family; names as for `detect`."""
    return _CACHE(_Source(passage, mentor, mentee))


class WordingReader:
    """Reads the wording of the release and of generated dialogues; a `RuleReader`."""

    name = "wording"
    revision = 1

    def rules_in(self, text: str, speakers: Speakers) -> Iterator[Rule]:
        """The rules that the text states, in order."""
        return (rule for _, rule in cached_rules(text, speakers.mentor, speakers.mentee))


def _read(source: _Source) -> RulesByFamily:
    found = detect(source.passage, source.mentor, source.mentee)
    return tuple(((d.family.object, d.family.kind, d.family.name), d.rule) for d in found)


_CACHE: BoundedCache[_Source, RulesByFamily] = BoundedCache(
    _read, size=lambda source: len(source.passage), capacity=REMEMBERED_CHARACTERS
)
