"""Who is named as speaking: labels that are missing, misspelt or shortened, and stray text.

A transcript is paragraphs that open with ``Name:``; a speaker may go on in further paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memorycode.audit.problem import Problem
from memorycode.dialogue import Dialogue, Speakers
from memorycode.transcripts import Spelling, label_of, spelling_of

_SHOWN = 30
"""Characters of a stray line that are quoted."""


_FAULTS: Mapping[Spelling, str | None] = {
    "exact": None,
    "initials": "a speaker's initials for the name",
    "misspelt": "a speaker's name is misspelt",
}


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
    found = [label_of(paragraph, names) for paragraph in paragraphs]
    labels = [label.name if label else None for label in found]
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


def _fault(label: str, names: tuple[str, ...]) -> str | None:
    """What is wrong with a label: None for nothing, empty for a label of nobody's."""
    found = spelling_of(label, names)
    return _FAULTS[found[1]] if found else ""


def _excerpt(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
