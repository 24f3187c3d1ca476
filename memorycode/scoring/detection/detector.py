"""Which coding rules a text states.

Rules of language only: nothing is learned, no sentence is known beforehand, values are open. A text
is cut into turns and sentences (`transcripts`), a sentence into tokens (`phrases`), these make
claims (`naming`, `presence`, `imports`, each in a mood: `moods`), and claims become rules
(`reading`).
"""

from __future__ import annotations

import re

from memorycode.scoring.detection.reading import Reader
from memorycode.scoring.detection.stated import Detection, Wording
from memorycode.transcripts import sentences_of, turns_in

__all__ = ["Detection", "Wording", "detect"]

_STEMS = (
    "function", "method", "class", "attribut", "variab", "argument", "param", "_", "@", "annotat",
    " hint", "hints", "assert", "docstring", "doc string", "doc-string", "comment", "decorat",
    "import", "module", "prefix", "suffix", "digit", "nam", "string", "snake", "camel", "pascal",
    "upper", "caps", "capital", "try stat", "try bl", "try-", "try/", "try cl", "try ex", "try'",
    "try`", "try and", "the same",
)  # fmt: skip
"""A sentence with none of these says nothing about code; they are looked for before anything."""

_QUOTED = re.compile(r"['\"`‘“]\w{1,20}['\"`’”]")
_OPENING = 60
"""Characters of a turn that show whether it opens with *yes*."""


def detect(
    text: str, mentor: str | None = None, mentee: str | None = None
) -> tuple[Detection, ...]:
    """The coding rules that hold after `text`, in the order stated.

    `mentor` is the name of the one who instructs; without it the one who does is guessed. A text
    without speaker labels is the mentor's word throughout. Takes any text, in linear time.
    """
    turns = turns_in(text, mentor, mentee)
    reader = Reader(bare=not any(turn.speaker for turn in turns))
    for turn in turns:
        said = text[turn.opens : turn.end]
        reader.open_turn(said[:_OPENING], turn.by_mentor)
        if _may_matter(said):
            for sentence in sentences_of(turn):
                if _may_matter(sentence.text):
                    reader.read(sentence)
    return reader.result()


def _may_matter(text: str) -> bool:
    low = text.lower()
    for stem in _STEMS:  # a plain loop: this is run on every sentence
        if stem in low:
            return True
    return _QUOTED.search(text) is not None
