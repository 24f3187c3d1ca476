"""The table of where violated rules were lost."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.text import Text

from memorycode.reporting.cells import row_label
from memorycode.reporting.console import output, plain_table, printable, show
from memorycode.reporting.tables import notes, unfinished
from memorycode.results.summary import RunReport
from memorycode.scoring.attribution import CAUSES

CAUSE_NOTE = (
    "First cause that fits. Unsatisfiable: it and another active rule hold for no name together. "
    "Never stated: no session told it. Stale recalled: the memory gave an older version only. Not "
    "recalled: it gave neither. Stale obedience: given, but the code follows an older version. "
    "Recalled not followed: given, and no version followed."
)


def print_attribution(report: RunReport) -> None:
    """Where violated rules were lost, on standard output."""
    console = output()
    show(attribution_parts(report, console.width), console)


def attribution_parts(report: RunReport, width: int) -> Iterable[RenderableType]:
    """Where the rules that the strict scorer found violated were lost, per model."""
    yield from unfinished(report)
    for model in report.models:
        table = plain_table(f"Where rules were lost with {model.model.name}, strict scorer")
        table.add_column("strategy", overflow="fold", min_width=16)
        table.add_column("violated", justify="right", no_wrap=True)
        for cause in CAUSES:
            table.add_column(cause.replace("_", "\n"), justify="right", no_wrap=width > 90)
        for row in model.rows:
            causes = row.causes["strict"]
            counts = (f"{causes.get(cause, 0):,}" for cause in CAUSES)
            table.add_row(row_label(row), f"{sum(causes.values()):,}", *counts)
        yield table
    yield Text(printable("\n".join([CAUSE_NOTE, *notes(report)])), style="dim")
