"""The comparison table of a run."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from memorycode.prompts import DEFAULT_PACK
from memorycode.reporting.cells import COLUMN_TITLES, mean_percent, row_label
from memorycode.reporting.console import WIDTH, output, plain_table, printable, show
from memorycode.reporting.costs import (
    samples_notes,
    samples_table,
    spending_notes,
    spending_table,
)
from memorycode.reporting.facts import memory_table, verdict_table
from memorycode.results.answers import COLUMNS, Column
from memorycode.results.means import Estimate
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import ModelReport, RunReport, columns_of
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName

ORACLE_NOTE = "◆ oracle: sees gold labels, which no real memory does."
PARTIAL_MARK = " †"
PARTIAL_NOTE = "† over fewer dialogues than the others: its questions failed or were never asked."

SCORER_NOTE = (
    "Official: the paper's scorer, which leaves out what it does not see. Strict: what the rules "
    "say (docs/scorers.md)."
)
_FEW = 5
"""Below so many dialogues a standard error says nothing."""


def print_report(report: RunReport) -> None:
    """The comparison table of a run on standard output."""
    console = output()
    show(report_parts(report, console.width), console)


def report_text(report: RunReport) -> str:
    """The comparison table as plain text."""
    text = io.StringIO()
    show(report_parts(report, WIDTH), Console(file=text, width=WIDTH, color_system=None))
    return text.getvalue()


# ── a run ─────────────────────────────────────────────────────────────────────────────────────


def report_parts(report: RunReport, width: int) -> Iterable[RenderableType]:
    """Tables of scores and of what they rest on, per model; then what one has to know."""
    setting = report.manifest.settings.setting
    yield from unfinished(report)
    for model in report.models:
        yield _comparison(model, columns_of(setting), width)
        lengths = {n for row in model.rows for n in row.scores["official"].by_sessions}
        if setting == "history" and len(lengths) > 1:
            yield _by_sessions(model, width)
        yield _strict_table(model, columns_of(setting))
        budget = report.manifest.settings.context_budget
        yield memory_table(model, columns_of(setting), budget, width)
        yield verdict_table(model, width)
        samples = report.manifest.settings.samples
        yield from samples_table(model, columns_of(setting), samples, width)
        yield from spending_table(model, width)
    yield Text(printable("\n".join(notes(report))), style="dim")
    yield Text(f"Records: {report.folder}", no_wrap=True, overflow="ignore")


def unfinished(report: RunReport) -> Iterable[RenderableType]:
    """A line that says so, if planned questions were never asked."""
    if any(row.missing for row in report.rows):
        asked = sum(row.questions - row.missing for row in report.rows)
        planned = sum(row.questions for row in report.rows)
        yield Text(f"UNFINISHED: {asked:,} of {planned:,} questions were asked.", style="bold")


def _comparison(model: ModelReport, columns: tuple[Column, ...], width: int) -> Table:
    table = plain_table(f"Memory strategies with {model.model.name}, scores in per cent")
    table.add_column("strategy", overflow="fold", min_width=12)
    cells = [(name, column) for name in SCORER_NAMES for column in columns]
    most = {cell: max(_estimate(row, cell).n for row in model.rows) for cell in cells}
    for name, column in cells:
        title = f"{name}\n{COLUMN_TITLES[column]}\nn={most[name, column]}"
        table.add_column(title, justify="right", no_wrap=True)
    counts = ("asked", "failed") if width >= 88 else ("failed",)
    for title in counts:
        table.add_column(title, justify="right", no_wrap=True)
    shown = percent if width >= 88 else mean_percent
    for row in model.rows:
        scores = (_marked(shown, _estimate(row, cell), most[cell]) for cell in cells)
        facts = {"asked": f"{row.questions:,}", "failed": f"{sum(row.failures.values()):,}"}
        table.add_row(row_label(row), *scores, *(facts[title] for title in counts))
    return table


def _estimate(row: StrategyRow, cell: tuple[ScorerName, Column]) -> Estimate:
    scorer, column = cell
    return row.scores[scorer].by_dialogue[column]


def _by_sessions(model: ModelReport, width: int) -> Table:
    table = plain_table("The official score by the number of sessions in the dialogue")
    table.add_column("strategy", overflow="fold", min_width=12)
    lengths = sorted({n for row in model.rows for n in row.scores["official"].by_sessions})
    fitting = max(2, (width - 32) // 5)
    shown = lengths if len(lengths) <= fitting else lengths[-fitting:]
    for length in shown:
        table.add_column(str(length), justify="right", no_wrap=True)
    for row in model.rows:
        scores = (row.scores["official"].by_sessions.get(length) for length in shown)
        table.add_row(row_label(row), *map(_short, scores))
    return table


def _strict_table(model: ModelReport, columns: tuple[Column, ...]) -> Table:
    table = plain_table("The strict score by dialogue, by question (all rules) and by rule")
    table.add_column("strategy", overflow="fold", min_width=12)
    for column in columns:
        for unit in ("dialogue", "question", "rule"):
            table.add_column(f"{COLUMN_TITLES[column]}\n{unit}", justify="right", no_wrap=True)
    for row in model.rows:
        scores = row.scores["strict"]
        ways = (scores.by_dialogue, scores.by_question, scores.by_rule)
        cells = (mean_percent(way[column]) for column in columns for way in ways)
        table.add_row(row_label(row), *cells)
    return table


def _marked(shown: Callable[[Estimate], str], estimate: Estimate, most: int) -> str:
    return shown(estimate) + (PARTIAL_MARK if estimate.n < most else "")


def percent(estimate: Estimate) -> str:
    """Mean and standard error in per cent; no error for few."""
    if estimate.mean is None:
        return "–"
    if estimate.se is None or estimate.n < _FEW:
        return mean_percent(estimate)
    return f"{mean_percent(estimate)} ± {100 * estimate.se:.1f}"


def _short(score: float | None) -> str:
    if score is None:
        return "–"
    return "100" if score > 0.9995 else f"{100 * score:.1f}"


def notes(report: RunReport) -> Iterable[str]:
    """What one has to know to read a run's tables, a line each."""
    settings = report.manifest.settings
    data = f"{settings.dialogues} dialogues ({settings.dataset})"
    yield f"{data}, setting {settings.setting}, {_pack(report)}"
    yield f"Mean over n dialogues ± standard error (from {_FEW} on). {SCORER_NOTE}"
    if settings.setting == "history":
        yield (
            "Short: up to 15 sessions. Scores, verdicts and context tokens (mean) are of the last "
            "session; asked, failed, seconds and memory count all checkpoints."
        )
    yield (
        "Current: the share of the rules in force that the recalled context has; stale: that it "
        "has in an older version alone."
    )
    if settings.context_budget is not None:
        yield (
            f"Every recall is held to {settings.context_budget:,} tokens; cut counts the questions "
            "whose recall was longer and lost its oldest parts."
        )
    rows = list(report.rows)
    if any(row.oracle for row in rows):
        yield ORACLE_NOTE
    if any(_is_partial(model, column) for model in report.models for column in COLUMNS):
        yield PARTIAL_NOTE
    notes = [model.model.note for model in report.models] + [row.note for row in rows]
    yield from dict.fromkeys(filter(None, notes))
    yield from samples_notes(settings.samples)
    yield from spending_notes(report)
    for row in rows:
        yield from _row_notes(row)


