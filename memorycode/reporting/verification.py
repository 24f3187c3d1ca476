"""What `memorycode verify` prints: recorded outputs against the paper's Table 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from memorycode.reporting.columns.cells import decimal, words
from memorycode.reporting.columns.table import Cell, Column, Table
from memorycode.reporting.console import output, printable
from memorycode.reporting.terminal import drawn
from memorycode.results.published import DIALOGUES, PublishedCell, Verification


def print_verification(verification: Verification) -> None:
    """A row per cell of the table, what the comparison can show, and what it leaves out."""
    console = output()
    caption = "Recorded outputs by the official scorer beside the paper's Table 4"
    console.print(drawn(Table(caption, _COLUMNS, verification.cells), console.width))
    console.print(Text(" ".join(_explained(verification.cells)), style="dim"))
    for line in _left_out(verification):
        console.print(Text(printable(line), style="dim"))


def _title(cell: PublishedCell) -> str:
    return cell.column.replace("_", " ")


def _mean(mean: float | None, se: float | None) -> Cell:
    shown = decimal(mean)
    return shown if mean is None or se is None else Cell(f"{shown.text} ± {se:.2f}", mean)


def _deviation(cell: PublishedCell) -> Cell:
    return Cell("" if cell.deviation is None else f"{cell.deviation:+.1f} SE", cell.deviation)


_COLUMNS: tuple[Column[PublishedCell], ...] = (
    Column("model", lambda cell: words(cell.model), is_number=False),
    Column("column", lambda cell: words(_title(cell)), is_number=False),
    Column("paper", lambda cell: _mean(cell.published, cell.published_se)),
    Column("here", lambda cell: _mean(cell.mean, cell.se)),
    Column("dialogues", lambda cell: Cell(f"{cell.dialogues} of {DIALOGUES[cell.column]}")),
    Column("deviation", _deviation),
    Column("finding", lambda cell: words(cell.finding), is_number=False),
)


def _explained(cells: Sequence[PublishedCell]) -> Iterator[str]:
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
