"""What figures are made from: answers of runs' folders or recorded outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.prices import PriceList
from memorycode.results.answers import MISSING, SETTINGS, Answer, Source
from memorycode.results.figures.source_labels import source_labels
from memorycode.results.outputs import read_outputs
from memorycode.results.read import Run, read_runs
from memorycode.results.summary import RunReport
from memorycode.running.manifest import ModelEntry
from memorycode.scoring.scorers import ScorerName


@dataclass(frozen=True)
class Evidence:
    """Answers with their dialogues. `reports` are there where they come from runs, whose planned
    questions that nobody has asked yet are not among them: `unasked` counts those."""

    dialogues: Sequence[Dialogue]
    answers: Sequence[Answer] = ()
    reports: Sequence[RunReport] = ()
    unasked: int = 0

    @cached_property
    def labels(self) -> dict[Source, str]:
        """What figures call each source: what tells it from the others, in the order given."""
        return source_labels(self.answers)

    @cached_property
    def label_order(self) -> list[str]:
        """Each label once, in the order given."""
        return list(dict.fromkeys(self.labels.values()))

    def label(self, answer: Answer) -> str:
        return self.labels[answer.source]

    def reports_by_run(self) -> dict[str, RunReport]:
        """The reports by what their rows' sources call the run."""
        return {report.folder: report for report in self.reports}

    def notes(self) -> tuple[str, ...]:
        """What is missing from the figures and must not be passed over."""
        failed = Counter(answer.failure for answer in self.answers if answer.failure)
        failed[MISSING] += self.unasked
        counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(failed.items()) if count)
        notes = [f"Questions without an answer, left out: {counts}."] if counts else []
        if any(source.oracle for source in self.labels):
            notes.append("◆ oracle: sees gold labels, which no real memory does.")
        lost: Counter[tuple[str, str]] = Counter()
        for report in self.reports:
            for row in report.rows:
                lost[row.label, "failed"] += row.loss.failed
                lost[row.label, "had an answer that it could not read"] += row.loss.unreadable or 0
        notes += [
            f"{label}: {count:,} of the memory's own calls {what}: its scores are not what the "
            "strategy can do."
            for (label, what), count in lost.items()
            if count
        ]
        models = (model.note for report in self.reports for model in _models(report))
        return (*notes, *dict.fromkeys(filter(None, models)))


def from_runs(folders: Sequence[Path], prices: PriceList | None = None) -> Evidence:
    """Read runs' folders.

    Raises `RunFolderError` for one that cannot be read, and `UsageError` for one that is named
    twice and for runs that have different dialogues of one number.
    """
    runs = read_runs(folders)
    return evidence_of(runs, [run.report(prices) for run in runs])


def evidence_of(runs: Sequence[Run], reports: Sequence[RunReport]) -> Evidence:
    """What runs that were read give. Raises `UsageError` for runs that have different dialogues of
    one number."""
    answers = [answer for run in runs for answer in run.answers]
    asked = [answer for answer in answers if answer.failure != MISSING]
    return Evidence(
        dialogues=_shared_dialogues(runs),
        answers=asked,
        reports=reports,
        unasked=len(answers) - len(asked),
    )


def from_outputs(
    dialogues: Sequence[Dialogue],
    folders: Sequence[Path],
    *,
    settings: Sequence[Setting] = SETTINGS,
    scorers: Sequence[ScorerName] = ("official",),
    workers: int = 1,
) -> Evidence:
    """Judge recorded outputs, as `read_outputs` does."""
    return Evidence(
        dialogues,
        read_outputs(dialogues, folders, settings=settings, scorers=scorers, workers=workers),
    )


def _shared_dialogues(runs: Sequence[Run]) -> list[Dialogue]:
    dialogues: dict[int, Dialogue] = {}
    for run in runs:
        for number, dialogue in run.dialogues.items():
            if dialogues.setdefault(number, dialogue) != dialogue:
                raise UsageError(
                    f"dialogue {number} of {run.path} is another one than in the runs before it; a "
                    "figure shows runs on the same data"
                )
    return list(dialogues.values())


def _models(report: RunReport) -> Sequence[ModelEntry]:
    return report.manifest.settings.models
