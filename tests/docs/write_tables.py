"""Writes the tables of the docs that follow from the code: ``make docs``.

A table stands between ``<!-- NAME -->`` and ``<!-- /NAME -->``; a test says when it is not true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from memorycode.ablation.grid import Grid
from memorycode.ablation.options import RetrievalOptions
from memorycode.experiment import Experiment
from memorycode.generation.options import GenerationOptions
from memorycode.options import table_of
from memorycode.running.execution import Execution
from tests.prove.survivors import survivors_table

ROOT = Path(__file__).resolve().parents[2]

TABLES: Mapping[str, tuple[str, Callable[[], str]]] = {
    "options": ("docs/running.md", lambda: table_of(Experiment)),
    "execution": ("docs/running.md", lambda: table_of(Execution)),
    "generation": ("docs/generating.md", lambda: table_of(GenerationOptions, named="in Python")),
    "grid": ("docs/retrieval-ablation.md", lambda: table_of(Grid)),
    "retrieval": (
        "docs/retrieval-ablation.md",
        lambda: table_of(RetrievalOptions, named="in Python"),
    ),
    "survivors": ("docs/testing.md", survivors_table),
}
"""By name, the page that has the table, and what makes it."""


def with_table(page: str, name: str, table: str) -> str:
    """The page with the table between its marks. Raises `ValueError` where these are not there."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not marks.search(page):
        raise ValueError(f"no marks for the table {name}")
    return marks.sub(lambda found: f"{found[1]}{table}{found[2]}", page)


def main() -> None:
    for name, (page, make) in TABLES.items():
        file = ROOT / page
        text = file.read_text(encoding="utf-8")
        file.write_text(with_table(text, name, make()), encoding="utf-8")


if __name__ == "__main__":
    main()
