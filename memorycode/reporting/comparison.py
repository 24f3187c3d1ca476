"""The tables of a comparison: differences by scorer and group of dialogues, then what flipped."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from memorycode.reporting.columns.cells import (
    NOTHING,
    ORACLE,
    UNRANKED,
    count,
    decimal,
    marks_of,
    percent,
    signed_percent,
    words,
)
from memorycode.reporting.columns.memory import losses
from memorycode.reporting.columns.table import Cell, Column, Table, legend, of_part
from memorycode.reporting.console import WIDTH, output, printable, show
from memorycode.reporting.notes import cut
from memorycode.reporting.terminal import WIDE, drawn
from memorycode.results.compare import RunComparison
from memorycode.results.compared_pairs import GroupComparison, PairComparison, RowName
from memorycode.results.intervals import Group
from memorycode.results.statistics import ENOUGH, Interval

TOO_FEW = "too few to tell"
ALL_ALIKE = "all alike"

_GROUP_TITLES: dict[Group, str] = {
    "instruction": "instruction setting",
    "session": "session setting",
    "history": "all histories",
    "short_history": "short histories",
    "long_history": "long histories",
}


def print_comparison(comparison: RunComparison, flips: int) -> None:
    """The tables on standard output, with up to so many flipped questions each way."""
    console = output()
    show(comparison_parts(comparison, flips, console.width), console)


def comparison_text(comparison: RunComparison, flips: int) -> str:
    """The tables as plain text."""
    text = io.StringIO()
    console = Console(file=text, width=WIDTH, color_system=None)
    show(comparison_parts(comparison, flips, WIDTH), console)
    return text.getvalue()


def comparison_parts(comparison: RunComparison, flips: int, width: int) -> Iterable[RenderableType]:
    """A table per scorer and group, the table of flipped questions, what one has to know."""
    names = _Names(comparison)
    for differing in _differences(comparison):
        yield Text(printable(differing), style="bold")
    for scorer in comparison.scorers:
        for group in comparison.groups:
            yield drawn(_table(comparison.pairs, scorer, group, names), width)
    yield drawn(_flips_table(comparison.pairs, names), width)
    yield from _flipped(comparison.pairs, flips, names)
    yield Text(printable("\n".join(_notes(comparison, names, width))), style="dim")


class _Names:
    """How tables call rows: by strategy, with the letter of its run and model where there are
    several."""

    def __init__(self, comparison: RunComparison) -> None:
        places = [(run.run, model) for run in comparison.runs for model in run.models]
        self.letters = {place: _letter(number) for number, place in enumerate(places)}
        against = {pair.first for pair in comparison.pairs}
        self.baseline = against.pop() if len(against) == 1 else None

    def of(self, row: RowName) -> str:
        letter = f" [{self.letters[row.run, row.model]}]" if len(self.letters) > 1 else ""
        marks = marks_of(oracle=row.oracle, ranked=row.memory.is_ranked)
        return f"{' '.join((row.label, *(mark.sign for mark in marks)))}{letter}"

    def of_pair(self, pair: PairComparison) -> str:
        if self.baseline:
            return self.of(pair.second)
        return f"{self.of(pair.second)}\n− {self.of(pair.first)}"

    @property
    def against(self) -> str:
        return f" against {self.of(self.baseline)}" if self.baseline else ""


def _letter(number: int) -> str:
    return chr(ord("A") + number) if number < 26 else str(number + 1)


# ── differences ───────────────────────────────────────────────────────────────────────────────


def _table(
    pairs: Sequence[PairComparison], scorer: str, group: Group, names: _Names
) -> Table[PairComparison]:
    title = f"{scorer[:1].upper()}{scorer[1:]}, {_GROUP_TITLES[group]}{names.against}, in per cent"

    def compared(pair: PairComparison) -> GroupComparison:
        return pair.scores[scorer][group]

    differences = of_part(_DIFFERENCES, compared)
    return Table(title, [_name(names), *differences, *_losses(pairs)], _ranked_first(pairs))


def _losses(pairs: Sequence[PairComparison]) -> list[Column[PairComparison]]:
    """Of the row, where it or what it is compared with lost any."""
    known = [row.memory for pair in pairs for row in (pair.first, pair.second)]
    columns = losses(known) if any(loss.lost for loss in known) else []
    return of_part(columns, lambda pair: pair.second.memory)


def _ranked_first(pairs: Sequence[PairComparison]) -> list[PairComparison]:
    return sorted(pairs, key=lambda pair: not pair.second.memory.is_ranked)


def _name(names: _Names) -> Column[PairComparison]:
    return Column("strategy", lambda pair: words(names.of_pair(pair)), is_number=False)


def _interval(interval: Interval) -> Cell:
    if not interval.is_told:
        return Cell(TOO_FEW)
    if interval.is_constant:
        return Cell(ALL_ALIKE)
    low, high = signed_percent(interval.low), signed_percent(interval.high)
    return Cell(f"{low.text} to {high.text}")


def _p(value: float | None) -> Cell:
    return Cell("<0.001", value) if value is not None and value < 0.001 else decimal(value, 3)


def _effect(size: float | None) -> Cell:
    return Cell(NOTHING if size is None else f"{size:+.2f}", size)


_DIFFERENCES: tuple[Column[GroupComparison], ...] = (
    Column("n", lambda found: count(found.comparison.n), help="dialogues"),
    Column("score", lambda found: percent(found.second), needs=WIDE),
    Column("against", lambda found: percent(found.first), help="the other's score", needs=WIDE),
    Column(
        "differ\u00adence",
        lambda found: signed_percent(found.comparison.difference.mean),
        help="the mean over n dialogues of the row's score less the other's, both on the questions "
        "that both have answered",
    ),
    Column(
        "95\u00a0%\u00a0interval",
        lambda found: _interval(found.comparison.difference),
        help="of the difference, by bootstrap",
    ),
    Column(
        "p Holm",
        lambda found: _p(found.p_holm),
        help="paired permutation test with Holm's correction over the rows of its table",
        term="p",
    ),
    Column(
        "d_z",
        lambda found: _effect(found.comparison.d_z),
        help="the mean difference by its standard deviation",
        needs=WIDE,
    ),
    Column(
        "won",
        lambda found: count(found.comparison.wins),
        help="dialogues (docs/statistics.md)",
        term="won, lost, tied",
        needs=WIDE,
    ),
    Column("lost", lambda found: count(found.comparison.losses), needs=WIDE),
    Column("tied", lambda found: count(found.comparison.ties), needs=WIDE),
)


# ── flipped questions ─────────────────────────────────────────────────────────────────────────


def _flips_table(pairs: Sequence[PairComparison], names: _Names) -> Table[PairComparison]:
    return Table(
        f"Flipped questions, strict{names.against}", [_name(names), *_FLIPS], _ranked_first(pairs)
    )


_FLIPS: tuple[Column[PairComparison], ...] = (
    Column("shared dialogues", lambda pair: count(pair.dialogues)),
    Column("questions compared", lambda pair: count(pair.flips.questions)),
    Column(
        "left out",
        lambda pair: count(pair.left_out),
        help="questions that failed or were not asked in either",
    ),
    Column(
        "gained",
        lambda pair: count(len(pair.flips.gained)),
        help="all rules followed by the row alone; lost: by the other alone",
    ),
    Column("lost", lambda pair: count(len(pair.flips.lost))),
)


def _flipped(pairs: Sequence[PairComparison], most: int, names: _Names) -> Iterable[Text]:
    for pair in pairs if most else ():
        for what, ids in (("gained", pair.flips.gained), ("lost", pair.flips.lost)):
            if ids:
                more = f" … and {len(ids) - most:,} more" if len(ids) > most else ""
                label = names.of_pair(pair).replace("\n", " ")
                yield Text(printable(f"{label}, {what}: {' '.join(ids[:most])}{more}"))


# ── what one has to know ──────────────────────────────────────────────────────────────────────


def _differences(comparison: RunComparison) -> Iterable[str]:
    """What makes the runs unlike besides the memories that are compared."""
    data_first = sorted(comparison.differing.items(), key=lambda item: item[0] != "dataset_hash")
    for name, values in data_first:
        if name == "dataset_hash":
            sizes = ", ".join(f"{run.dialogues:,} in {run.run}" for run in comparison.runs)
            yield (
                f"THE DATA DIFFER ({sizes} dialogues): each pair is compared on the dialogues that "
                "are word for word in both."
            )
        else:
            yield f"THE RUNS DIFFER in {name}: {' / '.join(values)}"


def _notes(comparison: RunComparison, names: _Names, width: int) -> Iterable[str]:
    yield legend(column for column in _DIFFERENCES if width >= column.needs)
    if lost := _losses(comparison.pairs):
        yield legend(lost)
    yield (
        f"{TOO_FEW.capitalize()}: fewer than {ENOUGH} dialogues. {ALL_ALIKE.capitalize()}: every "
        "dialogue differs by the same, so nothing says how much another would."
    )
    yield f"{legend(_FLIPS)} memorycode show RUN --question ID."
    if any(row.oracle for pair in comparison.pairs for row in (pair.first, pair.second)):
        yield ORACLE.note
    rows = dict.fromkeys(row for pair in comparison.pairs for row in (pair.first, pair.second))
    if not all(row.memory.is_ranked for row in rows):
        yield UNRANKED.note
    for row in rows:
        yield from cut(names.of(row), row.truncated, row.recalls)
    for run in comparison.runs:
        for model in run.models:
            letter = f"[{names.letters[run.run, model]}] " if len(names.letters) > 1 else ""
            yield (
                f"{letter}{run.run}: {model}, {run.dialogues:,} dialogues ({run.dataset}), setting "
                f"{comparison.setting}, prompts {run.prompts} {run.prompts_hash}"
            )
    yield from dict.fromkeys(note for run in comparison.runs for note in run.notes)
