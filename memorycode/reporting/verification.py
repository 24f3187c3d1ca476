"""What `memorycode verify` prints: recorded outputs against the paper's Table 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from memorycode.reporting.console import output, plain_table
from memorycode.results.published import DIALOGUES, Cell


def print_verification(cells: Sequence[Cell]) -> None:
    """A row per cell of the table, and what the comparison can show."""
    console = output()
    table = plain_table("Recorded outputs by the official scorer beside the paper's Table 4")
    table.add_column("model", overflow="fold")
    table.add_column("column")
    for title in ("paper", "here", "dialogues", "deviation"):
        table.add_column(title, justify="right")
    table.add_column("finding")
    for cell in cells:
        here = "–" if cell.mean is None else f"{cell.mean:.1f}"
        here += "" if cell.se is None else f" ± {cell.se:.2f}"
        table.add_row(
            cell.model,
            cell.column.replace("_", " "),
            f"{cell.published:.1f} ± {cell.published_se:.2f}",
            here,
            f"{cell.dialogues} of {DIALOGUES[cell.column]}",
            "" if cell.deviation is None else f"{cell.deviation:+.1f} SE",
            cell.finding,
        )
    console.print(table)
    console.print(Text(" ".join(_explained(cells)), style="dim"))


def _explained(cells: Sequence[Cell]) -> Iterator[str]:
    good = sum(cell.agrees for cell in cells)
    yield f"{good} of {len(cells)} cells agree."
    if any(cell.deviation is not None for cell in cells):
        yield (
            "With a part of the dialogues the means cannot equal the paper's. The deviation is in "
            "standard errors of what leaving the others out may do; beyond 3 something is wrong. "
            "Only all 360 dialogues can show equal digits."
        )
