"""Who says what: a transcript cut into turns, and turns into sentences, with their offsets.

A text may be labelled ("Name: …", one turn a paragraph) or not at all; labels may be misspelt,
shortened to a letter or missing. What nobody is named for counts as the mentor's word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

LONGEST_SENTENCE = 700
"""Characters after which a sentence without an end is cut, so that all work on one is bounded."""

_SPELLINGS = 60
"""Distinct labels that are looked at; a transcript has two, and some misspelt."""

_ALIKE = 0.6
"""Likeness from which two labels may be spellings of one name."""

_LABEL = re.compile(
    r"^[ \t]*(?:[-•][ \t]+)?(?:\[[^\]\n]{0,40}\][ \t]*)?[*_\"“(\[]{0,3}"
    r"([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2})"
    r"[*_\"”)\]]{0,3}[ \t]{0,3}:(?=[\s*\"“]|$)",
    re.MULTILINE,
)
_MENTOR_WORDS = frozenset({"mentor", "teacher", "manager", "lead", "senior", "instructor"})
_MENTEE_WORDS = frozenset({"mentee", "student", "junior", "intern", "learner"})
_ROLES = _MENTOR_WORDS | _MENTEE_WORDS
_HEADING = re.compile(
    r"(?i)\b(?:note|notes|rules?|reminder|remember|example|examples|important|conventions?|"
    r"summary|guidelines?|instructions?|session|update|updates|naming|names?|functions?|methods?|"
    r"class|classes|variables?|attributes?|arguments?|parameters?|decorators?|imports?|modules?|"
    r"comments?|docstrings?|annotations?|asserts?|assertions?|try|statements?|code|coding|style|"
    r"first|second|third|also|finally|and|the|for|prefix|suffix|case|digits?|context|query|"
    r"question|answer|task|memory|ledger|state|active|current|todo|tip|warning|this|that|here|"
    r"standards?|practices?|following|like|requirements?|general|documentation|people|facts)\b"
)
_DIRECTIVE = re.compile(
    r"(?i)\bi(?:[’']d| would) like (?:you|us)\b|\bi (?:want|need|expect) you\b|\bfrom now on\b|"
    r"\bgoing forward\b|\bplease\b|(?<!i[’']ll )\b(?:remember to|make sure)\b|\byour mentor\b|"
    r"\bwe (?:always|use|follow|add|start|end)\b|\bdon[’']t hesitate\b|\bfeel free\b|"
    r"\byou[’']re (?:very )?welcome\b|\bkeep (?:up|in mind)\b"
)
_PLEDGE = re.compile(
    r"(?i)\bi(?:[’']ll| will)\b|\bunderstood\b|\bgot it\b|\bnoted\b|\bthank(?:s| you)\b|"
    r"\bi[’']m excited\b|\byour (?:guidance|support|mentorship|advice|insights?)\b|\bshould i\b"
)
_END = re.compile(r"\n|[.!?]+[\"'”’)\]*`]*(?=\s|$)|[\"'”’`][.!?](?=[A-Z])|[.!?](?=[A-Z][a-z]+ )")
_ABBREVIATION = re.compile(r"(?i)\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|a\.k\.a)\.$")
_QUESTION = re.compile(r"\?[\"'”’)\]*`]*\s*$")


class Turn(NamedTuple):
    """What one speaker says in one go; offsets into the whole text."""

    start: int
    end: int
    by_mentor: bool


class Sentence(NamedTuple):
    """One sentence of a turn; `turn` counts the turns, `start` is an offset into the whole text."""

    text: str
    start: int
    turn: int
    by_mentor: bool

    @property
    def asks(self) -> bool:
        return _QUESTION.search(self.text) is not None


def turns_of(text: str, mentor: str | None) -> list[Turn]:
    """The turns in order; with no speaker label the whole text is one turn of the mentor's."""
    labels = list(_labels(text))
    if not labels:
        return [Turn(0, len(text), True)]
    mentors = _mentor_labels(text, labels, mentor)
    found = [Turn(0, labels[0].start(), True)] if labels[0].start() else []
    ends = [label.start() for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=True):
        by_mentor = label[1] in mentors
        paragraph = end if by_mentor else _end_of_paragraph(text, label.end(), end)
        found.append(Turn(label.end(), paragraph, by_mentor))
        if text[paragraph:end].strip():
            found.append(Turn(paragraph, end, True))
    return found


