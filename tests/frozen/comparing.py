"""Compares an output with the frozen one and names every place that differs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from tests.frozen.renames import Keys, Renames, place_of

_SHOWN = 160
"""Characters of a value that a difference shows."""


class Difference(NamedTuple):
    """Where an output differs: the file and the keys of JSON or the line and column of a table;
    and the two values there."""

    place: str
    frozen: str
    new: str

    def __str__(self) -> str:
        return f"{self.place}\n    frozen  {self.frozen}\n    new     {self.new}"


def differences(file: str, frozen: str, new: str, renames: Renames) -> Iterator[Difference]:
    """Every difference that the map does not admit; none of equal bytes."""
    if file.endswith(".csv"):
        yield from _of_tables(file, frozen, new, renames)
    elif frozen != new or renames != Renames():
        yield from _of_values(file, (), json.loads(frozen), json.loads(new), renames)


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────


def _of_values(
    file: str, keys: Keys, frozen: Any, new: Any, renames: Renames
) -> Iterator[Difference]:
    if isinstance(frozen, dict) and isinstance(new, dict):
        yield from _of_objects(file, keys, frozen, new, renames)
    elif isinstance(frozen, list) and isinstance(new, list):
        if len(frozen) != len(new):
            lengths = f"{len(frozen)} items", f"{len(new)} items"
            yield Difference(place_of(file, keys), *lengths)
        for number, (old, now) in enumerate(zip(frozen, new, strict=False)):
            yield from _of_values(file, (*keys, str(number)), old, now, renames)
    else:
        expected = renames.value(file, keys, frozen)
        # As text: 1 is not 1.0, and nothing else equals what is no number.
        if json.dumps(expected) != json.dumps(new):
            yield Difference(place_of(file, keys), _shown(frozen), _shown(new))


def _of_objects(
    file: str, keys: Keys, frozen: dict[str, Any], new: dict[str, Any], renames: Renames
) -> Iterator[Difference]:
    known = set()
    for key, value in frozen.items():
        name = renames.key(file, (*keys, key))
        place = place_of(file, (*keys, key))
        if name in known:
            yield Difference(place, f"a key of its own, now {name}", "another key has that name")
        elif name not in new:
            yield Difference(place, _shown(value), f"dropped: no key {name}")
        else:
            yield from _of_values(file, (*keys, key), value, new[name], renames)
        known.add(name)
    for key, value in new.items():
        if key not in known and not renames.may_add(file, (*keys, key)):
            yield Difference(place_of(file, (*keys, key)), "no such key", _shown(value))


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


# ── tables ────────────────────────────────────────────────────────────────────────────────────


def _of_tables(file: str, frozen: str, new: str, renames: Renames) -> Iterator[Difference]:
    kept, there = _rows(frozen), _rows(new)
    expected = _renamed(file, kept, renames)
    wanted = _without_added(file, expected, there, renames)
    found = list(_of_rows(file, expected, wanted))
    if not found and kept == there and frozen != new:
        found = [Difference(file, "these cells", "the same cells, written otherwise")]
    yield from found


def _rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def _renamed(file: str, rows: list[list[str]], renames: Renames) -> list[list[str]]:
    if not rows:
        return []
    head, *others = rows
    return [
        [renames.key(file, (column,)) for column in head],
        *(
            [renames.value(file, (c,), cell) for c, cell in zip(head, row, strict=True)]
            for row in others
        ),
    ]


def _without_added(
    file: str, expected: list[list[str]], rows: list[list[str]], renames: Renames
) -> list[list[str]]:
    """The rows without the columns that may be new."""
    if not (expected and rows):
        return rows
    kept = [
        number
        for number, column in enumerate(rows[0])
        if column in expected[0] or not renames.may_add(file, (column,))
    ]
    return [[row[number] for number in kept if number < len(row)] for row in rows]


def _of_rows(file: str, expected: list[list[str]], rows: list[list[str]]) -> Iterator[Difference]:
    if expected[:1] != rows[:1]:
        # Cells below other columns say nothing.
        yield Difference(f"{file}, line 1", _line(expected[:1]), _line(rows[:1]))
        return
    for number, (old, now) in enumerate(zip_longest(expected, rows), start=1):
        place = f"{file}, line {number}"
        if old is None or now is None or len(old) != len(now):
            yield Difference(place, _line([old] if old else []), _line([now] if now else []))
            continue
        for column, was, is_now in zip(expected[0], old, now, strict=True):
            if was != is_now:
                yield Difference(f"{place}, {column}", was, is_now)


def _line(rows: list[list[str]]) -> str:
    return ",".join(rows[0]) if rows else "no such line"
