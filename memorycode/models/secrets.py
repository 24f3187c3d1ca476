"""Keeps keys out of all that is shown or written down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import JsonValue

SHORTEST_SECRET = 8
"""Shorter keys are words such as EMPTY, given to endpoints that ask for none; answers may hold
such a word."""

HIDDEN = "[key]"

_NAMES_SECRET = re.compile(r"key|token(?!iz)|auth|secret|password|cookie|credential", re.IGNORECASE)
_SCHEME = re.compile(r"^(?:bearer|basic|token)\s+", re.IGNORECASE)
_COUNTS_TOKENS = re.compile(r"tokens$", re.IGNORECASE)


class Secrets:
    """The secrets of one model. Its text for people never shows one."""

    def __init__(self, values: Iterable[str]) -> None:
        bare = {_SCHEME.sub("", value.strip()) for value in values}
        # The longest first: one may be a part of another.
        self._values = sorted((v for v in bare if len(v) >= SHORTEST_SECRET), key=len, reverse=True)

    def removed_from(self, text: str) -> str:
        """The text with `HIDDEN` for each secret: endpoints like to repeat what they were sent."""
        for value in self._values:
            text = text.replace(value, HIDDEN)
        return text


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
