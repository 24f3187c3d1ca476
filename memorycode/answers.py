"""Reads the JSON in a model's answer, whatever stands around it.

A model that is held to a schema answers with JSON alone. Another puts it in a fence, talks around
it, or breaks off in the middle: what can be read of it is read, and nothing is ever run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pydantic import JsonValue

READ_CHARACTERS = 200_000
"""Of an answer; what follows is not read."""

_ATTEMPTS = 500
"""Brackets at which JSON is looked for."""

_OPENING = re.compile(r"[\[{]")
_SPACE = re.compile(r"\s+")


def json_values(answer: str) -> Iterator[JsonValue]:
    """The JSON lists and objects in an answer, in order, the outermost that are complete."""
    text = answer[:READ_CHARACTERS]
    read = json.JSONDecoder().raw_decode
    place = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(text, place)
        if opening is None:
            return
        place = opening.end()
        try:
            value, place = read(text, opening.start())
        except (ValueError, RecursionError):
            continue  # no JSON, or broken off: there may be some further inside
        yield value


def one_line(text: str) -> str:
    """The text with every run of white space as one space: it cannot open a turn of its own."""
    return _SPACE.sub(" ", text).strip()
