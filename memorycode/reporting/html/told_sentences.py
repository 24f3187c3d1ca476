"""Where in a session the mentor tells each of its rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memorycode.dialogue import Session, Speakers
from memorycode.rules import Rule
from memorycode.scoring.detection import Detection
from memorycode.transcripts import sentences_of, turns_in

Span = tuple[int, int]
"""Offsets into a text, in UTF-16 code units, as browsers count."""


def told_spans(
    session: Session, speakers: Speakers, found: Sequence[Detection]
) -> dict[Rule, tuple[Span, ...]]:
    """The sentences that state the session's rules; `found` is what the detector finds in it.

    A rule that it does not find, whose wording attribution calls not told, has none.
    """
    return {
        rule: tuple(_sentences(session.text, speakers, [d for d in found if d.rule == rule]))
        for rule in dict.fromkeys(session.rules)
    }


def _sentences(text: str, speakers: Speakers, detections: list[Detection]) -> Iterator[Span]:
    """The sentences that the detections begin in, without white space around them."""
    starts = sorted(detection.start for detection in detections)
    if not starts:
        return
    for turn in turns_in(text, speakers.mentor, speakers.mentee):
        for sentence in sentences_of(turn):
            end = sentence.start + len(sentence.text)
            if any(sentence.start <= start < end for start in starts):
                lead = len(sentence.text) - len(sentence.text.lstrip())
                yield (
                    _units(text, sentence.start + lead),
                    _units(text, sentence.start + len(sentence.text.rstrip())),
                )


def _units(text: str, offset: int) -> int:
    return len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2
