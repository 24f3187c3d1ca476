"""Texts that stand in a dialogue's data once, however often they are recalled or answered."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Numbered(Generic[T]):
    """Distinct values, numbered in the order in which they were first met."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def get(self, value: T) -> int | None:
        """The number of a value that is there."""
        return self._numbers.get(value)

    @property
    def values(self) -> list[T]:
        return list(self._numbers)


class Texts(Numbered[str]):
    """Lines. A text is the numbers of its lines: a passage that repeats half a session, or an
    answer that repeats another, costs a few digits a line."""

    def text(self, text: str) -> list[int]:
        """The numbers of the lines, which joined by line ends are the text to the byte."""
        return [self.number(line) for line in text.split("\n")]
