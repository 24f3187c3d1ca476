"""What a chat message holds, taken apart: the answer, the reasoning and the refusal in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, JsonValue

_TEXT = frozenset(("text", "output_text"))
_REASONING = ("thinking", "reasoning", "reasoning_content", "text", "summary", "content")
"""Where a part that is reasoning has its text, by vendor."""


class Content(NamedTuple):
    """A message's content in its kinds; each is empty where there is none of it."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""


def read_content(content: object) -> Content:
    """The content, which is a text, a list of parts or None.

    Parts of text are the answer, parts of thinking the reasoning; others (a picture, a call of a
    tool) are neither. Raises `ValueError` for content of another shape.
    """
    if content is None or isinstance(content, str):
        return Content(content or "")
    if not isinstance(content, list):
        raise ValueError("want a text or a list of parts")
    parts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    if not all(isinstance(part, Mapping) for part in parts):
        raise ValueError("want parts that are texts or objects")
    kinds = [(f"{part.get('type', '')}", part) for part in parts]
    return Content(
        text="".join(_text(part.get("text")) for kind, part in kinds if kind in _TEXT),
        reasoning="\n\n".join(filter(None, (_thoughts(p) for kind, p in kinds if _thinks(kind)))),
        refusal="".join(_text(part.get("refusal")) for kind, part in kinds if kind == "refusal"),
    )


def _checked(content: JsonValue) -> JsonValue:
    read_content(content)
    return content


ContentValue = Annotated[JsonValue, BeforeValidator(_checked)]
"""A message's content as it came, once it is certain that it can be read."""


def _thinks(kind: str) -> bool:
    return "thinking" in kind or "reasoning" in kind


def _thoughts(part: Mapping[str, Any]) -> str:
    return next(filter(None, (_text(part.get(name)) for name in _REASONING)), "")


def _text(value: object) -> str:
    """A text, or the texts of a list of parts, one after the other."""
    if isinstance(value, list):
        return "".join(_pieces(value))
    return value if isinstance(value, str) else ""


def _pieces(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        piece = part.get("text") if isinstance(part, Mapping) else part
        yield piece if isinstance(piece, str) else ""
