"""What the colours, marks and patterns of a figure stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memorycode.figures.axes import LINE
from memorycode.figures.marks import bar, line, mark, text
from memorycode.figures.style import SMALL, Look, are_numbers
from memorycode.figures.text import text_width, wrapped
from memorycode.markup import Node
from memorycode.results.figures.series import Drawing, Value

_SIGN, _GAP = 16.0, 10.0
"""The room for a sign before its name, and between two columns."""


class Legend:
    """A grid of signs and names; nothing where there is one thing only, for then the title says
    what it is."""

    def __init__(
        self, name: str, drawing: Drawing, looks: Mapping[Value, Look], width: float
    ) -> None:
        self._name, self._drawing, self._width = name, drawing, width
        self._looks = looks if len(looks) > 1 else {}
        room = width - _SIGN
        self._lines = {value: wrapped(str(value), room, SMALL) for value in self._looks}
        widest = max(
            (text_width(words, SMALL) for lines in self._lines.values() for words in lines),
            default=0,
        )
        self._step = _SIGN + widest + _GAP
        self._columns = max(1, min(6, len(self._looks), int((width + _GAP) // self._step)))
        self._title = drawing.by.replace("_", " ") if are_numbers(list(looks)) else ""

    @property
    def height(self) -> float:
        if not self._looks:
            return 0
        return LINE * (sum(self._row_lines()) + bool(self._title)) + 2

    def parts(self, top: float) -> Iterator[Node]:
        """The legend from `top` on, in the middle."""
        if not self._looks:
            return
        left = max(0, (self._width - self._columns * self._step + _GAP) / 2)
        y = top + LINE
        if self._title:
            yield text((self._width / 2, y), self._title)
            y += LINE
        rows = self._row_lines()
        for place, (value, look) in enumerate(self._looks.items()):
            row, column = divmod(place, self._columns)
            x, at = left + column * self._step, y + LINE * sum(rows[:row])
            yield from self._sign(x, at - SMALL * 0.35, look)
            for number, words in enumerate(self._lines[value]):
                yield text((x + _SIGN, at + number * LINE), words, anchor="start")

    def _row_lines(self) -> list[int]:
        """How many lines each row has."""
        counts = [len(lines) for lines in self._lines.values()]
        return [max(counts[at : at + self._columns]) for at in range(0, len(counts), self._columns)]

    def _sign(self, x: float, y: float, look: Look) -> Iterator[Node]:
        kind = self._drawing.kind
        if kind in ("bars", "stacked"):
            yield from bar((x + 1, y - 3.2), (11, 6.4), look, "", self._name)
            return
        if kind == "lines":
            yield line([(x, y), (x + 13, y)], f"{look.color} {look.dashes}")
        yield mark((x + 6.5, y), look, 1.9)
