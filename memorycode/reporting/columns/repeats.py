"""Columns of what asking every question several times showed."""

from __future__ import annotations

from memorycode.reporting.columns.cells import COLUMN_TITLES, percent
from memorycode.reporting.columns.rows import Columns, of_rows
from memorycode.reporting.columns.table import Cell, Column
from memorycode.reporting.report_rows import ReportRows
from memorycode.results.answers import Column as Table4Column
from memorycode.results.strategy_row import StrategyRow
from memorycode.scoring.scorers import ScorerName

_MOST_REPEATS = 5
"""Up to so many repeats of a question there is a column for each number of them."""


def repeats(rows: ReportRows, scorer: ScorerName) -> Columns:
    """How far the score varies over the repeats, and in how many of them all rules are followed."""
    most = max(one.repeats for one in rows.settings)
    shown = range(1, most + 1) if most <= _MOST_REPEATS else (1, most)
    room = 16 + 9 * len(rows.table4_columns) * (most + 1)
    return of_rows(
        column
        for table4 in rows.table4_columns
        for column in (
            _deviation(scorer, table4),
            *(_at_least(scorer, table4, k, most, room) for k in shown),
        )
    )


def _deviation(scorer: ScorerName, column: Table4Column) -> Column[StrategyRow]:
    return Column(
        f"{COLUMN_TITLES[column]} deviation",
        lambda row: percent(
            row.repeats[scorer].standard_deviation[column] if row.repeats else None
        ),
        help="standard deviation of the score over the repeats",
        term="deviation",
        unit="%",
    )


def _at_least(
    scorer: ScorerName, column: Table4Column, k: int, most: int, room: int
) -> Column[StrategyRow]:
    """Those between the first and the last need a terminal with `room`."""

    def cell(row: StrategyRow) -> Cell:
        shares = row.repeats[scorer].at_least if row.repeats else {}
        return percent(shares[k][column].mean if k in shares else None)

    return Column(
        f"{COLUMN_TITLES[column]} k={k}",
        cell,
        help="share of the questions all of whose rules are followed in k repeats or more, of "
        f"those all of whose repeats have a score (k=1 is pass@{most}, k={most} pass^{most})",
        term="k",
        needs=0 if k in (1, most) else room,
        unit="%",
    )
