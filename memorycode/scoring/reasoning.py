"""What a model thought aloud, in ``<think>`` tags, is not its answer."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice

_TAG = re.compile(r"(?i)<(/?)(?:think|thinking|thought|reasoning)>")
_BESIDE = 100
_QUOTES = ("'", '"', "`")
MAX_TAGS = 10_000
"""Tags that are looked at; what follows is text."""


def without_reasoning(text: str) -> str:
    """The text without its reasoning.

    It may lack its closing tag (the answer was cut short) or its opening one (the prompt held it),
    and may open within a line if it closes in another. Tags within code, fenced or quoted, are not
    looked at.
    """
    kept: list[str] = []
    end = counted = fences = 0
    is_thinking = has_opened = False
    tags = list(islice(_TAG.finditer(text), MAX_TAGS))
    closings = [tag.start() for tag in tags if tag[1]]
    line_ends = _line_ends_before(text, closings)
    for tag in tags:
        is_closing, start = bool(tag[1]), tag.start()
        if is_thinking:
            if is_closing:
                is_thinking = has_opened = False
                end = counted = tag.end()
                fences = 0
            continue
        fences += text.count("```", counted, start)
        counted = start
        if is_closing:
            is_stray = not has_opened and text[start - 1 : start] not in _QUOTES
            end = tag.end() if is_stray and fences % 2 == 0 else end
        else:
            has_opened = True
            if fences % 2 == 0 and (
                _starts_line(text, start)
                or (
                    text[start - 1 : start] not in _QUOTES
                    and _spans_lines(tag.end(), closings, line_ends)
                )
            ):
                kept.append(text[end:start])
                is_thinking = True
    return "".join(kept) + ("" if is_thinking else text[end:])


def _starts_line(text: str, at: int) -> bool:
    before = text[max(0, at - _BESIDE) : at]
    return not before.rpartition("\n")[2].strip()


def _line_ends_before(text: str, places: Sequence[int]) -> list[int]:
    """For each of the places, which ascend, where the last line before it ended; -1 for none. The
    text is read once, however many there are."""
    ends, last, start = [], -1, 0
    for place in places:
        last = max(last, text.rfind("\n", start, place))
        ends.append(last)
        start = place
    return ends


def _spans_lines(start: int, closings: Sequence[int], line_ends: Sequence[int]) -> bool:
    """Whether what a tag opens is closed on a later line, and so no mere mention of the tag."""
    following = bisect_left(closings, start)
    return following < len(closings) and line_ends[following] >= start


def is_reasoning_alone(text: str) -> bool:
    """Whether a text that is not empty has nothing in it but reasoning: one after the other, and
    closed or not."""
    rest = without_reasoning(text)
    at = 0
    # What follows a closed one on its line is text to `without_reasoning`, a further one too.
    for tag in islice(_TAG.finditer(rest), MAX_TAGS):
        if tag.start() < at:
            continue
        if rest[at : tag.start()].strip():
            return False
        at = _end_of(rest, tag)
    return not rest[at:].strip()


def _end_of(text: str, tag: re.Match[str]) -> int:
    """Where what the tag opens is closed, or the text's end."""
    if tag[1]:
        return tag.end()
    closing = next((found for found in _TAG.finditer(text, tag.end()) if found[1]), None)
    return closing.end() if closing else len(text)
