"""What `memorycode verify` prints: recorded outputs against the paper's Table 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from memorycode.reporting.console import output, plain_table, printable
from memorycode.results.published import DIALOGUES, Cell, Verification


def print_verification(verification: Verification) -> None:
    """A row per cell of the table, what the comparison can show, and what it leaves out."""
    console = output()
    table = plain_table("Recorded outputs by the official scorer beside the paper's Table 4")
    table.add_column("model", overflow="fold")
    table.add_column("column")
    for title in ("paper", "here", "dialogues", "deviation"):
        table.add_column(title, justify="right")
    table.add_column("finding")
    for cell in verification.cells:
        table.add_row(
            cell.model,
            _title(cell),
            _mean(cell.published, cell.published_se),
            _mean(cell.mean, cell.se),
            f"{cell.dialogues} of {DIALOGUES[cell.column]}",
            "" if cell.deviation is None else f"{cell.deviation:+.1f} SE",
            cell.finding,
        )
    console.print(table)
    console.print(Text(" ".join(_explained(verification.cells)), style="dim"))
    for line in _left_out(verification):
        console.print(Text(printable(line), style="dim"))


def _title(cell: Cell) -> str:
    return cell.column.replace("_", " ")


def _mean(mean: float | None, se: float | None) -> str:
    if mean is None:
        return "–"
    return f"{mean:.1f}" if se is None else f"{mean:.1f} ± {se:.2f}"


def _explained(cells: Sequence[Cell]) -> Iterator[str]:
    good = sum(cell.agrees for cell in cells)
    yield f"{good} of {len(cells)} cells agree."
    if any(cell.deviation is not None for cell in cells):
        yield (
            "With a part of the dialogues the means cannot equal the paper's. The deviation is in "
            "standard errors of what leaving the others out may do; beyond 3 something is wrong. "
            "Only all 360 dialogues can show equal digits."
        )
    for cell in cells:
        if cell.scored < cell.dialogues:
            yield (
                f"{cell.model}, {_title(cell)}: the mean is over {cell.scored} dialogues; in the "
                "others the answers have no object of a rule, which is left out, in the paper too."
            )


def _left_out(verification: Verification) -> Iterator[str]:
    if verification.unknown_folders:
        yield f"Left out, no model of Table 4: {', '.join(verification.unknown_folders)}."
    if verification.absent_models:
        yield f"In Table 4, but not in this folder: {', '.join(verification.absent_models)}."
