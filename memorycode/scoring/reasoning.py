"""What a model thought aloud, in ``<think>`` tags, is not its answer."""

from __future__ import annotations

import re
from itertools import islice

_TAG = re.compile(r"(?i)<(/?)(?:think|thinking|thought|reasoning)>")
_BESIDE = 100
MAX_TAGS = 10_000
"""Tags that are looked at; what follows is text."""


def without_reasoning(text: str) -> str:
    """The text without its reasoning, which may lack its closing tag (the answer was cut short) or
    its opening one (the prompt held it). Tags within code, fenced or quoted, are not looked at."""
    kept: list[str] = []
    end = counted = fences = 0
    is_thinking = has_opened = False
    for tag in islice(_TAG.finditer(text), MAX_TAGS):
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
            is_stray = not has_opened and text[start - 1 : start] not in ("'", '"')
            end = tag.end() if is_stray and fences % 2 == 0 else end
        else:
            has_opened = True
            if fences % 2 == 0 and _starts_line(text, start):
                kept.append(text[end:start])
                is_thinking = True
    return "".join(kept) + ("" if is_thinking else text[end:])


def _starts_line(text: str, at: int) -> bool:
    before = text[max(0, at - _BESIDE) : at]
    return not before.rpartition("\n")[2].strip()
