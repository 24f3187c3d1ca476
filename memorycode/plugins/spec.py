"""How a plug-in is named on a command line.

::

    NAME[:key=value,…]                    an installed one (an entry point)
    module:attribute[:key=value,…]        any importable class or function
    NAME:module:attribute[:key=value,…]   an installed adapter, and what it adapts

Whose value is itself a spec, as a retriever's is, parts its parameters by semicolons:
``rag:k=5,retriever=bm25:k1=1.2;b=0.5``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from memorycode.errors import UsageError
from memorycode.options import read_pairs

_PART = re.compile(r"[^:=,\s]+")
_MOST_PARTS = 3


@dataclass(frozen=True)
class Spec:
    """A parsed spec: `name` is an entry point's name or ``module:attribute``; `target` is what an
    adapter adapts, ``module:attribute`` too, or empty."""

    text: str
    name: str
    target: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)


def parse_spec(text: str, separator: str = ",") -> Spec:
    """Take a spec apart. Raises `UsageError` where it is not in the form."""
    segments = text.split(":")
    first = next((i for i, segment in enumerate(segments) if "=" in segment), len(segments))
    parts, given = segments[:first], ":".join(segments[first:])
    if not (1 <= len(parts) <= _MOST_PARTS and all(map(_PART.fullmatch, parts))):
        raise UsageError(f"{text!r} is no plug-in: write NAME or module:attribute, then :key=value")
    is_adapter = len(parts) == _MOST_PARTS
    return Spec(
        text=text,
        name=parts[0] if is_adapter else ":".join(parts),
        target=":".join(parts[1:]) if is_adapter else "",
        parameters=read_pairs(text, given.split(separator) if given else []),
    )
