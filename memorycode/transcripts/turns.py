"""A transcript cut into turns: who says what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memorycode.dialogue import SessionView
from memorycode.transcripts.speaker_labels import Label, labels_in
from memorycode.transcripts.speakers import Role, roles_of

_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")


_Opening = tuple[str, bool, int, int]
"""Of a turn: who speaks, whether that is the mentor's word, where it begins, and what is said."""


class Turn(NamedTuple):
    """What one speaker says in one go.

    `speaker` is the speaker's name as it is known, else the label as it stands; it is empty where
    nobody is named. What nobody is named for counts as the mentor's word (`by_mentor`): a label
    may be missing. The turn is ``transcript[start:end]``, what is said in it begins at `opens`;
    `number` counts the turns.
    """

    speaker: str
    by_mentor: bool
    number: int
    transcript: str
    start: int
    opens: int
    end: int

    @property
    def text(self) -> str:
        """The turn as it stands, with its label, without the white space around it."""
        return self.transcript[self.start : self.end].strip()

    @property
    def said(self) -> str:
        """The turn without its label and the white space around it."""
        return self.transcript[self.opens : self.end].strip()


def turns_of(session: SessionView) -> list[Turn]:
    """The turns of a session in order, blank ones left out."""
    speakers = session.speakers
    found = turns_in(session.text, speakers.mentor, speakers.mentee)
    return [turn for turn in found if turn.text]


def turns_in(text: str, mentor: str | None = None, mentee: str | None = None) -> list[Turn]:
    """The turns in order; together they are the text to the letter.

    A name that is not given is read off the text. A line that no speaker's name opens continues the
    turn before it; but a paragraph without a name after the mentee's is nobody's, since the mentor
    may have lost a label there. A text without speakers is one turn, nobody's.
    """
    names = ((mentor or "").strip(), (mentee or "").strip())
    labels = list(labels_in(text, names))
    roles = roles_of(text, labels, *names) if labels else {}
    spoken = [label for label in labels if label.name in roles]
    openings = list(_openings(text, spoken, roles, names))
    ends = [start for _, _, start, _ in openings[1:]] + [len(text)]
    return [
        Turn(speaker, by_mentor, number, text, start, opens, end)
        for number, ((speaker, by_mentor, start, opens), end) in enumerate(
            zip(openings, ends, strict=True)
        )
    ]


def _openings(
    text: str, labels: Sequence[Label], roles: Mapping[str, Role], names: tuple[str, str]
) -> Iterator[_Opening]:
    if not labels or labels[0].start:
        yield "", True, 0, 0
    ends = [label.start for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=False):
        by_mentor = roles[label.name] == "mentor"
        name = names[0 if by_mentor else 1]
        yield name or label.name, by_mentor, label.start, label.end
        blank = None if by_mentor else _BLANK_LINE.search(text, label.end, end)
        if blank and text[blank.start() : end].strip():
            yield "", True, blank.start(), blank.start()


def labelled(speaker: str, said: str) -> str:
    """A turn as it is written down."""
    return f"{speaker}: {said}"


def joined(turns: Iterable[str]) -> str:
    """Turns as a transcript: one a paragraph."""
    return "\n\n".join(turns)
