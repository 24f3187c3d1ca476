"""What `memorycode retrieve` prints: a row per cell of the grid."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from memorycode.ablation.grid_cells import GridCell
from memorycode.ablation.measures import MEASURES
from memorycode.reporting.cells import ORACLE_MARK
from memorycode.reporting.console import output, plain_table, printable

INFORMED_MARK = " *"
_SETTINGS = ("retriever", "query", "unit", "speaker", "k")
_SHARES = ("session_recall", "session_precision", "rule_recall", "needed_recall", "stale_share")
_TITLES = {
    "session_recall": "session\nrecall",
    "session_precision": "session\nprecision",
    "rule_recall": "rules\nrecalled",
    "needed_recall": "needed\nrules",
    "stale_share": "stale\nrules",
}
_NARROW = 90


def print_cells(cells: Sequence[GridCell]) -> None:
    """The table; settings that all cells share stand above it."""
    console = output()
    fixed = [name for name in _SETTINGS if len({_setting(cell, name) for cell in cells}) == 1]
    varied = [name for name in _SETTINGS if name not in fixed]
    common = ", ".join(f"{name} {_setting(cells[0], name)}" for name in fixed)
    table = plain_table(printable(f"Retrieval without a model, in per cent{_said(common)}"))
    for name in varied or ["k"]:
        table.add_column(name, overflow="fold")
    for name in _SHARES:
        table.add_column(_TITLES[name], justify="right", no_wrap=True)
    table.add_column("tokens", justify="right", no_wrap=True)
    ranked = ("ndcg", "mrr") if console.width >= _NARROW else ()
    for name in ranked:
        table.add_column(name, justify="right", no_wrap=True)
    for cell in cells:
        settings = [Text(printable(_setting(cell, name))) for name in varied or ["k"]]
        settings[0].append((ORACLE_MARK if cell.oracle else "") + _informed(cell))
        shares = [_percent(cell, name) for name in _SHARES]
        table.add_row(*settings, *shares, _tokens(cell), *(_plain(cell, name) for name in ranked))
    console.print(table)
    console.print(Text("\n".join(_notes(cells)), style="dim"))


def _said(common: str) -> str:
    return f": {common}" if common else ""


def _setting(cell: GridCell, name: str) -> str:
    return cell.k if name == "k" else str(getattr(cell.settings, name))


def _informed(cell: GridCell) -> str:
    return INFORMED_MARK if cell.informed else ""


def _percent(cell: GridCell, name: str) -> str:
    mean = cell.measures[name].mean
    return "–" if mean is None else f"{100 * mean:.1f}"


def _plain(cell: GridCell, name: str) -> str:
    mean = cell.measures[name].mean
    return "–" if mean is None else f"{mean:.2f}"


def _tokens(cell: GridCell) -> str:
    mean = cell.measures["tokens"].mean
    return "–" if mean is None else f"{mean:,.0f}"


def _notes(cells: Sequence[GridCell]) -> list[str]:
    n = max((found.n for found in cells[0].measures.values()), default=0)
    notes = [f"Mean over {n} dialogues, each the mean of its questions after the last session."]
    for name in _SHARES:
        notes.append(f"{' '.join(_TITLES[name].split())}: {MEASURES[name]}.")
    if any(cell.oracle for cell in cells):
        notes.append("◆ oracle: the retriever or k comes from gold labels.")
    if any(cell.informed for cell in cells):
        notes.append("* the query knows what kinds of rules the benchmark has.")
    notes.append("--json has all measures, also by the number of sessions.")
    return notes
