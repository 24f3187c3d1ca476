"""Keeps keys out of all that is shown or written down.

Secrets are looked for in what was decoded, never in what came over the wire: there a key may stand
escaped. Text that quotes JSON or an address still holds escapes, so these are seen through too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, JsonValue

from memorycode.plugin_faults import optional

SHORTEST_SECRET = 8
"""Shorter keys are words such as EMPTY, given to endpoints that ask for none; answers may hold
such a word."""

SHORTEST_IN_ENVIRONMENT, LONGEST_WORD = 12, 20
"""Of a variable nobody knows whether it holds a key or a word such as ``localdevelopment``: it
counts from the first of these lengths on, and letters alone from the second."""

HIDDEN = "[key]"

_NAMES_SECRET = re.compile(r"key|token(?!iz)|auth|secret|password|cookie|credential", re.IGNORECASE)
_NAMES_VARIABLE = re.compile(r"API_?KEY$|(?:^|_)(?:KEY|TOKEN|SECRET)$", re.IGNORECASE)
_LOOKS_SECRET = re.compile(r"^(?=.*\d)(?=.*[a-zA-Z])\S{12,}$")
_SCHEME = re.compile(r"^[a-z][\w-]*\s+", re.IGNORECASE)
_PIECES = re.compile(r"[\s,;=\"']+")
_COUNTS_TOKENS = re.compile(r"tokens$", re.IGNORECASE)
# An escape may itself be escaped, but a run of backslashes without end would take time without end.
_ESCAPE = re.compile(
    r"\\{1,8}u([0-9a-f]{4})|\\{1,8}x([0-9a-f]{2})|%(?:25){0,8}([0-9a-f]{2})|"
    r"&#x0{0,8}([0-9a-f]{2,4});|&#0{0,8}([0-9]{2,4});|\\{1,8}([/\"'])|\\{2,8}",
    re.IGNORECASE,
)
_MARKS = ("\\", "%", "&#")
"""One of these stands in every escape."""

Lines = TypeVar("Lines", bound=BaseModel)


class Secrets:
    """Values that must not be seen. Its text for people never shows one."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        whole = {value.strip() for value in values}
        bare = whole | {_SCHEME.sub("", value) for value in whole}
        # The longest first: one may be a part of another.
        self._values = sorted((v for v in bare if len(v) >= SHORTEST_SECRET), key=len, reverse=True)

    @cached_property
    def _escaped(self) -> re.Pattern[str]:
        return re.compile("|".join(map(_in_any_writing, self._values)))

    @classmethod
    def known_to(cls, *holders: object) -> Secrets:
        """What the environment holds and what models say that they know (`secrets`)."""
        found = cls(environment_secrets())
        for holder in holders:
            known = optional(holder, "secrets", None)
            if isinstance(known, Secrets):
                found = found | known
        return found

    def with_environment(self) -> Secrets:
        """These and what the environment holds by now: a plug-in may read a file of keys late."""
        now = environment_secrets()
        return self if set(now) <= set(self._values) else self | Secrets(now)

    def __bool__(self) -> bool:
        return bool(self._values)

    def __or__(self, other: Secrets) -> Secrets:
        return Secrets([*self._values, *other._values])

    def removed_from(self, text: str) -> str:
        """The text with `HIDDEN` for each secret: endpoints like to repeat what they were sent."""
        for value in self._values:
            text = text.replace(value, HIDDEN)
        if self._values and any(mark in text for mark in _MARKS):
            plain = _ESCAPE.sub(_unescaped, text)
            if any(value in plain for value in self._values):
                return self._escaped.sub(HIDDEN, text)
        return text

    def removed_from_value(self, value: JsonValue) -> JsonValue:
        """The value with no secret in any of its texts, the names of fields among them."""
        if isinstance(value, str):
            return self.removed_from(value)
        if isinstance(value, list):
            return [self.removed_from_value(part) for part in value]
        if isinstance(value, dict):
            pairs = value.items()
            return {self.removed_from(f"{key}"): self.removed_from_value(v) for key, v in pairs}
        return value

    def removed_from_model(self, line: Lines, *, keeping: frozenset[str] = frozenset()) -> Lines:
        """The model with no secret in it; the fields in `keeping` stay as they are."""
        if not self._values or self.removed_from(text := line.model_dump_json()) == text:
            return line
        told = line.model_dump(mode="json", exclude_unset=True)
        clean = {
            name: value if name in keeping else self.removed_from_value(value)
            for name, value in told.items()
        }
        return type(line).model_validate(clean)


def secret_headers(headers: Mapping[str, str]) -> list[str]:
    """The values of headers that are secret by their names, or by their looks: long, of letters
    and digits, in one word."""
    named = secrets_in(headers)
    # A cookie, or what a scheme takes besides, holds its secret among other things.
    pieces = [piece for value in named for piece in _PIECES.split(value)]
    return [*named, *filter(_LOOKS_SECRET.search, [*headers.values(), *pieces])]


@lru_cache(maxsize=1000)
def names_a_key(variable: str) -> bool:
    """Whether the variable's name is a usual one for keys."""
    return bool(_NAMES_VARIABLE.search(variable))


def environment_secrets() -> list[str]:
    """What the variables with usual names for keys hold, where it can be no word."""
    return secrets_named(os.environ)


def secrets_named(values: Mapping[str, str]) -> list[str]:
    """Of values by name, those with a usual name for keys, where they can be no word."""
    # By name first: to look up a value of the environment decodes it, and this is asked often.
    held = (values[name].strip() for name in values if names_a_key(name))
    return [value for value in held if _is_no_word(value)]


def _is_no_word(value: str) -> bool:
    return len(value) >= (LONGEST_WORD if value.isalpha() else SHORTEST_IN_ENVIRONMENT)


def _in_any_writing(value: str) -> str:
    """A pattern for the value with any of its characters escaped as JSON, Python, addresses or
    pages do it."""
    return "".join(map(_character, value))


def _character(c: str) -> str:
    code = ord(c)
    return (
        rf"(?:\\{{0,8}}{re.escape(c)}|\\{{1,8}}(?i:u{code:04x}|x{code:02x})"
        rf"|(?i:%(?:25){{0,8}}{code:02x})|(?i:&#(?:x0{{0,8}}{code:x}|0{{0,8}}{code});))"
    )


def _unescaped(found: re.Match[str]) -> str:
    *hexadecimal, decimal, itself = found.groups()
    if digits := next(filter(None, hexadecimal), None):
        return chr(int(digits, 16))
    return chr(int(decimal)) if decimal else itself or "\\"


def named_as_secret(name: str) -> bool:
    """Whether a header or field of that name holds a secret, by its name."""
    return bool(_NAMES_SECRET.search(name)) and not _COUNTS_TOKENS.search(name)


def shown(value: JsonValue, name: str = "") -> JsonValue:
    """The value as it may be written down: what is named as a secret is hidden."""
    if isinstance(value, dict):
        return {key: shown(part, key) for key, part in value.items()}
    if isinstance(value, list):
        return [shown(part, name) for part in value]
    return HIDDEN if isinstance(value, str) and named_as_secret(name) else value


def secrets_in(value: JsonValue | Mapping[str, Any], name: str = "") -> list[str]:
    """All texts in the value that are named as secrets."""
    if isinstance(value, Mapping):
        return [text for key, part in value.items() for text in secrets_in(part, key)]
    if isinstance(value, list):
        return [text for part in value for text in secrets_in(part, name)]
    return [value] if isinstance(value, str) and named_as_secret(name) else []
