"""The mutants that live, with the reasons, as tests/prove/mutants.toml lists them.

A mutant is named by the line that it makes, or, where it only takes a line away, by that line.
"""

from __future__ import annotations

import html
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

CONFIG = Path(__file__).with_name("mutants.toml")


class Survivors(NamedTuple):
    """Mutants of one module that live for one reason."""

    module: str
    mutants: tuple[str, ...]
    reason: str


def tests_by_module() -> Mapping[str, list[str]]:
    """The modules that are mutated, each with the tests that have to notice."""
    tests: Mapping[str, list[str]] = _config()["tests"]
    return tests


def known_survivors() -> list[Survivors]:
    """Raises `KeyError` where an entry lacks its module, its mutants or its reason."""
    return [
        Survivors(entry["module"], tuple(entry["mutants"]), entry["reason"])
        for entry in _config().get("survivors", ())
    ]


def survivors_table() -> str:
    """The Markdown table of docs/testing.md."""
    rows = [
        f"| `{Path(module).name}` | {'<br>'.join(map(_code, mutants))} | {reason} |"
        for module, mutants, reason in known_survivors()
    ]
    return "\n".join(["| module | mutants | why they live |", "|---|---|---|", *rows, ""])


def _code(line: str) -> str:
    return f"<code>{html.escape(line, quote=False).replace('|', '&#124;')}</code>"


def _config() -> dict[str, Any]:
    return tomllib.loads(CONFIG.read_text(encoding="utf-8"))
