"""The tables of a comparison: differences by scorer and group of dialogues, then what flipped."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from memorycode.reporting.cells import ORACLE_MARK
from memorycode.reporting.console import WIDTH, output, plain_table, printable, show
from memorycode.reporting.tables import ORACLE_NOTE
from memorycode.results.compare import RunComparison
from memorycode.results.compared_pairs import GroupComparison, PairComparison, RowName
from memorycode.results.intervals import Group
from memorycode.results.statistics import ENOUGH, Interval
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName

TOO_FEW = "too few to tell"
ALL_ALIKE = "all alike"
_NOTHING = "–"
_WIDE = 88
"""Columns from which on a table has all its facts; a narrower one keeps what decides."""

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
    for scorer in SCORER_NAMES:
        for group in comparison.groups:
            yield _table(comparison.pairs, scorer, group, names, width)
    yield _flips_table(comparison.pairs, names)
    yield from _flipped(comparison.pairs, flips, names)
    yield Text(printable("\n".join(_notes(comparison, names))), style="dim")


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
        return f"{row.label}{ORACLE_MARK if row.oracle else ''}{letter}"

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
    pairs: Sequence[PairComparison], scorer: ScorerName, group: Group, names: _Names, width: int
) -> Table:
    title = f"{scorer.capitalize()}, {_GROUP_TITLES[group]}{names.against}, in per cent"
    table = plain_table(title)
    table.add_column("strategy", overflow="fold", min_width=12)
    cells = [_cells(pair.scores[scorer][group], is_wide=width >= _WIDE) for pair in pairs]
    for heading in cells[0]:
        table.add_column(heading, justify="right", no_wrap=True)
    for pair, row in zip(pairs, cells, strict=True):
        table.add_row(Text(printable(names.of_pair(pair))), *row.values())
    return table


def _cells(found: GroupComparison, *, is_wide: bool) -> dict[str, str]:
    compared = found.comparison
    cells = {
        "n": f"{compared.n:,}",
        "score": _percent(found.second),
        "against": _percent(found.first),
        "differ-\nence": _signed(compared.difference.mean),
        "95 % interval": _interval(compared.difference),
        "p\nHolm": _p(found.p_holm),
        "d_z": _NOTHING if compared.d_z is None else f"{compared.d_z:+.2f}",
        "won": f"{compared.wins:,}",
        "lost": f"{compared.losses:,}",
        "tied": f"{compared.ties:,}",
    }
    kept = cells if is_wide else ("n", "differ-\nence", "95 % interval", "p\nHolm")
    return {heading: cells[heading] for heading in kept}


def _percent(score: float | None) -> str:
    return _NOTHING if score is None else f"{100 * score:.1f}"


def _signed(difference: float | None) -> str:
    return _NOTHING if difference is None else f"{100 * difference:+.1f}"


def _interval(interval: Interval) -> str:
    if not interval.is_told:
        return TOO_FEW
    if interval.is_constant:
        return ALL_ALIKE
    return f"{_signed(interval.low)} to {_signed(interval.high)}"


def _p(value: float | None) -> str:
    if value is None:
        return _NOTHING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


# ── flipped questions ─────────────────────────────────────────────────────────────────────────


def _flips_table(pairs: Sequence[PairComparison], names: _Names) -> Table:
    table = plain_table(f"Flipped questions, strict{names.against}")
    table.add_column("strategy", overflow="fold", min_width=12)
    for heading in ("shared\ndialogues", "questions\ncompared", "left\nout", "gained", "lost"):
        table.add_column(heading, justify="right", no_wrap=True)
    for pair in pairs:
        flips = pair.flips
        counts = (
            pair.dialogues,
            flips.questions,
            pair.left_out,
            len(flips.gained),
            len(flips.lost),
        )
        table.add_row(Text(printable(names.of_pair(pair))), *(f"{count:,}" for count in counts))
    return table


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
    for name, values in comparison.differing.items():
        if name == "dataset_hash":
            sizes = ", ".join(f"{run.dialogues:,} in {run.run}" for run in comparison.runs)
            yield (
                f"THE DATA DIFFER ({sizes} dialogues): each pair is compared on the dialogues that "
                "are word for word in both."
            )
        else:
            yield f"THE RUNS DIFFER in {name}: {' / '.join(values)}"


def _notes(comparison: RunComparison, names: _Names) -> Iterable[str]:
    yield (
        "Difference: the mean over n dialogues of the row's score less the other's, both on the "
        "questions that both have answered, with its 95 % bootstrap interval. p: paired "
        "permutation test with Holm's correction over the rows of its table. d_z: the mean "
        "difference by its standard deviation. Won, lost, tied: dialogues (docs/statistics.md)."
    )
    yield (
        f"{TOO_FEW.capitalize()}: fewer than {ENOUGH} dialogues. {ALL_ALIKE.capitalize()}: every "
        "dialogue differs by the same, so nothing says how much another would."
    )
    yield (
        "Gained: all rules followed by the row alone; lost: by the other alone; left out: "
        "questions that failed or were not asked in either. memorycode show RUN --question ID."
    )
    if any(row.oracle for pair in comparison.pairs for row in (pair.first, pair.second)):
        yield ORACLE_NOTE
    for run in comparison.runs:
        for model in run.models:
            letter = f"[{names.letters[run.run, model]}] " if len(names.letters) > 1 else ""
            yield (
                f"{letter}{run.run}: {model}, {run.dialogues:,} dialogues ({run.dataset}), setting "
                f"{comparison.setting}, prompts {run.prompts} {run.prompts_hash}"
            )
    yield from dict.fromkeys(note for run in comparison.runs for note in run.notes)
