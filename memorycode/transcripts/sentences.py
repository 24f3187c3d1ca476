"""A text cut into sentences: a line break ends one, an abbreviation or a list's number does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memorycode.transcripts.turns import Turn

LONGEST_SENTENCE = 700
"""Characters after which a turn's sentence without an end is cut, so that work on it is bounded."""

# Stops before a blank: behind a letter in any case (a chat may have no capitals), behind a value
# such as "a_" unless a small letter goes on. Or, where the blank is missing, a stop behind a
# quotation or before a word with a capital.
_END = re.compile(
    r"""\n
      | (?<=[^\W\d_]) [.!?]++ ["'”’)\]*`]*+ (?=\s|$)
      | (?<![^\W\d_]) (?<![.!?]) [.!?]++ ["'”’)\]*`]*+ (?=\s|$) (?![^\S\n]++[a-z])
      | ["'”’`][.!?](?=[A-Z])
      | [.!?](?=[A-Z][a-z]++[ ])
    """,
    re.VERBOSE,
)
_ABBREVIATION = re.compile(r"(?i)\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|a\.k\.a)\.$")
_NUMBER = re.compile(r"\s*\d{1,2}\.")
_LONGEST_EXCEPTION = 8
_QUESTION = re.compile(r"\?[\"'”’)\]*`]*\s*$")


class Sentence(NamedTuple):
    """One sentence of a turn; `turn` is its number, `start` an offset into the whole transcript."""

    text: str
    start: int
    turn: int
    by_mentor: bool

    @property
    def asks(self) -> bool:
        return _QUESTION.search(self.text) is not None


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text without the white space around them, blank ones left out."""
    start = 0
    for end in sentence_ends(text):
        if sentence := text[start:end].strip():
            yield sentence
        start = end


def sentence_ends(text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The offsets at which the sentences of ``text[start:end]`` end, the last being its end."""
    end = len(text) if end is None else end
    for match in _END.finditer(text, start, end):
        stop = match.end()
        # Most stops are no word's: they are told apart without a search.
        if not (text[stop - 1] == "." and text[stop - 2].isalnum() and _goes_on(text, start, stop)):
            start = stop
            yield stop
    if start < end:
        yield end


def sentences_of(turn: Turn) -> Iterator[Sentence]:
    """The sentences of what is said in a turn, none of them longer than `LONGEST_SENTENCE`."""
    start = turn.opens
    for end in sentence_ends(turn.transcript, turn.opens, turn.end):
        yield from _pieces(turn, start, end)
        start = end


def _goes_on(text: str, start: int, stop: int) -> bool:
    """Whether the full stop before `stop` is an abbreviation's, or numbers an item of a list."""
    near = max(start, stop - _LONGEST_EXCEPTION)
    if _ABBREVIATION.search(text, near, stop):
        return True
    return near == start and _NUMBER.fullmatch(text, start, stop) is not None


def _pieces(turn: Turn, start: int, end: int) -> Iterator[Sentence]:
    text = turn.transcript
    while end - start > LONGEST_SENTENCE:
        cut = text.rfind(" ", start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE)
        cut = cut if cut > 0 else start + LONGEST_SENTENCE
        yield Sentence(text[start:cut], start, turn.number, turn.by_mentor)
        start = cut
    if end > start:
        yield Sentence(text[start:end], start, turn.number, turn.by_mentor)
