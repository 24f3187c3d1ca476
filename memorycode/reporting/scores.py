"""The scores of recorded outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.console import RenderableType
from rich.text import Text

from memorycode.reporting.columns.cells import COLUMN_TITLES, estimated, percent, words
from memorycode.reporting.columns.table import Cell, Column, Table
from memorycode.reporting.console import output, show
from memorycode.reporting.notes import counted
from memorycode.reporting.terminal import drawn
from memorycode.results.answers import COLUMN_SETTINGS, COLUMNS
from memorycode.results.answers import Column as Table4Column
from memorycode.results.metrics import Coverage
from memorycode.results.recorded_scores import RecordedScores

_Way = tuple[str, Callable[[Table4Column], Cell]]
"""What the mean is over, and the cell of each column."""

_MEAN_OVER = Column[_Way]("mean over", lambda way: words(way[0]), is_number=False)


def _column(column: Table4Column) -> Column[_Way]:
    return Column(COLUMN_TITLES[column], lambda way: way[1](column))


def _length(sessions: int) -> Column[RecordedScores]:
    return Column(str(sessions), lambda scores: percent(scores.by_sessions[sessions]))


def print_scores(scores: RecordedScores, label: str) -> None:
    """The scores of recorded outputs on standard output; `label` names them."""
    console = output()
    show(scores_parts(scores, label, console.width), console)


def scores_parts(scores: RecordedScores, label: str, width: int) -> Iterable[RenderableType]:
    """The four columns of the paper's Table 4 both ways, and what they rest on."""
    ways: list[_Way] = [
        ("dialogues ± SE", lambda column: estimated(scores.by_dialogue[column])),
        ("  of them", lambda column: Cell(str(scores.by_dialogue[column].n))),
        ("positions", lambda column: percent(scores.by_position[column])),
    ]
    asked = {setting for setting, of in scores.coverage_by_setting.items() if of.questions}
    columns = [_column(column) for column in COLUMNS if COLUMN_SETTINGS[column] in asked]
    caption = f"{label}: {scores.scorer} scores in per cent"
    yield drawn(Table(caption, [_MEAN_OVER, *columns], ways), width)
    lengths = [_length(n) for n, score in scores.by_sessions.items() if score is not None]
    if "history" in asked:
        yield drawn(Table("History score by number of sessions", lengths, [scores]), width)
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
