"""Columns of what memories recalled, and of where rules were lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from memorycode.reporting.columns.cells import COLUMN_TITLES, NOTHING, count, decimal, percent
from memorycode.reporting.columns.rows import Columns, of_rows
from memorycode.reporting.columns.table import Cell, Column
from memorycode.reporting.report_rows import ReportRows
from memorycode.results.answers import Column as Table4Column
from memorycode.results.memory_loss import MemoryLoss
from memorycode.results.strategy_row import StrategyRow
from memorycode.scoring.attribution import CAUSES, Cause

# ── memory ────────────────────────────────────────────────────────────────────────────────────

_RECALLED: dict[Literal["current", "stale"], str] = {
    "current": "share of the rules in force that the recalled context has",
    "stale": "share that it has in an older version alone",
}


def recalled(rows: ReportRows) -> Columns:
    """What the memories recalled of the rules in force, and how much that was."""
    shares = [_recalled(kind, column) for kind in _RECALLED for column in rows.table4_columns]
    truncated = Column[StrategyRow](
        "trun\u00adcated",
        lambda row: count(row.truncated),
        help="questions whose recall was over the budget, or the model's limit, and lost its "
        "oldest parts",
        needs=72,
    )
    bounded = any(one.context_budget is not None for one in rows.settings) or any(
        one.row.truncated for one in rows
    )
    return of_rows([*shares, CONTEXT_TOKENS, *([truncated] if bounded else [])])


CONTEXT_TOKENS = Column[StrategyRow](
    "context tokens",
    lambda row: decimal(row.context_tokens_mean, 0),
    help="mean over the questions of the last checkpoint",
)


def _recalled(kind: Literal["current", "stale"], column: Table4Column) -> Column[StrategyRow]:
    def cell(row: StrategyRow) -> Cell:
        shares = row.recalled.current if kind == "current" else row.recalled.stale
        return percent(shares[column].mean if column in shares else None)

    return Column(
        f"{kind} {COLUMN_TITLES[column]}",
        cell,
        help=_RECALLED[kind],
        term=kind,
        needs=0 if kind == "current" else 64,
        unit="%",
    )


def memory_cost() -> Columns:
    """What building and asking the memories took."""
    return of_rows(
        [
            Column(
                "memory seconds",
                lambda row: decimal(row.memory.seconds),
                help="building and asking the memory",
                needs=80,
            ),
            Column(
                "memory calls",
                lambda row: count(row.memory.sent_calls),
                help="its own that were sent",
                needs=88,
            ),
            Column(
                "texts embedded",
                lambda row: count(row.memory.embedded_texts),
                help="those whose vectors were not at hand",
                needs=96,
            ),
        ]
    )


def losses(known: Iterable[MemoryLoss]) -> list[Column[MemoryLoss]]:
    """Beside the scores: what memories lost of their own calls. Of no interest where none made a
    call; where none lost one a narrow terminal leaves them out."""
    found = [loss for loss in known if loss.calls]
    needs = 0 if any(loss.lost for loss in found) else 136
    return (
        [
            Column(
                "memory failed",
                lambda loss: _lost(loss.failed, loss.calls),
                help="the memory's own calls that failed",
                needs=needs,
            ),
            Column(
                "unread\u00adable",
                lambda loss: _lost(loss.unreadable, loss.calls),
                help="those whose answer the strategy could make nothing of, as it says",
                needs=needs,
            ),
        ]
        if found
        else []
    )


def _lost(lost: int | None, calls: int) -> Cell:
    if lost is None:
        return Cell(NOTHING, hint="nobody counted")
    return Cell(f"{lost:,}", lost, detail=f"(of {calls:,})" if lost else "", is_bad=lost > 0)


# ── attribution ───────────────────────────────────────────────────────────────────────────────

_CAUSES: dict[Cause, str] = {
    "unsatisfiable": "it and another active rule hold for no name together",
    "not_told": "no session told it",
    "stale_recalled": "the memory gave an older version only",
    "not_recalled": "it gave neither",
    "recalled_not_followed": "given, and no version followed",
    "stale_obedience": "given, but the code follows an older version",
}
_TITLES: dict[Cause, str] = {
    "unsatisfiable": "unsatis\u00adfiable",
    "stale_obedience": "stale obedi\u00adence",
}


def causes() -> Columns:
    """How many rules were violated, and how many for which cause."""
    violated = Column[StrategyRow](
        "violated",
        lambda row: count(sum(row.causes["strict"].values())),
        help="each by the first cause that fits",
    )
    return of_rows([violated, *map(_cause, CAUSES)])


def _cause(cause: Cause) -> Column[StrategyRow]:
    return Column(
        _cause_title(cause),
        lambda row: count(row.causes["strict"].get(cause, 0)),
        help=_CAUSES[cause],
    )


def _cause_title(cause: Cause) -> str:
    return _TITLES.get(cause, cause.replace("_", " "))
