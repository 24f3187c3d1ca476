"""Columns of what was sent, what it cost and how long it took."""

from __future__ import annotations

from memorycode.reporting.columns.cells import NOTHING, count, decimal, dollars
from memorycode.reporting.columns.rows import Columns, of_rows
from memorycode.reporting.columns.table import Cell, Column
from memorycode.results.strategy_row import StrategyRow


def spending() -> Columns:
    """What was sent, what came back, what that cost."""
    return of_rows(_SPENDING)


_SPENDING: tuple[Column[StrategyRow], ...] = (
    Column(
        "calls",
        lambda row: count(row.spending.calls),
        help="those that were sent, the memory's own among them, in all the times that the run was "
        "taken up",
    ),
    Column("failed calls", lambda row: count(sum(row.spending.failed_calls.values()))),
    Column(
        "from cache",
        lambda row: count(row.spending.cached_answers + row.spending.cached_calls),
        help="answers that were at hand, not sent",
        needs=72,
    ),
    Column("prompt tokens", lambda row: count(row.spending.prompt_tokens)),
    Column(
        "cached there",
        lambda row: _share(row.spending.endpoint_cached_share),
        help="the share of the prompts' tokens that the endpoint had in its own cache, as it says",
        needs=88,
    ),
    Column("answer tokens", lambda row: count(row.spending.completion_tokens), needs=80),
    Column("$", lambda row: dollars(row.spending.dollars), help="by the prices known"),
    Column(
        "median s",
        lambda row: decimal(row.spending.latency_median, 2),
        help="latency of the answers that were sent for",
        needs=96,
    ),
    Column("p95 s", lambda row: decimal(row.spending.latency_p95, 2), needs=96),
)


def seconds() -> Columns:
    """What all of it took, memory and model."""
    return of_rows([Column("seconds", lambda row: decimal(row.seconds), needs=80)])


def _share(share: float | None) -> Cell:
    return Cell(NOTHING if share is None else f"{100 * share:.0f} %", share)
