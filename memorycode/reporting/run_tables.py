"""The tables of runs: captions, and the columns below them."""

from __future__ import annotations

from collections.abc import Iterable

from memorycode.reporting.columns.memory import causes, losses, memory_cost, recalled
from memorycode.reporting.columns.repeats import repeats
from memorycode.reporting.columns.rows import Columns, names, of_rows
from memorycode.reporting.columns.scores import (
    by_sessions,
    further_scores,
    questions,
    scores,
    verdicts,
    ways,
)
from memorycode.reporting.columns.spending import seconds, spending
from memorycode.reporting.columns.table import Table, of_part
from memorycode.reporting.report_rows import NamedRow, ReportRows
from memorycode.scoring.scorers import SCORER_NAMES

RunTable = Table[NamedRow]


def score_table(rows: ReportRows) -> RunTable:
    """Both scorers, and how many questions they rest on."""
    caption = f"Memory strategies{rows.with_model}, scores in per cent"
    lost = of_rows(of_part(losses(one.row.loss for one in rows), lambda row: row.loss))
    return _table(caption, rows, [*scores(rows), *lost, *questions(rows)])


def score_table_with_verdicts(rows: ReportRows) -> RunTable:
    """The same, and the verdicts, where they have room beside the scores."""
    table = score_table(rows)
    columns = [*table.columns, *verdicts()]
    return Table(table.caption, columns, table.rows, id="comparison-table")


def session_table(rows: ReportRows) -> RunTable | None:
    """None for other settings than the history, and where all dialogues are equally long."""
    columns = by_sessions(rows) if any(one.setting == "history" for one in rows.settings) else []
    caption = "The official score by the number of sessions in the dialogue"
    return _table(caption, rows, columns) if len(columns) > 1 else None


def ways_table(rows: ReportRows) -> RunTable:
    caption = "The strict score by dialogue, by question (all rules) and by rule"
    return _table(caption, rows, ways(rows))


def further_tables(rows: ReportRows) -> Iterable[RunTable]:
    """One for each scorer besides ours that was asked for."""
    for scorer in dict.fromkeys(name for report in rows.reports for name in report.further):
        yield _table(f"The score by {scorer}, in per cent", rows, further_scores(rows, scorer))


def memory_table(rows: ReportRows) -> RunTable:
    caption = "What the memory recalls, in per cent of the active rules, and what it takes"
    return _table(caption, rows, [*recalled(rows), *memory_cost()])


def verdict_table(rows: ReportRows) -> RunTable:
    caption = "What the scores rest on: rules by strict verdict"
    return _table(caption, rows, [*verdicts(), *seconds()])


def repeat_tables(rows: ReportRows) -> Iterable[RunTable]:
    """One for each scorer, where questions were asked several times."""
    most = max(one.repeats for one in rows.settings)
    for scorer in SCORER_NAMES if most > 1 else ():
        caption = (
            f"Of {most} repeats: standard deviation of the {scorer} score, and questions, in "
            "per cent, all of whose rules are followed in at least k"
        )
        yield _table(caption, rows, repeats(rows, scorer))


def attribution_table(rows: ReportRows) -> RunTable:
    return _table(f"Where rules were lost{rows.with_model}, strict scorer", rows, causes())


def spending_table(rows: ReportRows) -> RunTable:
    """What was sent: of interest where the model is one that somebody runs."""
    caption = "What was sent, the memory's own calls among it, and what it took"
    return _table(caption, rows, spending())


def cost_table(rows: ReportRows) -> RunTable:
    """The same with the seconds of computing, for models of all kinds."""
    table = spending_table(rows)
    return Table(table.caption, [*table.columns, *seconds()], table.rows)


def _table(caption: str, rows: ReportRows, columns: Columns) -> RunTable:
    return Table(caption, [*names(rows), *columns], list(rows))
