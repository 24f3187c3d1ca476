"""The columns that name a row of a run's tables, and what all of its columns are over."""

from __future__ import annotations

from collections.abc import Iterable

from memorycode.reporting.columns.cells import named, words
from memorycode.reporting.columns.table import Cell, Column, of_part
from memorycode.reporting.report_rows import NamedRow, ReportRows, run_name
from memorycode.results.strategy_row import StrategyRow

Columns = list[Column[NamedRow]]


def names(rows: ReportRows) -> Columns:
    """Those that name a row."""
    columns: Columns = [Column("strategy", lambda r: named(r.row.label, r.marks), is_number=False)]
    if rows.has_several_models:
        columns.append(Column("model", lambda r: words(r.model.name), is_number=False))
    if rows.has_several_runs:
        columns.append(Column("run", _run, is_number=False))
    return columns


def _run(named_row: NamedRow) -> Cell:
    return Cell(run_name(named_row.run).replace(" ", "\u00a0"), named_row.run)


def of_rows(columns: Iterable[Column[StrategyRow]]) -> Columns:
    return of_part(columns, lambda named_row: named_row.row)
