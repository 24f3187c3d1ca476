"""Tables for a terminal of 100 columns; no colour where the output is piped."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from memorycode.analysis.aggregation import COLUMNS, Column, Coverage, Estimate
from memorycode.analysis.run_report import ModelReport, RunReport, StrategyRow, columns_of
from memorycode.dialogue import Setting
from memorycode.scoring.recorded import RecordedScores

WIDTH = 100

ORACLE_MARK = " ◆"
ORACLE_NOTE = "◆ oracle: sees gold labels, which no real memory does."

_TITLES: dict[Column, str] = {
    "instruction": "instruction",
    "session": "session",
    "short_history": "short history",
    "long_history": "long history",
}


def print_report(report: RunReport) -> None:
    """The comparison table of a run on standard output."""
    _print(report_parts(report))


def print_scores(scores: RecordedScores) -> None:
    """The scores of recorded outputs on standard output."""
    _print(scores_parts(scores))


def report_text(report: RunReport) -> str:
    """The comparison table as plain text."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
    for part in report_parts(report):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def report_parts(report: RunReport) -> Iterable[RenderableType]:
    """A table per model, then what one has to know to read it."""
    settings = report.manifest.settings
    for model in report.models:
        yield _comparison(model, settings.setting)
    yield Text("\n".join(_notes(report)), style="dim")
    yield Text(f"Records: {report.folder}", no_wrap=True, overflow="ignore")


def scores_parts(scores: RecordedScores) -> Iterable[RenderableType]:
    """The four columns of the paper's Table 4 both ways, and what they rest on."""
    table = plain_table(f"Scores of recorded outputs, {scores.scorer} scorer, per cent")
    table.add_column("mean")
    for column in COLUMNS:
        table.add_column(_TITLES[column], justify="right")
    table.add_row("over dialogues ± SE", *(_percent(scores.by_dialogue[c]) for c in COLUMNS))
    table.add_row("dialogues", *(str(scores.by_dialogue[c].n) for c in COLUMNS))
    by_position = (scores.by_position[column] for column in COLUMNS)
    table.add_row("over positions", *("–" if m is None else f"{100 * m:.1f}" for m in by_position))
    yield table
    sessions = plain_table("History score by number of sessions")
    shown = [(n, score) for n, score in scores.by_sessions.items() if score is not None]
    for number, _ in shown:
        sessions.add_column(str(number), justify="right")
    sessions.add_row(*(f"{100 * score:.1f}" for _, score in shown))
    yield sessions
    yield Text(_coverage(scores.coverage), style="dim")


def _print(parts: Iterable[RenderableType]) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH, color_system=None)
    for part in parts:
        console.print(part)


def plain_table(title: str | None) -> Table:
    """A table in the house style."""
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def _comparison(model: ModelReport, setting: Setting) -> Table:
    table = plain_table(f"Memory strategies with {model.model.name}, official score in per cent")
    table.add_column("strategy", overflow="fold", min_width=20)
    columns = columns_of(setting)
    for column in columns:
        table.add_column(_TITLES[column].removesuffix(" history"), justify="right", no_wrap=True)
    for title in ("tokens", "asked", "failed", "absent", "seconds"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in model.rows:
        scores = (_percent(row.summary.by_dialogue[column]) for column in columns)
        table.add_row(_label(row), *scores, *_facts(row))
    return table


def _label(row: StrategyRow) -> Text:
    label = Text(row.label)
    if row.oracle:
        label.append(ORACLE_MARK, style="bold")
    return label


def _facts(row: StrategyRow) -> list[str]:
    tokens = row.context_tokens_mean
    failed = sum(row.failed.values()) + row.missing
    counts = row.coverage
    verdicts = counts.followed + counts.violated + counts.absent + counts.unparsable
    absent = f"{counts.absent / verdicts:.1%}" if verdicts else "–"
    return [
        "–" if tokens is None else f"{tokens:,.0f}",
        f"{row.questions:,}",
        f"{failed:,}",
        absent,
        f"{row.seconds:,.1f}",
    ]


def _percent(estimate: Estimate) -> str:
    if estimate.mean is None:
        return "–"
    spread = "" if estimate.se is None else f" ± {100 * estimate.se:.1f}"
    return f"{100 * estimate.mean:.1f}{spread}"


def _notes(report: RunReport) -> list[str]:
    settings = report.manifest.settings
    notes = [
        f"{settings.dialogues} dialogues ({settings.dataset}), setting {settings.setting}, "
        f"prompts {settings.prompts.name} {settings.prompts_hash}: not the paper's wording, "
        "so live scores are not its Table 4.",
        "Mean over dialogues ± standard error. Short: up to 15 sessions. Scores and tokens (of the "
        "recalled context, mean) are of the last session; asked and seconds count all checkpoints. "
        "Absent: rules whose object is not in the answer, left out of the score.",
    ]
    rows = [row for model in report.models for row in model.rows]
    if any(row.oracle for row in rows):
        notes.append(ORACLE_NOTE)
    if any(row.variant == "extractive" for row in rows):
        notes.append("extractive: no language model to summarise with; sentences are picked.")
    if any(model.model.name == "ideal-mentee" for model in report.models):
        notes.append(
            "ideal-mentee is no language model but a flawless reader: its score is the ceiling "
            "that a memory leaves to any model."
        )
    notes += [f"{label}: {text}" for label, text in _failures(rows)]
    return notes


def _failures(rows: Iterable[StrategyRow]) -> Iterable[tuple[str, str]]:
    for row in rows:
        kinds = dict(row.failed) | ({"missing": row.missing} if row.missing else {})
        if kinds:
            listed = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
            yield row.label, f"no answer to {sum(kinds.values())} questions ({listed}), not scored"


def _coverage(counts: Coverage) -> str:
    failed = ", ".join(f"{n} {kind}" for kind, n in counts.failed.items())
    return (
        f"{counts.answered:,} of {counts.questions:,} questions answered, {counts.missing:,} "
        f"missing{', ' + failed if failed else ''}; {counts.surplus:,} answers to no question.\n"
        f"Rules: {counts.followed:,} followed, {counts.violated:,} violated, {counts.absent:,} "
        f"absent (left out of the scores), {counts.unparsable:,} unparsable."
    )
