"""The rows of all runs of a page, one after the other, and how each is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memorycode.reporting.html.data_table import Cell, Column
from memorycode.reporting.html.markup import Node, element, untrusted
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import RunReport
from memorycode.running.manifest import ModelEntry

ORACLE = "oracle: sees gold labels, which no real memory does"


@dataclass(frozen=True)
class NamedRow:
    """One strategy with one model in one run; `run` counts the runs from 0."""

    run: int
    folder: str
    model: ModelEntry
    row: StrategyRow


@dataclass(frozen=True)
class ReportRows:
    """All rows. Runs and models are named where there are several."""

    reports: Sequence[RunReport]

    def __iter__(self) -> Iterator[NamedRow]:
        for run, report in enumerate(self.reports):
            for model in report.models:
                for row in model.rows:
                    yield NamedRow(run, report.folder, model.model, row)

    @property
    def has_several_models(self) -> bool:
        return len({named.model.name for named in self}) > 1

    @property
    def has_several_runs(self) -> bool:
        return len(self.reports) > 1

    @property
    def columns(self) -> list[Column]:
        """Those that name a row."""
        more = ["model"] * self.has_several_models + ["run"] * self.has_several_runs
        return [Column(title, is_number=False) for title in ("strategy", *more)]

    def cells(self, named: NamedRow) -> list[Cell]:
        """Those that name a row."""
        cells = [Cell((untrusted(named.row.label), *oracle_mark(named.row)), named.row.label)]
        if self.has_several_models:
            cells.append(Cell(untrusted(named.model.name), named.model.name))
        if self.has_several_runs:
            name = element("span", run_name(named.run), class_="brief")
            cells.append(Cell(name, named.run))
        return cells

    def label(self, named: NamedRow) -> str:
        """The name of a row in one line."""
        parts = [named.row.label + (" ◆" if named.row.oracle else "")]
        parts += [named.model.name] * self.has_several_models
        parts += [run_name(named.run)] * self.has_several_runs
        return " · ".join(parts)


def run_name(run: int) -> str:
    """What the page calls a run; the overview says which folder that is."""
    return f"run {chr(ord('A') + run)}" if run < 26 else f"run {run + 1}"


def oracle_mark(row: StrategyRow) -> tuple[Node, ...]:
    if not row.oracle:
        return ()
    mark = element("span", " ◆", class_="oracle", title=ORACLE, aria_hidden="true")
    return mark, element("span", " (oracle)", class_="unseen")