def sentences_of(text: str, turn: Turn, number: int) -> Iterator[Sentence]:
    """The sentences of a turn, none of them longer than `LONGEST_SENTENCE`."""
    start = turn.start
    for match in _END.finditer(text, turn.start, turn.end):
        near = max(start, match.end() - 8)
        if match[0] != "\n" and _ABBREVIATION.search(text, near, match.end()):
            continue
        yield from _pieces(text, start, match.end(), turn, number)
        start = match.end()
    yield from _pieces(text, start, turn.end, turn, number)


def _pieces(text: str, start: int, end: int, turn: Turn, number: int) -> Iterator[Sentence]:
    while end - start > LONGEST_SENTENCE:
        cut = text.rfind(" ", start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE)
        cut = cut if cut > 0 else start + LONGEST_SENTENCE
        yield Sentence(text[start:cut], start, number, turn.by_mentor)
        start = cut
    if end > start:
        yield Sentence(text[start:end], start, number, turn.by_mentor)


def _end_of_paragraph(text: str, start: int, end: int) -> int:
    """Where a mentee's turn ends: a label may be missing after it."""
    blank = text.find("\n\n", start, end)
    return end if blank < 0 else blank


def _labels(text: str) -> Iterator[re.Match[str]]:
    for match in _LABEL.finditer(text):
        if _is_name(match[1]):
            yield match


@lru_cache(maxsize=1024)
def _is_name(label: str) -> bool:
    return label.casefold() in _ROLES or (label[0].isupper() and not _HEADING.search(label))


def _mentor_labels(text: str, labels: list[re.Match[str]], mentor: str | None) -> set[str]:
    """Which labels mean the mentor. Two of the most frequent labels are taken to be spelt right."""
    counts = Counter(label[1] for label in labels)
    main = _main_labels(counts)
    chief = _chief(text, labels, main, mentor)
    spelt = [name for name, _ in counts.most_common(_SPELLINGS)]
    return {name for name in spelt if chief is not None and _nearest(name, main) == chief}


def _main_labels(counts: Counter[str]) -> list[str]:
    """The two speakers: the most frequent label, and the next that is no misspelling of it."""
    (first, most), *others = counts.most_common(_SPELLINGS)
    for name, count in others:
        if count > most / 2 or _likeness(name, first) < _ALIKE:
            return [first, name]
    return [first]


def _chief(
    text: str, labels: list[re.Match[str]], main: list[str], mentor: str | None
) -> str | None:
    named = [name for name in main if name.casefold() in _MENTOR_WORDS]
    if named:
        return named[0]
    if mentor:
        alike = max(main, key=lambda name: _likeness(name, mentor))
        if _likeness(alike, mentor) >= _ALIKE:
            return alike
        if len(main) == 1 and len(mentor) > 1:
            return None
    others = [name for name in main if name.casefold() not in _MENTEE_WORDS]
    return max(others, key=lambda name: _authority(text, labels, name), default=None)


def _nearest(name: str, main: list[str]) -> str:
    if name in main:
        return name
    return max(main, key=lambda known: _likeness(name, known))


def _likeness(name: str, other: str) -> float:
    """How alike two spellings of a name are, 0 to 1; a lone initial is fairly alike."""
    a, b = name.casefold(), other.casefold()
    if a == b:
        return 1.0
    if a in _ROLES or b in _ROLES:
        return 0.0
    shorter, longer = sorted((a, b), key=len)
    if longer.startswith(shorter):
        return 0.9
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _authority(text: str, labels: list[re.Match[str]], name: str) -> int:
    """How much a speaker instructs, less how much they acknowledge."""
    score = 0
    ends = [label.start() for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=True):
        if label[1] == name:
            said = text[label.end() : end]
            score += len(_DIRECTIVE.findall(said)) - len(_PLEDGE.findall(said))
    return score
