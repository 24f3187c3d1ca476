"""How wide a text comes out, and long labels on several lines.

An SVG has no layout of its own: who draws it has to know how much room a label takes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WIDTHS = {
    "ijl'|": 0.222,
    " ft,.I!/:;[]\\": 0.278,
    'r()-`"·': 0.345,
    "*^": 0.43,
    "cksvxyzJ": 0.5,
    "FTZ": 0.611,
    "ABEKPSVXY&": 0.667,
    "wCDHNRU": 0.722,
    "GOQ": 0.778,
    "mM%": 0.85,
    "W@—…": 1.0,
}
"""Of a character, in parts of the font's size: the metrics of Arial and Liberation Sans."""

_ROOM = 1.13
"""A browser may have neither and take a wider font."""

_WIDTH_OF = {character: width for characters, width in _WIDTHS.items() for character in characters}
_OTHER, _WIDE = 0.556, 1.0

_MOST_LINES = 4
"""Of a label: no name may crowd out the plot."""

_PIECE = re.compile(r"[^, ]+[, ]?|[, ]")
"""What stays together in a label: it may be parted behind a comma or a space."""


def text_width(text: str, size: float) -> float:
    """The room for a line of text in a font of that size, in the same unit."""
    return size * _ROOM * sum(map(_width, text))


def _width(character: str) -> float:
    if character in _WIDTH_OF:
        return _WIDTH_OF[character]
    return _WIDE if unicodedata.east_asian_width(character) in "WF" else _OTHER


def printable(text: str) -> str:
    """The text with a space for each control character, which no SVG may hold."""
    return "".join(c if c.isprintable() else " " for c in text)


def wrapped(label: str, width: float, size: float) -> list[str]:
    """The lines of a long spec or name that are no wider than `width`, parted at its commas and
    spaces where it has some; what is more than four lines is cut off with an ellipsis."""
    lines = [""]
    for piece in _pieces(printable(label), width - text_width("  ", size), size):
        if lines[-1].strip() and text_width(lines[-1] + piece.rstrip(), size) > width:
            lines.append("  ")
        lines[-1] += piece
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "  …"]


def _pieces(text: str, width: float, size: float) -> Iterator[str]:
    """What stays together, unless it is wider than a line."""
    for piece in _PIECE.findall(text):
        start = 0
        for end in range(1, len(piece) + 1):
            if text_width(piece[start : end + 1].rstrip(), size) > width or end == len(piece):
                yield piece[start:end]
                start = end
