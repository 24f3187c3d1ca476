"""A transcript cut into turns: who says what, for strategies that keep less than a session."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memorycode.dialogue import SessionView, Speakers


class Turn(NamedTuple):
    """What one speaker says in one go.

    `text` is as it stands, opened by the speaker's name; `said` is without the name. Text before
    the first name belongs to nobody: its `speaker` is empty.
    """

    speaker: str
    text: str
    said: str


def turns_of(session: SessionView) -> list[Turn]:
    """The turns of a session in order. A line that no name opens continues the turn before it."""
    labels = list(_label(session.speakers).finditer(session.text))
    starts = [label.start() for label in labels] + [len(session.text)]
    unnamed = session.text[: starts[0]].strip()
    found = [Turn("", unnamed, unnamed)]
    for label, end in zip(labels, starts[1:], strict=True):
        text = session.text[label.start() : end].strip()
        found.append(Turn(label[1], text, session.text[label.end() : end].strip()))
    return [turn for turn in found if turn.text]


@lru_cache(maxsize=256)
def _label(speakers: Speakers) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in (speakers.mentor, speakers.mentee) if name)
    return re.compile(
        rf"^[^\S\n]*[*_]{{0,2}}({names or '(?!)'})[*_]{{0,2}}:[*_]{{0,2}}", re.MULTILINE
    )
