"""Where in a text a line is opened by a speaker's name and a colon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_BEFORE = r"^[^\S\n]*+(?:[-•#>]{1,3}[ \t]++)?(?:\[[^\]\n]{0,40}\][ \t]*+)?[*_\"“(\[]{0,3}"
"""A bullet, a time in brackets, emphasis, a quotation mark."""

_AFTER = r"[*_\"”)\]]{0,3}[ \t]{0,3}:"
_DECORATION = ' \t*_"”'
_BRACKETS = {")": "(", "]": "["}


class Label(NamedTuple):
    """A name before a colon: ``text[start:end]`` is all of it with what decorates it.

    `known` says whether it is one of the names that were looked for. Any other may be a heading,
    or half a sentence.
    """

    name: str
    start: int
    end: int
    known: bool


def labels_in(text: str, names: tuple[str, ...] = ()) -> Iterator[Label]:
    """All that may be a speaker's label: `names` to the letter, and what else precedes a colon."""
    yield from map(_label, _pattern(names).finditer(text))


def label_of(line: str, names: tuple[str, ...] = ()) -> Label | None:
    """The label that opens a line, None where none does."""
    match = _pattern(names).match(line)
    return _label(match) if match else None


def _label(match: re.Match[str]) -> Label:
    if match[1] is not None:
        return Label(match[1], match.start(), match.end(), known=True)
    name = match[2].rstrip(_DECORATION)
    if name[-1] in _BRACKETS and _BRACKETS[name[-1]] not in name:
        name = name[:-1].rstrip(_DECORATION)
    return Label(name, match.start(), match.end(), known=False)


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    known = "|".join(re.escape(name) for name in names if name) or "(?!)"
    # Emphasis may be closed behind the colon; it is not part of what is said.
    return re.compile(
        rf"{_BEFORE}(?:({known}){_AFTER}|(\w[^\n:]{{0,59}}+):(?=[\s*\"“_]|$))(?:[*_]{{1,2}})?",
        re.MULTILINE,
    )
