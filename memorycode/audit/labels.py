"""Who is named as speaking: labels that are missing, misspelt or shortened, and stray text.

A transcript is paragraphs that open with ``Name:``; a speaker may go on in further paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from memorycode.audit.problem import Problem
from memorycode.dialogue import Dialogue, Speakers

_LABEL = re.compile(
    r"^[\s*_\"“(\[]*([^\W\d_][^\s:*\"”()\[\]]{0,30}(?:[ ,]{1,2}[^\s:*\"”()\[\]]{1,20})?)"
    r"[*_\"”)\]]*\s{0,3}:(?=\W|$)"
)
_ALIKE = 0.6
"""Likeness from which a label may be a misspelling of a name."""

_SHOWN = 30
"""Characters of a stray line that are quoted."""


def label_problems(dialogue: Dialogue) -> Iterator[Problem]:
    """Sessions whose turns do not all carry the mentor's or the mentee's name."""
    speakers = dialogue.context.speakers
    for session in dialogue.sessions:
        for detail in dict.fromkeys(_oddities(session.text, speakers)):
            yield Problem(
                dialogue=dialogue.number, session=session.index, kind="odd_label", detail=detail
            )


def _oddities(text: str, speakers: Speakers) -> Iterator[str]:
    names = (speakers.mentor, speakers.mentee)
    paragraphs = [line for line in text.splitlines() if line.strip()]
    labels = [_label(paragraph) for paragraph in paragraphs]
    if "```" in text:
        yield "a code fence stands among the turns"
    if not paragraphs:
        yield "the text is empty"
    elif not any(label and _fault(label, names) != "" for label in labels):
        yield "no turn is labelled"
        return
    elif labels[0] is None:
        yield f"the text opens without a label: {_excerpt(paragraphs[0])!r}"
    for label in dict.fromkeys(filter(None, labels)):
        if label not in names and (fault := _fault(label, names)):
            yield f"{fault}: {label!r}"


def _label(paragraph: str) -> str | None:
    match = _LABEL.match(paragraph)
    return match[1] if match else None


@lru_cache(maxsize=4096)
def _fault(label: str, names: tuple[str, ...]) -> str | None:
    """What is wrong with a label: None for nothing, empty for a label of nobody's."""
    if label in names:
        return None
    if label[0].isupper() and any(_letters(label) in _initials(name) for name in names):
        return "a speaker's initials for the name"
    if any(_is_like(label, name) for name in names):
        return "a speaker's name is misspelt"
    return ""


def _initials(name: str) -> tuple[str, str]:
    """Of all parts of a name, and of the first."""
    initials = "".join(part[0] for part in re.findall(r"\w+", name)).casefold()
    return initials, initials[:1]


def _is_like(label: str, name: str) -> bool:
    a, b = _letters(label), _letters(name)
    if len(a) < 2 or len(b) < 2 or not label[0].isupper():
        return False
    if a.startswith(b) or b.startswith(a):
        return True
    return SequenceMatcher(None, a, b, autojunk=False).ratio() >= _ALIKE


def _letters(text: str) -> str:
    return re.sub(r"[\W\d_]", "", text).casefold()


def _excerpt(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
