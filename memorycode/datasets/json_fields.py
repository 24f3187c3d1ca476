"""Checked access to fields of decoded JSON; every error names file, place and field."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from memorycode.errors import DatasetError, Unreadable
from memorycode.text_files import parse_json, parse_json_rows, read_text

T = TypeVar("T")

_TYPE_NAMES: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "a whole number",
    bool: "true or false",
}


def read_json(file: Path) -> Any:
    """The decoded content of a file, or `DatasetError` with line and column."""
    return _read(file, parse_json)


def read_json_rows(file: Path) -> list[Any]:
    """The values of a file that is a JSON list or JSONL, or `DatasetError` with the line."""
    return _read(file, parse_json_rows)


def _read(file: Path, parse: Callable[[str], T]) -> T:
    try:
        return parse(read_text(file))
    except Unreadable as error:
        raise DatasetError(error.problem, file=file, where=error.where) from error


class JsonFields:
    """One JSON object and where it stands, for reading typed fields out of it."""

    def __init__(self, data: Any, *, file: Path, where: str = "") -> None:
        self.file, self.where = file, where
        if not isinstance(data, dict):
            raise DatasetError(f"found {describe(data)}, want an object", file=file, where=where)
        self.data: dict[str, Any] = data

    def at(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def fail(self, key: str, problem: str) -> NoReturn:
        raise DatasetError(problem, file=self.file, where=self.at(key))

    def only(self, *known: str) -> None:
        """Refuse fields that this layout does not have: they would be lost on writing."""
        for key in self.data:
            if key not in known:
                self.fail(key, f"unknown field; known are {', '.join(known)}")

    def get(self, key: str, kind: type[T]) -> T:
        value = self._typed(key, kind)
        if isinstance(value, str):
            self._whole(value, key)
        return value

    def _typed(self, key: str, kind: type[T]) -> T:
        if key not in self.data:
            self.fail(key, f"missing; want {_TYPE_NAMES[kind]}")
        value = self.data[key]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.fail(key, f"found {describe(value)}, want {_TYPE_NAMES[kind]}")
        return value

    def _whole(self, text: str, key: str) -> None:
        """Refuse half a surrogate pair, which no UTF-8 file could hold."""
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(key, "holds half a surrogate pair (\\ud800 to \\udfff)")

    def text_list(self, key: str) -> list[str]:
        values = self.foreign_text_list(key)
        for number, value in enumerate(values):
            self._whole(value, f"{key}[{number}]")
        return values

    def foreign_text(self, key: str) -> str:
        """A text as some model wrote it: it may hold half a surrogate pair."""
        return self._typed(key, str)

    def foreign_text_list(self, key: str) -> list[str]:
        """Texts as some model wrote them: they may hold half a surrogate pair."""
        values = self.get(key, list)
        for number, value in enumerate(values):
            if not isinstance(value, str):
                self.fail(f"{key}[{number}]", f"found {describe(value)}, want a string")
        return values

    def same_length(self, key: str, have: int, other: str, want: int) -> None:
        """Whether two lists that run in parallel are as long.

        Args:
            key: the list at fault if they are not.
            have: its length.
            other: the list that it goes with.
            want: the length of that one.

        Raises:
            DatasetError: they differ.
        """
        if have != want:
            self.fail(key, f"{have} entries, but {other} has {want}; they run in parallel")


def describe(value: Any) -> str:
    """A short word for a JSON value that is of the wrong type."""
    if value is None:
        return "null"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 41 else f"{text[:40]}…"
