"""The comparison table of a run, and the scores of recorded outputs."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from memorycode.analysis.aggregation import COLUMNS, Column, Coverage, Estimate
from memorycode.analysis.recorded import RecordedScores
from memorycode.analysis.run_report import ModelReport, RunReport, StrategyRow, columns_of
from memorycode.prompts import DEFAULT_PACK
from memorycode.reporting.console import WIDTH, output, plain_table, show

ORACLE_MARK = " ◆"
ORACLE_NOTE = "◆ oracle: sees gold labels, which no real memory does."
PARTIAL_MARK = " †"
PARTIAL_NOTE = "† over fewer dialogues than the others: its questions failed or were never asked."

_TITLES: dict[Column, str] = {
    "instruction": "instruction",
    "session": "session",
    "short_history": "short",
    "long_history": "long",
}

_FEW = 5
"""Below so many dialogues a standard error says nothing."""


def print_report(report: RunReport) -> None:
    """The comparison table of a run on standard output."""
    console = output()
    show(report_parts(report, console.width), console)


def print_scores(scores: RecordedScores, label: str) -> None:
    """The scores of recorded outputs on standard output; `label` names them."""
    show(scores_parts(scores, label), output())


def report_text(report: RunReport) -> str:
    """The comparison table as plain text."""
    text = io.StringIO()
    show(report_parts(report, WIDTH), Console(file=text, width=WIDTH, color_system=None))
    return text.getvalue()


# ── a run ─────────────────────────────────────────────────────────────────────────────────────


def report_parts(report: RunReport, width: int) -> Iterable[RenderableType]:
    """Two tables per model, then what one has to know to read them."""
    history = report.manifest.settings.setting == "history"
    if any(row.missing for row in report.rows):
        asked = sum(row.questions - row.missing for row in report.rows)
        planned = sum(row.questions for row in report.rows)
        yield Text(f"UNFINISHED: {asked:,} of {planned:,} questions were asked.", style="bold")
    for model in report.models:
        yield _comparison(model, columns_of(report.manifest.settings.setting), width)
        if history and any(len(row.scores.by_sessions) > 1 for row in model.rows):
            yield _by_sessions(model, width)
    yield Text("\n".join(_notes(report)), style="dim")
    yield Text(f"Records: {report.folder}", no_wrap=True, overflow="ignore")


@dataclass(frozen=True)
class _Fact:
    """A column beside the scores; it is left out of a terminal narrower than `needs`."""

    title: str
    needs: int
    cell: Callable[[StrategyRow], str]


def _tokens(row: StrategyRow) -> str:
    mean = row.context_tokens_mean
    return "–" if mean is None else f"{mean:,.0f}"


def _absent(row: StrategyRow) -> str:
    counts = row.scores.coverage
    verdicts = counts.followed + counts.violated + counts.absent + counts.unparsable
    return f"{counts.absent / verdicts:.1%}" if verdicts else "–"


_FACTS = (
    _Fact("tokens", 64, _tokens),
    _Fact("asked", 82, lambda row: f"{row.questions:,}"),
    _Fact("failed", 0, lambda row: f"{sum(row.failures.values()):,}"),
    _Fact("absent", 90, _absent),
    _Fact("seconds", 100, lambda row: f"{row.seconds:,.1f}"),
)


def _comparison(model: ModelReport, columns: tuple[Column, ...], width: int) -> Table:
    table = plain_table(f"Memory strategies with {model.model.name}, official score in per cent")
    table.add_column("strategy", overflow="fold", min_width=16)
    most = {c: max((row.scores.by_dialogue[c].n for row in model.rows), default=0) for c in columns}
    for column in columns:
        table.add_column(f"{_TITLES[column]}\nn={most[column]}", justify="right", no_wrap=True)
    facts = [fact for fact in _FACTS if width >= fact.needs]
    for fact in facts:
        table.add_column(fact.title, justify="right", no_wrap=True)
    for row in model.rows:
        scores = (_score(row.scores.by_dialogue[column], most[column]) for column in columns)
        table.add_row(_label(row), *scores, *(fact.cell(row) for fact in facts))
    return table


def _by_sessions(model: ModelReport, width: int) -> Table:
    table = plain_table("The same by the number of sessions in the dialogue")
    table.add_column("strategy", overflow="fold", min_width=16)
    lengths = sorted({n for row in model.rows for n in row.scores.by_sessions})
    fitting = max(2, (width - 32) // 5)
    shown = lengths if len(lengths) <= fitting else lengths[-fitting:]
    for length in shown:
        table.add_column(str(length), justify="right", no_wrap=True)
    for row in model.rows:
        scores = (row.scores.by_sessions.get(length) for length in shown)
        table.add_row(_label(row), *map(_short, scores))
    return table


def _label(row: StrategyRow) -> Text:
    label = Text(row.label)
    if row.oracle:
        label.append(ORACLE_MARK, style="bold")
    return label


def _score(estimate: Estimate, most: int) -> str:
    partial = PARTIAL_MARK if estimate.n < most else ""
    return _percent(estimate) + partial


def _percent(estimate: Estimate) -> str:
    if estimate.mean is None:
        return "–"
    few = estimate.se is None or estimate.n < _FEW
    return f"{100 * estimate.mean:.1f}{'' if few else f' ± {100 * (estimate.se or 0):.1f}'}"


def _short(score: float | None) -> str:
    if score is None:
        return "–"
    return "100" if score > 0.9995 else f"{100 * score:.1f}"


def _notes(report: RunReport) -> Iterable[str]:
    settings = report.manifest.settings
    data = f"{settings.dialogues} dialogues ({settings.dataset})"
    yield f"{data}, setting {settings.setting}, {_pack(report)}"
    spread = f"Mean over n dialogues ± standard error (from {_FEW} on)."
    if settings.setting == "history":
        yield (
            f"{spread} Short: up to 15 sessions. Scores and tokens (mean of the recalled context) "
            "are of the last session; asked, failed and seconds count all checkpoints."
        )
    else:
        yield f"{spread} Tokens: mean of the recalled context."
    yield "Absent: rules whose object is not in the answer, left out of the score."
    rows = list(report.rows)
    if any(row.oracle for row in rows):
        yield ORACLE_NOTE
    if any(_is_partial(model, column) for model in report.models for column in COLUMNS):
        yield PARTIAL_NOTE
    notes = [model.model.note for model in report.models] + [row.note for row in rows]
    yield from dict.fromkeys(filter(None, notes))
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
    return len({row.scores.by_dialogue[column].n for row in model.rows}) > 1


def _row_notes(row: StrategyRow) -> Iterable[str]:
    if row.failures:
        count, kinds = sum(row.failures.values()), _counted(row.failures)
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
            f"({_counted(memory.failures)}): its scores are not what the strategy can do."
        )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


# ── recorded outputs ──────────────────────────────────────────────────────────────────────────


def scores_parts(scores: RecordedScores, label: str) -> Iterable[RenderableType]:
    """The four columns of the paper's Table 4 both ways, and what they rest on."""
    table = plain_table(f"{label}: {scores.scorer} scores in per cent")
    table.add_column("mean over")
    for column in COLUMNS:
        table.add_column(_TITLES[column], justify="right")
    table.add_row("dialogues ± SE", *(_percent(scores.by_dialogue[c]) for c in COLUMNS))
    table.add_row("  of them", *(str(scores.by_dialogue[c].n) for c in COLUMNS))
    by_position = (scores.by_position[column] for column in COLUMNS)
    table.add_row("positions", *("–" if m is None else f"{100 * m:.1f}" for m in by_position))
    yield table
    sessions = plain_table("History score by number of sessions")
    shown = [(n, score) for n, score in scores.by_sessions.items() if score is not None]
    for number, _ in shown:
        sessions.add_column(str(number), justify="right")
    sessions.add_row(*(f"{100 * score:.1f}" for _, score in shown))
    yield sessions
    yield Text(
        "Dialogues: the paper's Table 4. Positions: what the released script prints, the mean over "
        "dialogues at each session's position, then over positions.\n" + _coverage(scores.coverage),
        style="dim",
    )


def _coverage(counts: Coverage) -> str:
    failed = f", {_counted(counts.failed)}" if counts.failed else ""
    return (
        f"{counts.answered:,} of {counts.questions:,} questions answered, {counts.missing:,} "
        f"missing{failed}; {counts.surplus:,} answers to no question.\n"
        f"Rules: {counts.followed:,} followed, {counts.violated:,} violated, {counts.unparsable:,} "
        f"in code that does not parse (score 0), {counts.absent:,} absent (left out)."
    )
