"""Files that people bring from elsewhere, told by their fields and refused with what is taken."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from memorycode.errors import DatasetError

LAYOUTS = "docs/your-own-dialogues.md shows the layouts that are taken"

_MARKS: dict[str, tuple[str, ...]] = {
    "LoCoMo": ("conversation", "qa"),
    "LongMemEval": ("haystack_sessions",),
    "ShareGPT": ("conversations",),
    "chat messages": ("messages",),
}
"""The fields that tell a layout."""


def refuse_foreign_layout(fields: Collection[str], file: Path) -> None:
    """Raise `DatasetError` for an object whose fields are those of a layout from elsewhere."""
    for name, marks in _MARKS.items():
        if all(mark in fields for mark in marks):
            raise DatasetError(
                f"this is the layout of {name} (it has {' and '.join(marks)}), which is not taken: "
                f"its questions have no rules that code can be held to. {LAYOUTS}",
                file=file,
            )
