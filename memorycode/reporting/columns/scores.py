"""Columns of scores, and of what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memorycode.reporting.columns.cells import (
    COLUMN_TITLES,
    PARTIAL,
    between,
    count,
    estimated,
    percent,
)
from memorycode.reporting.columns.rows import Columns, of_rows
from memorycode.reporting.columns.table import Cell, Column
from memorycode.reporting.report_rows import ReportRows
from memorycode.results.answers import Column as Table4Column
from memorycode.results.intervals import score_intervals
from memorycode.results.means import Estimate
from memorycode.results.metrics import Scores
from memorycode.results.strategy_row import StrategyRow
from memorycode.scoring.scorers import SCORER_NAMES

_SCORERS: dict[str, str] = {
    "official": "the paper's scorer, which leaves out what it does not see",
    "strict": "what the rules say (docs/scorers.md)",
}


def scores(rows: ReportRows) -> Columns:
    """By both scorers, the mean over dialogues."""
    return of_rows(
        _score(scorer, column, max(_mean(n.row, scorer, column).n for n in rows))
        for scorer in SCORER_NAMES
        for column in rows.table4_columns
    )


def further_scores(rows: ReportRows, scorer: str) -> Columns:
    """By a scorer besides ours, and how many answers are not in its score."""
    columns = [
        _score(scorer, column, max(_mean(n.row, scorer, column).n for n in rows))
        for column in rows.table4_columns
    ]
    unjudged = Column[StrategyRow](
        "not judged",
        lambda row: count(row.unjudged[scorer]),
        help="answers that the scorer has not judged, not scored",
    )
    return of_rows([*columns, unjudged])


def _score(scorer: str, column: Table4Column, most: int) -> Column[StrategyRow]:
    def cell(row: StrategyRow) -> Cell:
        estimate = _mean(row, scorer, column)
        shown = estimated(estimate)
        error = "" if estimate.se is None else f", standard error {100 * estimate.se:.1f}"
        return Cell(
            shown.text,
            shown.value,
            marks=(PARTIAL,) if estimate.n < most else (),
            error=shown.error,
            hint=f"over {estimate.n} dialogues{error}" if estimate.n else "",
        )

    return Column(
        f"{scorer} {COLUMN_TITLES[column]}",
        cell,
        help=_SCORERS.get(scorer, ""),
        term=scorer,
        unit="%",
        over=f"n={most}",
        extra=lambda row: between(score_intervals(row.scores[scorer], [column])[column]),
    )


def _mean(row: StrategyRow, scorer: str, column: Table4Column) -> Estimate:
    return row.scores[scorer].by_dialogue[column]


def questions(rows: ReportRows) -> Columns:
    """What became of the questions."""
    some_missing = any(named_row.row.missing for named_row in rows)
    return of_rows(
        [
            Column(
                "asked",
                lambda row: count(row.asked),
                help="questions, so far",
                needs=88,
            ),
            Column("answered", lambda row: count(row.answered), needs=120),
            Column(
                "answered share",
                lambda row: percent(row.answered / row.asked if row.asked else None),
                help="of the questions asked",
                unit="%",
                needs=128,
            ),
            Column("failed", _failed, help="questions whose call or memory failed, not scored"),
            Column(
                "not asked",
                lambda row: Cell(f"{row.missing:,}", row.missing, is_bad=row.missing > 0),
                help="planned, and never asked so far",
                needs=72 if some_missing else 120,
            ),
        ]
    )


def _failed(row: StrategyRow) -> Cell:
    failed = sum(row.failed.values())
    kinds = ", ".join(f"{number} {kind}" for kind, number in row.failed.items())
    return Cell(f"{failed:,}", failed, detail=f"({kinds})" if failed else "", is_bad=failed > 0)


def verdicts() -> Columns:
    """What the scores rest on."""
    return of_rows(
        [
            Column("followed", lambda row: count(row.scores["strict"].coverage.followed)),
            Column("violated", lambda row: count(row.scores["strict"].coverage.violated)),
            Column(
                "absent",
                lambda row: count(row.scores["strict"].coverage.absent),
                help="the code has no such object, left out of the score",
                needs=64,
            ),
            Column(
                "unparsable",
                lambda row: count(row.scores["strict"].coverage.unparsable),
                help="in code that does not parse, counts as 0",
                needs=72,
            ),
        ]
    )


_WAYS: dict[str, Callable[[Scores], Mapping[Table4Column, Estimate]]] = {
    "dialogue": lambda found: found.by_dialogue,
    "question": lambda found: found.by_question,
    "rule": lambda found: found.by_rule,
}


def ways(rows: ReportRows) -> Columns:
    """The strict score as a mean over dialogues, questions and rules."""
    return of_rows(_way(column, unit) for column in rows.table4_columns for unit in _WAYS)


def _way(column: Table4Column, unit: str) -> Column[StrategyRow]:
    return Column(
        f"{COLUMN_TITLES[column]} {unit}",
        lambda row: percent(_WAYS[unit](row.scores["strict"])[column].mean),
        unit="%",
    )


def by_sessions(rows: ReportRows) -> Columns:
    """The official score by the number of sessions; a narrow terminal has the longest alone."""
    lengths = {n for named_row in rows for n in named_row.row.scores["official"].by_sessions}
    longest_first = sorted(lengths, reverse=True)
    return of_rows(
        _length(length, needs=0 if place < 2 else 37 + 5 * place)
        for place, length in reversed([*enumerate(longest_first)])
    )


def _length(length: int, needs: int) -> Column[StrategyRow]:
    def cell(row: StrategyRow) -> Cell:
        score = row.scores["official"].by_sessions.get(length)
        return Cell("100", 100.0) if score is not None and score > 0.9995 else percent(score)

    return Column(str(length), cell, needs=needs)
