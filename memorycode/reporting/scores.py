"""The scores of recorded outputs."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.text import Text

from memorycode.reporting.cells import COLUMN_TITLES
from memorycode.reporting.console import output, plain_table, show
from memorycode.reporting.tables import counted, percent
from memorycode.results.answers import COLUMNS
from memorycode.results.metrics import Coverage
from memorycode.results.recorded_scores import RecordedScores


def print_scores(scores: RecordedScores, label: str) -> None:
    """The scores of recorded outputs on standard output; `label` names them."""
    show(scores_parts(scores, label), output())


def scores_parts(scores: RecordedScores, label: str) -> Iterable[RenderableType]:
    """The four columns of the paper's Table 4 both ways, and what they rest on."""
    table = plain_table(f"{label}: {scores.scorer} scores in per cent")
    table.add_column("mean over")
    for column in COLUMNS:
        table.add_column(COLUMN_TITLES[column], justify="right")
    table.add_row("dialogues ± SE", *(percent(scores.by_dialogue[c]) for c in COLUMNS))
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
    failed = f", {counted(counts.failed)}" if counts.failed else ""
    return (
        f"{counts.answered:,} of {counts.questions:,} questions answered, {counts.missing:,} "
        f"missing{failed}; {counts.surplus:,} answers to no question.\n"
        f"Rules: {counts.followed:,} followed, {counts.violated:,} violated, {counts.unparsable:,} "
        f"in code that does not parse (score 0), {counts.absent:,} absent (left out)."
    )
