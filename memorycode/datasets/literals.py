"""Lists and objects that a column holds as text: JSON, or what Python prints of them.

The text is data from a stranger. It is never evaluated: its tokens must be those of plain literals,
few enough and not deeply nested, before `ast.literal_eval` is handed it.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

MAX_DEPTH = 20
MAX_CHARACTERS = 64_000_000
MAX_TOKENS = 500_000
"""Of a Python literal, whose parser takes some 500 bytes for each; the release's longest dialogues,
of a hundred sessions, have fewer than 10,000."""

_TOKEN = re.compile(
    r"""(?P<space> \s++ )
    | (?P<string> "[^"\\\n]*+(?:\\.[^"\\\n]*+)*+" | '[^'\\\n]*+(?:\\.[^'\\\n]*+)*+' )
    | (?P<open> [\[({] ) | (?P<close> [\])}] ) | (?P<mark> [,:] )
    | (?P<number> -?\d++(?:\.\d*+)?(?:[eE][+-]?\d++)? )
    | (?P<name> True|False|None|true|false|null )""",
    re.VERBOSE | re.DOTALL,
)
_NAMES = {"true": "True", "false": "False", "null": "None"}


def decode(value: Any) -> Any:
    """A column's value as JSON would give it; a value that is no text is taken as decoded.

    Tuples and arrays become lists. Raises `ValueError` with what is wrong.
    """
    return _plain(_decoded(value) if isinstance(value, str) else value, MAX_DEPTH)


def _decoded(text: str) -> Any:
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"{len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as error:
        return _python_literal(text, not_json=str(error))


def _python_literal(text: str, *, not_json: str) -> Any:
    problem = f"neither JSON ({not_json}) nor a Python literal"
    source = "".join(_tokens(text, problem))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that Python does not know
            return ast.literal_eval(source.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError(f"{problem} ({str(error)[:80]})") from None


def _tokens(text: str, problem: str) -> Iterator[str]:
    """The tokens of `text`, words of JSON as Python's; `ValueError` at anything but literals."""
    position = count = depth = 0
    last = ""
    while match := _TOKEN.match(text, position):
        kind = str(match.lastgroup)
        count += 1
        depth += (kind == "open") - (kind == "close")
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        if count > MAX_TOKENS:
            raise ValueError(f"{problem} (over {MAX_TOKENS:,} tokens)")
        if kind == last == "string":  # Python would join them: an array printed without commas
            raise ValueError(f"{problem} (no comma between strings, character {position})")
        last = last if kind == "space" else kind
        yield _NAMES.get(match[0], match[0])
        position = match.end()
    if position != len(text):
        raise ValueError(f"{problem} (character {position}: {text[position : position + 20]!r})")


def _plain(value: Any, depth: int) -> Any:
    if depth < 0:
        raise ValueError("nested too deeply")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth - 1) for item in value]
    return value
