"""What figures are made from: scored questions of runs' folders or of recorded outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memorycode.datasets.outputs import RecordedDialogue, output_files, read_output
from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.prices import PriceList
from memorycode.processes import spread
from memorycode.results.answers import (
    RuleHistory,
    RunRows,
    ScoredRow,
    Source,
    recorded_rows,
)
from memorycode.results.figures.source_labels import source_labels
from memorycode.results.metrics import MISSING, SETTINGS
from memorycode.results.recorded_scores import no_cycle_search
from memorycode.results.summary import RunReport, report_run
from memorycode.running.folder import RunFolder
from memorycode.running.manifest import ModelEntry
from memorycode.scoring.scorers import ScorerName, make_scorer

_CHUNK = 10
"""Dialogues that a process judges at a time."""


@dataclass(frozen=True)
class Evidence:
    """Scored questions with their dialogues. `reports` are there where it comes from runs,
    `unasked` counts planned questions that no run has asked yet."""

    dialogues: Sequence[Dialogue]
    rows: Sequence[ScoredRow] = ()
    reports: Sequence[RunReport] = ()
    unasked: int = 0

    @cached_property
    def labels(self) -> dict[Source, str]:
        """What figures call each source: what tells it from the others, in the order given."""
        return source_labels(self.rows)

    @cached_property
    def label_order(self) -> list[str]:
        """Each label once, in the order given."""
        return list(dict.fromkeys(self.labels.values()))

    def label(self, row: ScoredRow) -> str:
        return self.labels[row.source]

    def reports_by_run(self) -> dict[str, RunReport]:
        """The reports by what their rows' sources call the run."""
        return {report.folder: report for report in self.reports}

    def notes(self) -> tuple[str, ...]:
        """What is missing from the figures and must not be passed over."""
        failed = Counter(row.failure for row in self.rows if row.failure)
        failed[MISSING] += self.unasked
        counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(failed.items()) if count)
        notes = [f"Questions without an answer, left out: {counts}."] if counts else []
        if any(source.oracle for source in self.labels):
            notes.append("◆ oracle: sees gold labels, which no real memory does.")
        lost: Counter[str] = Counter()
        for report in self.reports:
            for row in report.rows:
                lost[row.label] += sum(row.memory.failures.values())
        notes += [
            f"{label}: {count:,} of the memory's own calls failed: its scores are not what the "
            "strategy can do."
            for label, count in lost.items()
            if count
        ]
        models = (model.note for report in self.reports for model in _models(report))
        return (*notes, *dict.fromkeys(filter(None, models)))


def from_runs(folders: Iterable[Path], prices: PriceList | None = None) -> Evidence:
    """Read runs' folders.

    Raises `RunFolderError` for one that cannot be read, and `UsageError` for one that is named
    twice and for runs that have different dialogues of one number.
    """
    rows: list[ScoredRow] = []
    reports = []
    dialogues: dict[int, Dialogue] = {}
    for path in _each_once(folders):
        report = report_run(path, prices)
        folder = RunFolder(path)
        told = folder.dialogues()
        rows += _run_rows(folder, report, told)
        reports.append(report)
        for dialogue in told:
            if dialogues.setdefault(dialogue.number, dialogue) != dialogue:
                raise UsageError(
                    f"dialogue {dialogue.number} of {path} is another one than in the runs before "
                    "it; a figure shows runs on the same data"
                )
    unasked = sum(row.missing for report in reports for row in report.rows)
    return Evidence(list(dialogues.values()), rows, reports, unasked)


def from_outputs(
    dialogues: Sequence[Dialogue],
    folders: Sequence[Path],
    *,
    settings: Sequence[Setting] = SETTINGS,
    scorers: Sequence[ScorerName] = ("official",),
    workers: int = 1,
) -> Evidence:
    """Judge recorded outputs, a folder per model, on as many processes as `workers`.

    Raises `UsageError` where two folders have one name or hold none of the dialogues.
    """
    names = [folder.resolve().name for folder in folders]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise UsageError(f"two folders of recorded outputs are named {twice[0]}")
    for folder in folders:
        _check_holds_some(folder, dialogues)
    judge = _Judge(tuple(folders), tuple(settings), tuple(scorers))
    chunks = [dialogues[at : at + _CHUNK] for at in range(0, len(dialogues), _CHUNK)]
    with no_cycle_search():
        judged = [row for rows in spread(judge, chunks, workers) for row in rows]
    order = {Source(name): place for place, name in enumerate(names)}
    place = {dialogue.number: at for at, dialogue in enumerate(dialogues)}
    judged.sort(key=lambda row: (order[row.source], place[row.dialogue]))
    return Evidence(dialogues, judged)


@dataclass(frozen=True)
class _Judge:
    """Builds, in each process, what judges the answers to some dialogues."""

    folders: tuple[Path, ...]
    settings: tuple[Setting, ...]
    scorers: tuple[ScorerName, ...]

    def __call__(self) -> _Judging:
        return _Judging(self)


class _Judging:
    def __init__(self, what: _Judge) -> None:
        self._settings = what.settings
        self._scorers = [make_scorer(name) for name in what.scorers]
        self._files = [output_files(folder) for folder in what.folders]
        self._sources = [Source(folder.resolve().name) for folder in what.folders]

    def __call__(self, dialogues: Sequence[Dialogue]) -> list[ScoredRow]:
        rows: list[ScoredRow] = []
        for dialogue in dialogues:
            history = RuleHistory(dialogue)
            for place, source in enumerate(self._sources):
                recorded = self._recorded(place, dialogue.number)
                rows += recorded_rows(history, recorded, source, self._settings, self._scorers)
        return rows

    def _recorded(self, place: int, number: int) -> RecordedDialogue | None:
        file = self._files[place].get(number)
        return read_output(file, number) if file else None


def _check_holds_some(folder: Path, dialogues: Sequence[Dialogue]) -> None:
    numbers = output_files(folder).keys()
    if numbers.isdisjoint(dialogue.number for dialogue in dialogues):
        raise UsageError(f"{folder}: no recorded outputs for any of these dialogues")


def _each_once(folders: Iterable[Path]) -> Iterator[Path]:
    known: set[Path] = set()
    for path in folders:
        if path.resolve() in known:
            raise UsageError(f"{path} is named twice; a figure shows each run once")
        known.add(path.resolve())
        yield path


def _models(report: RunReport) -> Sequence[ModelEntry]:
    return report.manifest.settings.models


def _run_rows(
    folder: RunFolder, report: RunReport, dialogues: Sequence[Dialogue]
) -> Iterator[ScoredRow]:
    sources = {
        (m.model.name, row.strategy): Source(
            m.model.name, row.strategy, row.oracle, report.folder, row.variant
        )
        for m in report.models
        for row in m.rows
    }
    make = RunRows(dialogues)
    latest: dict[str, ScoredRow] = {}
    for record in folder.attempts():
        latest[record.id] = make.row(record, sources[record.model, record.strategy])
    # In the order of the manifest: records come as tasks end.
    order = {source: place for place, source in enumerate(sources.values())}
    return iter(sorted(latest.values(), key=lambda row: order[row.source]))
