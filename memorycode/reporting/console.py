"""Where tables go: a terminal of any width, or a pipe, which gets 100 columns and no colour."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

WIDTH = 100
"""Columns where the output is no terminal; tables are made to fit them."""


def output() -> Console:
    """Standard output."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH, color_system=None)


def show(parts: Iterable[RenderableType], console: Console) -> None:
    """Print one after the other."""
    for part in parts:
        console.print(part)


def plain_table(title: str | None) -> Table:
    """A table in the house style."""
    return Table(
        title=Text(printable(title)) if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )


def printable(text: str) -> str:
    """The text without control characters, which could rewrite a terminal."""
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)
