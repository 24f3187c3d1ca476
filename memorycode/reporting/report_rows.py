"""The rows of reports, one after the other, and how each is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memorycode.reporting.columns.cells import marks_of
from memorycode.reporting.columns.table import Mark
from memorycode.results.answers import Column as Table4Column
from memorycode.results.strategy_row import StrategyRow
from memorycode.results.summary import ModelReport, RunReport, columns_of
from memorycode.running.manifest import ModelEntry, RunSettings


@dataclass(frozen=True)
class NamedRow:
    """One strategy with one model in one run; `run` counts the runs from 0."""

    run: int
    model: ModelEntry
    row: StrategyRow

    @property
    def marks(self) -> tuple[Mark, ...]:
        return marks_of(oracle=self.row.oracle, ranked=self.row.loss.is_ranked)


@dataclass(frozen=True)
class ReportRows:
    """All rows, those of a model that are not ranked after the others. Runs and models are named
    where there are several."""

    reports: Sequence[RunReport]

    @classmethod
    def of_model(cls, report: RunReport, model: ModelReport) -> ReportRows:
        """Those of one model alone."""
        return cls((report.model_copy(update={"models": (model,)}),))

    def __iter__(self) -> Iterator[NamedRow]:
        for run, report in enumerate(self.reports):
            for model in report.models:
                for row in sorted(model.rows, key=lambda row: not row.loss.is_ranked):
                    yield NamedRow(run, model.model, row)

    @property
    def settings(self) -> list[RunSettings]:
        return [report.manifest.settings for report in self.reports]

    @property
    def table4_columns(self) -> list[Table4Column]:
        """The columns of Table 4 that the runs' settings fill."""
        found = [column for one in self.settings for column in columns_of(one.setting)]
        return list(dict.fromkeys(found))

    @property
    def models(self) -> list[ModelEntry]:
        """Each once, by name."""
        return list({named.model.name: named.model for named in self}.values())

    @property
    def has_several_models(self) -> bool:
        return len(self.models) > 1

    @property
    def has_several_runs(self) -> bool:
        return len(self.reports) > 1

    @property
    def with_model(self) -> str:
        """For a caption: the model, where there is one."""
        return "" if self.has_several_models else f" with {self.models[0].name}"

    def label(self, named: NamedRow) -> str:
        """The name of a row in one line."""
        parts = [" ".join((named.row.label, *(mark.sign for mark in named.marks)))]
        parts += [named.model.name] * self.has_several_models
        parts += [run_name(named.run)] * self.has_several_runs
        return " · ".join(parts)


def run_name(run: int) -> str:
    """What the page calls a run; the overview says which folder that is."""
    return f"run {chr(ord('A') + run)}" if run < 26 else f"run {run + 1}"
