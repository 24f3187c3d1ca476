"""Tables of facts below the comparison: what memories recall, what scores rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from rich.table import Table

from memorycode.protocols import Verdict
from memorycode.reporting.cells import COLUMN_TITLES, mean_percent, row_label
from memorycode.reporting.console import plain_table
from memorycode.results.answers import Column
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import ModelReport


@dataclass(frozen=True)
class _Fact:
    """A column of a table of facts; it is left out of a terminal narrower than `needs`."""

    title: str
    needs: int
    cell: Callable[[StrategyRow], str]


def _tokens(row: StrategyRow) -> str:
    mean = row.context_tokens_mean
    return "–" if mean is None else f"{mean:,.0f}"


def _verdicts(kind: Verdict) -> Callable[[StrategyRow], str]:
    return lambda row: f"{getattr(row.scores['strict'].coverage, kind):,}"


def memory_table(
    model: ModelReport, columns: tuple[Column, ...], budget: int | None, width: int
) -> Table:
    """What the memory recalls and costs; what was cut stands there where there is a budget."""
    title = "What the memory recalls, in per cent of the active rules, and what it takes"
    return _facts_table(title, _memory_facts(columns, budget), model, width)


def verdict_table(model: ModelReport, width: int) -> Table:
    """What the scores rest on."""
    title = "What the scores rest on: rules by strict verdict"
    return _facts_table(title, _VERDICT_FACTS, model, width)


def _share(kind: Literal["current", "stale"], column: Column) -> Callable[[StrategyRow], str]:
    def cell(row: StrategyRow) -> str:
        shares = getattr(row.recalled, kind)
        return mean_percent(shares[column]) if column in shares else "–"

    return cell


_VERDICT_FACTS = (
    _Fact("followed", 0, _verdicts("followed")),
    _Fact("violated", 0, _verdicts("violated")),
    _Fact("absent", 64, _verdicts("absent")),
    _Fact("unparsable", 72, _verdicts("unparsable")),
    _Fact("seconds", 80, lambda row: f"{row.seconds:,.1f}"),
)


def _memory_facts(columns: tuple[Column, ...], budget: int | None) -> tuple[_Fact, ...]:
    kinds: tuple[tuple[Literal["current", "stale"], int], ...] = (("current", 0), ("stale", 64))
    shares = (
        _Fact(f"{kind}\n{COLUMN_TITLES[column]}", needs, _share(kind, column))
        for kind, needs in kinds
        for column in columns
    )
    cut = (_Fact("cut", 72, lambda row: f"{row.truncated:,}"),) if budget is not None else ()
    return (
        *shares,
        _Fact("context\ntokens", 0, _tokens),
        *cut,
        _Fact("memory\nseconds", 80, lambda row: f"{row.memory.seconds:,.1f}"),
        _Fact("memory\ncalls", 88, lambda row: f"{row.memory.calls:,}"),
        _Fact("texts\nembedded", 96, lambda row: f"{row.memory.embedded_texts:,}"),
    )


def _facts_table(title: str, facts: Iterable[_Fact], model: ModelReport, width: int) -> Table:
    table = plain_table(title)
    table.add_column("strategy", overflow="fold", min_width=12)
    shown = [fact for fact in facts if width >= fact.needs]
    for fact in shown:
        table.add_column(fact.title, justify="right", no_wrap=True)
    for row in model.rows:
        table.add_row(row_label(row), *(fact.cell(row) for fact in shown))
    return table
