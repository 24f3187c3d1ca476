"""Takes a prompt apart: who the mentor is, what is remembered, and the piece of code asked for.

Prompts come from any pack, so nothing here depends on the wording of one. What opens a prompt and
what asks the question are never read as memory: a rule is the mentor's to state.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memorycode.protocols import Prompt
from memorycode.transcripts import is_heading, labels_in, sentences

_PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n\s*")
_ASKED_FOR = re.compile(r"\b(?:function|class)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\bfunction\s+(?:that|which|to)\b|\bclass\s+(?:that|which|to|with|using)\b|\bclass\W*$",
    re.IGNORECASE,
)

_OPENING_READ = 5000
"""Characters of an opening in which the mentor is looked for."""

_MENTOR = re.compile(r"\bmentor", re.IGNORECASE)
_CAPITALISED = re.compile(r"\b[^\W\d_][\w-]*")
_NO_NAMES = frozenset(
    ("A", "All", "An", "And", "He", "Her", "Here", "His", "I", "In", "It", "Mentee", "Mentor")
) | frozenset(("My", "She", "The", "Their", "They", "This", "Today", "You", "Your"))
_OWNS_MENTOR = re.compile(r"['’]s\s+(?:\w+\s+)?")
_OTHERS = re.compile(r"\w*\s+(?:at|for|from|in|of|to)\s+")
_SENTENCE_END = re.compile(r"[.!?]\s|\n")
_OTHER_SENTENCE = 100
"""Characters that a sentence's end counts for between a name and the word "mentor"."""


class Reading(NamedTuple):
    """A prompt in its three parts; `passages` is what is remembered, in order."""

    opening: str
    passages: tuple[str, ...]
    question: str


def read_prompt(prompt: Prompt) -> Reading:
    """Tell the parts apart: all but the first and the last are memory.

    Of a conversation, what is asked is the last part that asks for code, for feedback on the answer
    may follow it; what the assistant said itself is no memory.
    """
    if prompt.is_conversation:
        return _read_conversation(prompt)
    parts = prompt.parts
    if len(parts) > 1:
        return Reading(parts[0], parts[1:-1], parts[-1])
    return _read_text(prompt.text)


def _read_conversation(prompt: Prompt) -> Reading:
    told = [message for message in prompt.messages if message.role != "assistant"]
    whole = next((place for place, message in enumerate(told) if len(message.parts) > 1), None)
    if whole is None:
        return _read_text("\n\n".join(message.text for message in told))
    # The first message of several parts is a prompt as a run makes it: opening, memory, question.
    first, *parts = (part for message in told[whole:] for part in message.parts)
    opening = "\n\n".join([*(message.text for message in told[:whole]), first])
    asking = [place for place, part in enumerate(parts) if _ASKS.search(part)]
    last = asking[-1] if asking else len(parts) - 1
    return Reading(opening, tuple(parts[:last] + parts[last + 1 :]), parts[last])


def _read_text(text: str) -> Reading:
    """Take one text apart by its paragraphs: what precedes the first turn opens it, and what
    follows the last turn asks. Without turns these are the first paragraph and the last; a
    single paragraph is all there is to remember and to ask."""
    paragraphs = _PARAGRAPH_END.split(text.strip())
    if len(paragraphs) == 1:
        return Reading("", (text,), text)
    end = len(paragraphs) - 1
    turns = _turns(paragraphs[:end])
    first, tail = (turns[0], turns[-1] + 1) if turns else (1, end)
    # A turn may go on for several paragraphs, so the question starts where something is asked for.
    asking = (number for number in range(tail, end) if _ASKS.search(paragraphs[number]))
    last = next(asking, end)
    memory = "\n\n".join(paragraphs[first:last])
    return Reading(
        opening="\n\n".join(paragraphs[:first]),
        passages=(memory,) if memory else (),
        question="\n\n".join(paragraphs[last:]),
    )


def _turns(paragraphs: list[str]) -> list[int]:
    """The places of the paragraphs that are turns. What asks for code may look like one ("Write
    this: …"), but such a label comes only once."""
    labels = [[label.name for label in labels_in(text)] for text in paragraphs]
    counts = Counter(label for found in labels for label in found)
    return [
        number
        for number, found in enumerate(labels)
        if found and (counts[found[0]] > 1 or not _ASKS.search(paragraphs[number]))
    ]


@lru_cache(maxsize=4096)
def query_of(question: str) -> str:
    """The piece of code asked for: the first sentence that asks for a function or a class, or at
    least speaks of one, from its last colon on; the last sentence where none does."""
    said = list(sentences(question))
    asking = [text for form in (_ASKS, _ASKED_FOR) for text in said if form.search(text)]
    return next(iter([*asking, *said[-1:]]), "").rpartition(": ")[2]


def labels_of(passage: str) -> frozenset[str]:
    """What stands before a colon at the start of a line: speakers' names, and the like."""
    return frozenset(label.name for label in labels_in(passage))


@lru_cache(maxsize=1024)
def mentor_of(opening: str, labels: frozenset[str]) -> str | None:
    """The name nearest to the word "mentor" in the opening, None where no name is near one.

    The names are the speakers' where the opening says one of them, else its capitalised words.
    """
    text = opening[:_OPENING_READ]
    return _nearest(text, _spoken(text, labels)) or _nearest(text, _capitalised(text))


@lru_cache(maxsize=1024)
def mentee_of(opening: str, labels: frozenset[str], mentor: str | None) -> str | None:
    """The other speaker whom the opening names, first where it names several; None for nobody.

    A name that is also a word over lists ("Note") is left out: notes have labels as well.
    """
    others = frozenset(label for label in labels if label != mentor and not is_heading(label))
    named = _spoken(opening[:_OPENING_READ], others)
    return min(named, default=(0, 0, None))[2] if mentor else None


def _spoken(text: str, labels: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Where the labels occur in the text, as start, end and label."""
    lowered = text.lower()
    said = sorted((label for label in labels if label.lower() in lowered), key=len, reverse=True)
    # The longer names come first, so that "Ann" is not read into "Ann Lee".
    forms = "|".join(
        # "Mentor" may itself be the label, and is then seldom written with a capital elsewhere.
        f"(?i:{label})" if label == "Mentor" else re.escape(label)
        for label in said
    )
    for match in re.finditer(rf"(?<!\w)(?:{forms or '(?!)'})(?!\w)", text):
        label = next((label for label in said if label == match[0]), "Mentor")
        yield match.start(), match.end(), label


def _capitalised(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _CAPITALISED.finditer(text):
        if match[0][0].isupper() and match[0] not in _NO_NAMES:
            yield match.start(), match.end(), match[0]


def _nearest(text: str, names: Iterator[tuple[int, int, str]]) -> str | None:
    mentions = [match.span() for match in _MENTOR.finditer(text)]
    distances = [
        (distance, name)
        for start, end, name in names
        for mention in mentions
        if (distance := _distance(text, (start, end), mention)) is not None
    ]
    return min(distances)[1] if distances else None


def _distance(text: str, name: tuple[int, int], mention: tuple[int, int]) -> int | None:
    """Characters between a name and a mention of a mentor; None where the name is another's, as
    in "Noah's mentor" and "the mentor of Noah"."""
    if name[0] >= mention[1]:
        gap = text[mention[1] : name[0]]
        other = _OTHERS.fullmatch(gap)
    else:
        gap = text[name[1] : mention[0]]
        other = _OWNS_MENTOR.fullmatch(gap)
    if other:
        return None
    return len(gap) + (_OTHER_SENTENCE if _SENTENCE_END.search(gap) else 0)