def _pack(report: RunReport) -> str:
    settings = report.manifest.settings
    named = f"prompts {settings.prompts.name} {settings.prompts_hash}"
    live = any(model.model.is_language_model for model in report.models)
    if live and settings.prompts.texts == DEFAULT_PACK.texts:
        return f"{named}: not the paper's wording, so scores are not its Table 4."
    return f"{named}."


def _is_partial(model: ModelReport, column: Column) -> bool:
    return len({_estimate(row, ("official", column)).n for row in model.rows}) > 1


def _row_notes(row: StrategyRow) -> Iterable[str]:
    if row.failures:
        count, kinds = sum(row.failures.values()), counted(row.failures)
        yield f"{row.label}: {count} questions without an answer ({kinds}), not scored."
    if row.first_failure:
        id_, error = row.first_failure
        yield f"  first: {error} (memorycode show RUN --question '{id_}')"
    memory = row.memory
    if memory.calls:
        yield (
            f"{row.label}: the memory itself made {memory.calls:,} calls of "
            f"{memory.prompt_tokens + memory.completion_tokens:,} tokens."
        )
    if memory.failures:
        yield (
            f"{row.label}: {sum(memory.failures.values())} of the memory's own calls failed "
            f"({counted(memory.failures)}): its scores are not what the strategy can do."
        )


def counted(counts: Mapping[str, int]) -> str:
    """``3 timeout, 1 refused``."""
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())
