"""Who is the mentor and who the mentee, where a data set does not say: read off the transcripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memorycode.dialogue import Session, Speakers

_TURN = re.compile(r"^[ \t*_#]*([^\s*_#:][^\n:*_#]{0,39})[*_]*:(.*)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_SHARE = 0.75


class _Turn(NamedTuple):
    speaker: str
    words: frozenset[str]


def speakers_of(sessions: Sequence[Session]) -> Speakers | None:
    """The two most frequent speakers; the mentor is the one who tells more of the instructions.

    Where both tell as many, the mentor is who speaks first. None where fewer than two speak.
    """
    turns = [tuple(_turns(session.text)) for session in sessions]
    counts = Counter(turn.speaker for session in turns for turn in session)
    names = [name for name, _ in counts.most_common(2)]
    if len(names) < 2:
        return None
    told: Counter[str] = Counter()
    for session, spoken in zip(sessions, turns, strict=True):
        told.update(_tellers([t for t in spoken if t.speaker in names], session))
    opener = next(turn.speaker for session in turns for turn in session if turn.speaker in names)
    mentor = max(names, key=lambda name: (told[name], name == opener))
    (mentee,) = (name for name in names if name != mentor)
    return Speakers(mentor=mentor, mentee=mentee)


def _turns(text: str) -> Iterator[_Turn]:
    for match in _TURN.finditer(text):
        yield _Turn(match[1].strip(), _words(match[2]))


def _tellers(turns: Sequence[_Turn], session: Session) -> Iterable[str]:
    """Per instruction, who first says nearly as many of its words as any turn does."""
    if not turns:
        return
    for instruction in session.instructions:
        wanted = _words(instruction.text)
        shared = [len(wanted & turn.words) for turn in turns]
        enough = _SHARE * max(shared)  # an acknowledgement may repeat more than was said first
        if enough:
            yield next(t.speaker for t, n in zip(turns, shared, strict=True) if n >= enough)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
