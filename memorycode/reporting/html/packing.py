"""Data in the page that cost nothing until they are asked for: compressed, as a block of text.

A browser does not look into a script element of a type that it does not know, and base64 has no
``<`` that could end the element.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

TYPE = "application/octet-stream;base64"
_LEVEL = 6


def pack(value: Any) -> str:
    """The value as JSON, deflated, in base64. No time stands in it: equal values, equal text."""
    text = json.dumps(value, separators=(",", ":"))  # ASCII: half a surrogate pair is no harm
    return base64.b64encode(zlib.compress(text.encode("ascii"), _LEVEL)).decode("ascii")


def unpack(packed: str) -> Any:
    """The inverse of `pack`, up to tuples, which come back as lists."""
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def block(id_: str, packed: str) -> str:
    """The element that holds packed data; `id_` is plain letters, digits and hyphens."""
    return f'<script type="{TYPE}" id="{id_}">{packed}</script>\n'
