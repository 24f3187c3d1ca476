"""What a run sent and what that cost, and what asking several times showed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.table import Table

from memorycode.reporting.cells import COLUMN_TITLES, mean_percent, row_label
from memorycode.reporting.console import plain_table
from memorycode.results.answers import Column
from memorycode.results.cost import Spending
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import ModelReport, RunReport
from memorycode.scoring.scorers import SCORER_NAMES

_MOST_SAMPLES = 5
"""Up to so many samples the table has a column for each number of them."""


def dollars(amount: float | None) -> str:
    """With as many digits as tell something."""
    if amount is None:
        return "–"
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.4f}"


def spending_table(model: ModelReport, width: int) -> Iterable[Table]:
    """Calls, tokens, dollars and latencies, where the model is one that somebody runs."""
    if not model.model.is_language_model:
        return
    table = plain_table("What was sent, the memory's own calls among it, and what it took")
    table.add_column("strategy", overflow="fold", min_width=12)
    shown = [column for column in _SPENDING if width >= column[1]]
    for title, _, _ in shown:
        table.add_column(title, justify="right", no_wrap=True)
    for row in model.rows:
        table.add_row(row_label(row), *(cell(row.spending) for _, _, cell in shown))
    yield table


def _cached(spending: Spending) -> str:
    return f"{spending.cached_answers + spending.cached_calls:,}"


def _share(spending: Spending) -> str:
    share = spending.endpoint_cached_share
    return "–" if share is None else f"{100 * share:.0f} %"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f}"


_SPENDING: tuple[tuple[str, int, Callable[[Spending], str]], ...] = (
    ("calls", 0, lambda s: f"{s.calls:,}"),
    ("failed", 0, lambda s: f"{sum(s.failed_calls.values()):,}"),
    ("from\ncache", 72, _cached),
    ("prompt\ntokens", 0, lambda s: f"{s.prompt_tokens:,}"),
    ("cached\nthere", 88, _share),
    ("answer\ntokens", 80, lambda s: f"{s.completion_tokens:,}"),
    ("$", 0, lambda s: dollars(s.dollars)),
    ("median\ns", 96, lambda s: _seconds(s.latency_median)),
    ("p95\ns", 96, lambda s: _seconds(s.latency_p95)),
)
"""Titles, how wide a terminal has to be, cells."""


def spending_notes(report: RunReport) -> Iterable[str]:
    """What one has to know to read the table, and what it has no room for."""
    models = [model for model in report.models if model.model.is_language_model]
    if not models:
        return
    yield (
        "Calls are those that were sent, in all the times that the run was taken up; from cache: "
        "answers that were at hand. Cached there: the share of the prompts' tokens that the "
        "endpoint had in its own cache, as it says. Seconds: of answers that were sent for."
    )
    for model in models:
        if all(row.spending.dollars is None for row in model.rows):
            yield f"No price is known for {model.model.name}: docs/cost.md says how to give one."
        for row in model.rows:
            yield from _row_notes(row)


def _row_notes(row: StrategyRow) -> Iterable[str]:
    spending = row.spending
    if spending.failed_calls:
        kinds = ", ".join(f"{count} {kind}" for kind, count in spending.failed_calls.items())
        yield f"{row.label}: of {spending.calls:,} calls failed: {kinds}."
    if spending.cached_answers:
        yield f"{row.label}: {spending.cached_answers:,} answers came from the cache."


# ── samples ───────────────────────────────────────────────────────────────────────────────────


def samples_table(
    model: ModelReport, columns: tuple[Column, ...], samples: int, width: int
) -> Iterable[Table]:
    """How far the score varies over the samples, and in how many of them all rules are followed."""
    if samples == 1:
        return
    needed = _needed(samples, len(columns), width)
    for scorer in SCORER_NAMES:
        table = plain_table(
            f"Of {samples} samples: spread of the {scorer} score, and questions, in per cent, "
            "all of whose rules are followed in at least k"
        )
        table.add_column("strategy", overflow="fold", min_width=12)
        for column in columns:
            titles = ("spread", *(f"k={k}" for k in needed))
            for title in titles:
                table.add_column(f"{COLUMN_TITLES[column]}\n{title}", justify="right", no_wrap=True)
        for row in model.rows:
            found = row.repeats[scorer]
            cells = []
            for column in columns:
                apart = found.standard_deviation[column]
                cells.append("–" if apart is None else f"{100 * apart:.1f}")
                cells += [mean_percent(found.at_least[k][column]) for k in needed]
            table.add_row(row_label(row), *cells)
        yield table


def _needed(samples: int, columns: int, width: int) -> list[int]:
    """The numbers of samples to show: all of them where there is room, else the first and last."""
    room = (width - 16) // columns // 9
    if samples <= min(_MOST_SAMPLES, room - 1):
        return list(range(1, samples + 1))
    return [1, samples]


def samples_notes(samples: int) -> Iterable[str]:
    if samples > 1:
        yield (
            f"Each question was asked {samples} times, of one memory; scores are means over the "
            "samples of a question first. Spread: standard deviation of the score over the "
            f"samples. k=1 is pass@{samples}, k={samples} pass^{samples}; a question counts there "
            "if all of its samples have a score."
        )
