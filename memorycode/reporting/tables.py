"""The tables of a run in a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from memorycode.reporting.columns.table import legend
from memorycode.reporting.console import WIDTH, output, printable, show
from memorycode.reporting.notes import notes, unfinished, warnings
from memorycode.reporting.report_rows import ReportRows
from memorycode.reporting.run_tables import (
    RunTable,
    attribution_table,
    memory_table,
    repeat_tables,
    score_table,
    session_table,
    spending_table,
    verdict_table,
    ways_table,
)
from memorycode.reporting.terminal import drawn
from memorycode.results.summary import RunReport


def print_report(report: RunReport) -> None:
    """The comparison table of a run on standard output."""
    console = output()
    show(report_parts(report, console.width), console)


def print_attribution(report: RunReport) -> None:
    """Where violated rules were lost, on standard output."""
    console = output()
    show(attribution_parts(report, console.width), console)


def report_text(report: RunReport) -> str:
    """The comparison table as plain text."""
    text = io.StringIO()
    show(report_parts(report, WIDTH), Console(file=text, width=WIDTH, color_system=None))
    return text.getvalue()


def report_parts(report: RunReport, width: int) -> Iterable[RenderableType]:
    """Tables of scores and of what they rest on, per model; then what one has to know."""
    yield from _with_notes(report, [*_tables(report)], width)
    yield Text(f"Records: {report.folder}", no_wrap=True, overflow="ignore")


def attribution_parts(report: RunReport, width: int) -> Iterable[RenderableType]:
    """Where the rules that the strict scorer found violated were lost, per model."""
    rows = (ReportRows.of_model(report, model) for model in report.models)
    yield from _with_notes(report, [attribution_table(one) for one in rows], width)


def _tables(report: RunReport) -> Iterator[RunTable]:
    for model in report.models:
        rows = ReportRows.of_model(report, model)
        yield score_table(rows)
        sessions = session_table(rows)
        if sessions is not None:
            yield sessions
        yield ways_table(rows)
        yield memory_table(rows)
        yield verdict_table(rows)
        yield from repeat_tables(rows)
        if model.model.is_language_model:
            yield spending_table(rows)


def _with_notes(
    report: RunReport, tables: Sequence[RunTable], width: int
) -> Iterator[RenderableType]:
    for line in unfinished(report):
        yield Text(line, style="bold")
    for table in tables:
        yield drawn(table, width)
    shown = [column for table in tables for column in table.fitting(width)]
    lines = [*notes(report), *warnings(report), legend(shown)]
    yield Text(printable("\n".join(lines)), style="dim")
