"""The tables of the page: scores with their intervals, what they rest on, causes, cost."""

from __future__ import annotations

from collections.abc import Iterator

from memorycode.reporting.cells import COLUMN_TITLES
from memorycode.reporting.costs import dollars
from memorycode.reporting.html.data_table import Cell, Column, count, data_table, decimal, percent
from memorycode.reporting.html.markup import Child, Node, element
from memorycode.reporting.html.report_rows import ReportRows
from memorycode.results.answers import Column as Table4Column
from memorycode.results.intervals import score_intervals
from memorycode.results.means import Estimate
from memorycode.results.statistics import Interval
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import columns_of
from memorycode.scoring.attribution import CAUSES
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName

PARTIAL = "over fewer dialogues than others: questions failed or were never asked"


def comparison_table(rows: ReportRows) -> Node:
    """Both scorers with their intervals, and beside them how many questions they rest on."""
    settings = [report.manifest.settings.setting for report in rows.reports]
    columns = list(dict.fromkeys(c for setting in settings for c in columns_of(setting)))
    cells = [(scorer, column) for scorer in SCORER_NAMES for column in columns]
    most = {cell: max((_n(named.row, *cell) for named in rows), default=0) for cell in cells}
    titles = [
        Column(f"{scorer} {COLUMN_TITLES[column]} %", help=f"mean over up to {n} dialogues")
        for (scorer, column), n in most.items()
    ]
    facts = [
        Column("asked", help="planned questions, over all checkpoints"),
        Column("answered"),
        Column("failed", help="questions whose call or memory failed; not scored"),
        Column("not asked", help="planned, and never asked so far"),
        Column("followed", help="rules by strict verdict, last checkpoint"),
        Column("violated"),
        Column("absent", help="the code has no such object; left out of the score"),
        Column("unparsable", help="in code that does not parse; counts as 0"),
    ]
    table = []
    for named in rows:
        row = named.row
        found = {scorer: score_intervals(row.scores[scorer], columns) for scorer in SCORER_NAMES}
        scores = [
            _score(found[scorer][column], row.scores[scorer].by_dialogue[column], n)
            for (scorer, column), n in most.items()
        ]
        table.append([*rows.cells(named), *scores, *_coverage(row)])
    return data_table(
        "Scores in per cent with their 95 % intervals, and what they rest on",
        [*rows.columns, *titles, *facts],
        table,
        id_="comparison-table",
    )


def _n(row: StrategyRow, scorer: ScorerName, column: Table4Column) -> int:
    return row.scores[scorer].by_dialogue[column].n


def _score(interval: Interval, estimate: Estimate, most: int) -> Cell:
    if interval.mean is None:
        return Cell("–", None)
    error = "" if estimate.se is None else f", standard error {100 * estimate.se:.1f}"
    over = f"over {interval.n} dialogues{error}"
    shown: list[Child] = [element("span", f"{100 * interval.mean:.1f}", title=over)]
    if interval.n < most:
        shown.append(element("abbr", "†", title=f"{interval.n} of {most}: {PARTIAL}"))
    if interval.low is not None and interval.high is not None:
        between = f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"
        shown += [" ", element("span", between, class_="interval")]
    return Cell(tuple(shown), interval.mean)


def _coverage(row: StrategyRow) -> list[Cell]:
    failed = sum(row.failed.values())
    kinds = ", ".join(f"{number} {kind}" for kind, number in row.failed.items())
    shown = element("strong", f"{failed:,} ({kinds})", class_="bad") if failed else "0"
    missing = element("strong", f"{row.missing:,}", class_="bad") if row.missing else "0"
    verdicts = row.scores["strict"].coverage
    return [
        count(row.questions),
        count(row.answered),
        Cell(shown, failed),
        Cell(missing, row.missing),
        count(verdicts.followed),
        count(verdicts.violated),
        count(verdicts.absent),
        count(verdicts.unparsable),
    ]


def memory_table(rows: ReportRows) -> Node:
    """What the memories recalled of the rules in force."""
    settings = [report.manifest.settings for report in rows.reports]
    columns = list(dict.fromkeys(c for one in settings for c in columns_of(one.setting)))
    titles = [
        Column(f"{kind} {COLUMN_TITLES[column]} %", help=_RECALLED[kind])
        for kind in _RECALLED
        for column in columns
    ]
    facts = [
        Column("context tokens", help="mean over the questions of the last checkpoint"),
        Column("cut", help="questions whose recall was over the budget and lost its oldest parts"),
    ]
    table = []
    for named in rows:
        recalled = {"current": named.row.recalled.current, "stale": named.row.recalled.stale}
        shares = [
            percent(recalled[kind][column].mean if column in recalled[kind] else None)
            for kind in _RECALLED
            for column in columns
        ]
        tokens = decimal(named.row.context_tokens_mean, 0)
        table.append([*rows.cells(named), *shares, tokens, count(named.row.truncated)])
    return data_table(
        "What the memory recalls, in per cent of the rules in force",
        [*rows.columns, *titles, *facts],
        table,
    )


_RECALLED = {
    "current": "share of the rules in force that the recalled context states",
    "stale": "share that it states in an older version alone",
}


def attribution_table(rows: ReportRows) -> Node:
    """Where the rules that the strict scorer found violated were lost."""
    titles = [Column("violated"), *(Column(cause.replace("_", " ")) for cause in CAUSES)]
    table = []
    for named in rows:
        causes = named.row.causes["strict"]
        counts = [count(causes.get(cause, 0)) for cause in CAUSES]
        table.append([*rows.cells(named), count(sum(causes.values())), *counts])
    return data_table(
        "Where violated rules were lost, strict scorer", [*rows.columns, *titles], table
    )


def cost_table(rows: ReportRows) -> Node:
    """What was sent, what came back, what it took."""
    titles = [
        Column("calls", help="sent, the memory's own among them"),
        Column("failed calls"),
        Column("from cache", help="answers that were at hand: not sent"),
        Column("prompt tokens"),
        Column("answer tokens"),
        Column("cached there %", help="of the prompts' tokens, as the endpoint says"),
        Column("$", help="by the prices known"),
        Column("median s", help="latency of the questions' calls"),
        Column("p95 s"),
        Column("memory calls"),
        Column("memory s", help="building and asking the memory"),
        Column("texts embedded"),
        Column("seconds in all"),
    ]
    table = [[*rows.cells(named), *_costs(named.row)] for named in rows]
    return data_table("What was sent and what it took", [*rows.columns, *titles], table)


def _costs(row: StrategyRow) -> Iterator[Cell]:
    spent, memory = row.spending, row.memory
    yield count(spent.calls)
    yield count(sum(spent.failed_calls.values()))
    yield count(spent.cached_answers + spent.cached_calls)
    yield count(spent.prompt_tokens)
    yield count(spent.completion_tokens)
    yield percent(spent.endpoint_cached_share)
    yield Cell(dollars(spent.dollars), spent.dollars)
    yield decimal(spent.latency_median, 2)
    yield decimal(spent.latency_p95, 2)
    yield count(memory.calls)
    yield decimal(memory.seconds)
    yield count(memory.embedded_texts)
    yield decimal(row.seconds)
