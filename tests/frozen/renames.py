"""The map of what may differ from the frozen outputs: keys under other names, never dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

Keys = tuple[str, ...]
"""The way to a value in JSON; to a column of a table, its name alone."""


def place_of(file: str, keys: Keys) -> str:
    """A place as differences name it and patterns match it."""
    return f"{file}: {'/'.join(keys)}"


@dataclass(frozen=True)
class Renames:
    """What may differ, by patterns of places such as ``report/*.json: */samples/spread``.

    `keys` gives a key or a column another name: the pattern has the frozen one. `values` gives
    texts another wording, by pattern and by what they were, whole or between marks, as a model's
    name stands in a question's id. `added` are patterns of keys and columns that may be new. In a
    pattern ``*`` stands for anything, slashes among it.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    added: Sequence[str] = ()

    def key(self, file: str, keys: Keys) -> str:
        """What the last of the keys is called now."""
        if not self.keys:
            return keys[-1]
        place = place_of(file, keys)
        names = (new for pattern, new in self.keys.items() if fnmatchcase(place, pattern))
        return next(names, keys[-1])

    def value(self, file: str, keys: Keys, value: Any) -> Any:
        """How a frozen value at that place reads now."""
        if not self.values or not isinstance(value, str):
            return value
        place = place_of(file, keys)
        for pattern, words in self.values.items():
            if fnmatchcase(place, pattern):
                for old, new in words.items():
                    value = _replaced(value, old, new)
        return value

    def may_add(self, file: str, keys: Keys) -> bool:
        """Whether the key or column may be there though it is not frozen."""
        place = place_of(file, keys)
        return any(fnmatchcase(place, pattern) for pattern in self.added)


def read_renames(file: Path) -> Renames:
    """The committed map. Raises `ValueError` for a part that is none of its own."""
    given = json.loads(file.read_text(encoding="utf-8"))
    if unknown := set(given) - {"keys", "values", "added"}:
        raise ValueError(f"{file}: {', '.join(sorted(unknown))}: there are keys, values and added")
    return Renames(given.get("keys", {}), given.get("values", {}), tuple(given.get("added", ())))


def _replaced(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", lambda _: new, text)
