"""Cells that several tables have: names, columns, numbers."""

from __future__ import annotations

from rich.text import Text

from memorycode.reporting.console import printable
from memorycode.results.answers import Column
from memorycode.results.means import Estimate
from memorycode.results.strategy_row import StrategyRow

ORACLE_MARK = " ◆"

COLUMN_TITLES: dict[Column, str] = {
    "instruction": "instruction",
    "session": "session",
    "short_history": "short",
    "long_history": "long",
}


def row_label(row: StrategyRow) -> Text:
    """A strategy's name as every table has it, marked if it is an oracle."""
    label = Text(printable(row.label))
    if row.oracle:
        label.append(ORACLE_MARK, style="bold")
    return label


def mean_percent(estimate: Estimate) -> str:
    """The mean alone, where there is no room for more."""
    return "–" if estimate.mean is None else f"{100 * estimate.mean:.1f}"
