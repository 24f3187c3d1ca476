"""What `memorycode retrieve` prints: a row per cell of the grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from memorycode.ablation.grid_cells import GridCell
from memorycode.ablation.measures import MEASURES
from memorycode.reporting.columns.cells import ORACLE, decimal, percent
from memorycode.reporting.columns.table import Cell, Column, Mark, Table, legend
from memorycode.reporting.console import output, printable
from memorycode.reporting.terminal import drawn

_ORACLE = Mark(ORACLE.sign, ORACLE.word, "the retriever or k comes from gold labels")
_INFORMED = Mark("*", "informed", "the query knows what kinds of rules the benchmark has")
_SETTINGS = ("retriever", "query", "unit", "speaker", "k")
_NARROW = 90


def print_cells(cells: Sequence[GridCell]) -> None:
    """The table; settings that all cells share stand above it."""
    console = output()
    fixed = [name for name in _SETTINGS if len({_setting(cell, name) for cell in cells}) == 1]
    varied = [name for name in _SETTINGS if name not in fixed] or ["k"]
    common = ", ".join(f"{name} {_setting(cells[0], name)}" for name in fixed)
    said = f": {common}" if common else ""
    table = Table(
        f"Retrieval without a model, in per cent{said}",
        [_first(varied[0]), *map(_named, varied[1:]), *_MEASURES],
        cells,
    )
    console.print(drawn(table, console.width))
    console.print(Text(printable("\n".join(_notes(cells, varied))), style="dim"))


def _setting(cell: GridCell, name: str) -> str:
    return cell.k if name == "k" else str(getattr(cell.settings, name))


def _first(setting: str) -> Column[GridCell]:
    """The first column says of a row what one has to know."""
    return Column(setting, lambda cell: _marked(cell, setting), is_number=False)


def _marked(cell: GridCell, setting: str) -> Cell:
    marks = [_ORACLE] * cell.oracle + [_INFORMED] * cell.informed
    return Cell(_setting(cell, setting), marks=tuple(marks))


def _named(setting: str) -> Column[GridCell]:
    return Column(setting, lambda cell: Cell(_setting(cell, setting)), is_number=False)


def _share(title: str, measure: str) -> Column[GridCell]:
    return Column(title, lambda cell: percent(cell.measures[measure].mean), help=MEASURES[measure])


_MEASURES: tuple[Column[GridCell], ...] = (
    _share("session recall", "session_recall"),
    _share("session precision", "session_precision"),
    _share("rules recalled", "rule_recall"),
    _share("needed rules", "needed_recall"),
    _share("stale rules", "stale_share"),
    Column("tokens", lambda cell: decimal(cell.measures["tokens"].mean, 0)),
    Column("ndcg", lambda cell: decimal(cell.measures["ndcg"].mean, 2), needs=_NARROW),
    Column("mrr", lambda cell: decimal(cell.measures["mrr"].mean, 2), needs=_NARROW),
)


def _notes(cells: Sequence[GridCell], varied: Sequence[str]) -> Iterator[str]:
    n = max((found.n for found in cells[0].measures.values()), default=0)
    yield f"Mean over {n} dialogues, each the mean of its questions after the last session."
    yield from (legend([column]) for column in _MEASURES if column.help)
    if any(cell.oracle for cell in cells):
        yield _ORACLE.note
    if any(cell.informed for cell in cells):
        yield _INFORMED.note
    for cell in cells:
        if share := cell.measures["took_all"].mean:
            named = ", ".join(f"{name} {_setting(cell, name)}" for name in varied)
            yield (
                f"{named}: every unit there is was taken for {share:.0%} of the questions: nothing "
                "was chosen there."
            )
    yield "--json has all measures, also by the number of sessions."
