"""Text that any file can hold."""

from __future__ import annotations


def encodable(text: str) -> str:
    """Names of folders and foreign texts may hold halves of characters, which no file can: they are
    written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
