"""The table of strategies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memorycode.results.answers import COLUMNS, Column
from memorycode.results.frames import FrameColumn, RunTable, make_table
from memorycode.results.intervals import Group, score_intervals
from memorycode.results.statistics import Interval
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import RunReport
from memorycode.scoring.scorers import SCORER_NAMES


class ReportedStrategy(NamedTuple):
    """What a row of the level `strategies` is about."""

    report: RunReport
    model: str
    row: StrategyRow
    intervals: Mapping[str, Mapping[Group, Interval]]


def strategies_table(report: RunReport) -> RunTable:
    """A row for every strategy with every model."""
    return make_table(strategy_columns(report.further), _reported(report))


def _reported(report: RunReport) -> Iterator[ReportedStrategy]:
    for model in report.models:
        for row in model.rows:
            intervals = {
                name: score_intervals(scores, COLUMNS) for name, scores in row.scores.items()
            }
            yield ReportedStrategy(report, model.model.name, row, intervals)


def strategy_columns(further: Sequence[str] = ()) -> tuple[FrameColumn[ReportedStrategy], ...]:
    """The columns of the level `strategies`; `further` are scorers besides ours."""
    return (*_BEFORE_SCORES, *_estimate_columns((*SCORER_NAMES, *further)), *_AFTER_SCORES)


def _estimate_columns(scorers: Sequence[str]) -> Iterator[FrameColumn[ReportedStrategy]]:
    for name in scorers:
        for column in COLUMNS:
            yield from _estimate(name, column)


def _estimate(name: str, column: Column) -> Iterator[FrameColumn[ReportedStrategy]]:
    called, of = f"score_{name}_{column}", f"{name} score, {column.replace('_', ' ')}"
    yield FrameColumn(
        called,
        "number",
        f"{of}: mean over dialogues",
        lambda one: one.row.scores[name].by_dialogue[column].mean,
    )
    yield FrameColumn(
        f"{called}_se",
        "number",
        f"{of}: standard error",
        lambda one: one.row.scores[name].by_dialogue[column].se,
    )
    yield FrameColumn(
        f"{called}_low",
        "number",
        f"{of}: lower end of the 95 % interval",
        lambda one: one.intervals[name][column].low,
    )
    yield FrameColumn(
        f"{called}_high",
        "number",
        f"{of}: upper end of the 95 % interval",
        lambda one: one.intervals[name][column].high,
    )
    yield FrameColumn(
        f"{called}_dialogues",
        "whole",
        f"{of}: how many dialogues have one",
        lambda one: one.row.scores[name].by_dialogue[column].n,
    )


_BEFORE_SCORES: tuple[FrameColumn[ReportedStrategy], ...] = (
    FrameColumn("run", "text", "the run's folder, as it was named", lambda s: s.report.folder),
    FrameColumn("model", "text", "the model's name", lambda s: s.model),
    FrameColumn("strategy", "text", "the strategy's spec", lambda s: s.row.strategy),
    FrameColumn(
        "variant",
        "text",
        "what the strategy is with this model, where it is not what it usually is",
        lambda s: s.row.variant,
    ),
    FrameColumn("oracle", "flag", "whether it sees gold labels", lambda s: s.row.oracle),
    FrameColumn(
        "setting",
        "text",
        "history, session or instruction",
        lambda s: s.report.manifest.settings.setting,
    ),
    FrameColumn("questions", "whole", "planned, over all checkpoints", lambda s: s.row.questions),
    FrameColumn("answered", "whole", "of these, answered", lambda s: s.row.answered),
    FrameColumn("failed", "whole", "asked without an answer", lambda s: sum(s.row.failed.values())),
    FrameColumn("missing", "whole", "never asked so far", lambda s: s.row.missing),
)

_AFTER_SCORES: tuple[FrameColumn[ReportedStrategy], ...] = (
    FrameColumn(
        "context_tokens",
        "number",
        "mean of what was recalled at the last checkpoint",
        lambda s: s.row.context_tokens_mean,
    ),
    FrameColumn(
        "truncated",
        "whole",
        "of how many recalls there the budget, or the model's limit, took something",
        lambda s: s.row.truncated,
    ),
    FrameColumn("seconds", "number", "of all tasks", lambda s: s.row.seconds),
    FrameColumn(
        "memory_seconds",
        "number",
        "of building and asking the memory",
        lambda s: s.row.memory.seconds,
    ),
    FrameColumn("memory_calls", "whole", "calls of the memory's own", lambda s: s.row.memory.calls),
    FrameColumn(
        "memory_failures",
        "whole",
        "of these, failed: the scores are then not the strategy's",
        lambda s: s.row.loss.failed,
    ),
    FrameColumn(
        "memory_unreadable",
        "whole",
        "of these, answered with what the strategy could make nothing of; empty where nobody "
        "counted",
        lambda s: s.row.loss.unreadable,
    ),
    FrameColumn(
        "ranked",
        "flag",
        "false where the memory lost more than 2 % of its own calls: listed, and not ranked",
        lambda s: s.row.loss.is_ranked,
    ),
    FrameColumn("calls", "whole", "sent, the memory's among them", lambda s: s.row.spending.calls),
    FrameColumn(
        "prompt_tokens", "whole", "of the calls answered", lambda s: s.row.spending.prompt_tokens
    ),
    FrameColumn(
        "completion_tokens",
        "whole",
        "of the calls answered",
        lambda s: s.row.spending.completion_tokens,
    ),
    FrameColumn("dollars", "number", "by the prices known", lambda s: s.row.spending.dollars),
)
