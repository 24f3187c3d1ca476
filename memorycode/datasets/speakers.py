"""Who is the mentor and who the mentee, where a data set does not say: read off the transcripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memorycode.dialogue import Session, Speakers
from memorycode.transcripts import labels_in

_WORD = re.compile(r"\w+")
_SHARE = 0.75


class _Said(NamedTuple):
    speaker: str
    words: frozenset[str]


def speakers_of(sessions: Sequence[Session]) -> Speakers | None:
    """The two most frequent speakers; the mentor is the one who tells more of the instructions.

    Where both tell as many, the mentor is who speaks first. None where fewer than two speak.
    """
    said = [tuple(_said(session.text)) for session in sessions]
    counts = Counter(one.speaker for session in said for one in session)
    names = [name for name, _ in counts.most_common(2)]
    if len(names) < 2:
        return None
    told: Counter[str] = Counter()
    for session, spoken in zip(sessions, said, strict=True):
        told.update(_tellers([one for one in spoken if one.speaker in names], session))
    opener = next(one.speaker for session in said for one in session if one.speaker in names)
    mentor = max(names, key=lambda name: (told[name], name == opener))
    (mentee,) = (name for name in names if name != mentor)
    return Speakers(mentor=mentor, mentee=mentee)


def _said(text: str) -> Iterator[_Said]:
    """What stands in the line of each label."""
    for label in labels_in(text):
        end = text.find("\n", label.end)
        yield _Said(label.name, _words(text[label.end : end if end >= 0 else None]))


def _tellers(spoken: Sequence[_Said], session: Session) -> Iterable[str]:
    """Per instruction, who first says nearly as many of its words as anyone does at once."""
    if not spoken:
        return
    for instruction in session.instructions:
        wanted = _words(instruction.text)
        shared = [len(wanted & one.words) for one in spoken]
        enough = _SHARE * max(shared)  # an acknowledgement may repeat more than was said first
        if enough:
            yield next(s.speaker for s, n in zip(spoken, shared, strict=True) if n >= enough)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
