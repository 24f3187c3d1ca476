"""What a comparison is made of: the rows of runs, question by question, and their dialogues."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.results.metrics import ScoredQuestion
from memorycode.results.strategy_row import Tally
from memorycode.results.summary import tally_run
from memorycode.running.folder import RunFolder
from memorycode.running.manifest import Manifest
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName

Place = tuple[int, Setting, int, int]
"""Which question: dialogue, setting, checkpoint, number. All samples of a question share it."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One strategy with one model in one run.

    `questions`, by scorer and place, are the samples of each planned question of the last
    checkpoint, the failed ones among them; `dialogues` are the run's, by number; `lost_calls`
    counts the memory's own calls that failed.
    """

    run: str
    model: str
    strategy: str
    oracle: bool
    variant: str
    setting: Setting
    questions: Mapping[ScorerName, Mapping[Place, Sequence[ScoredQuestion]]]
    dialogues: Mapping[int, Dialogue]
    lost_calls: int = 0

    @property
    def label(self) -> str:
        return f"{self.strategy} ({self.variant})" if self.variant else self.strategy


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """The rows of one run, in the order of its manifest."""

    path: str
    manifest: Manifest
    rows: tuple[ComparedRow, ...]

    @property
    def setting(self) -> Setting:
        return self.manifest.settings.setting


def read_runs(paths: Sequence[Path | str]) -> list[ComparedRun]:
    """Read the folders of runs that asked the same kind of question.

    Raises `RunFolderError` for a folder that is no run's, `UsageError` for a folder that is named
    twice and for runs of different settings.
    """
    check_named_once(paths)
    runs = [_read_run(path) for path in paths]
    for run in runs[1:]:
        if run.setting != runs[0].setting:
            raise UsageError(
                f"nothing shared: {runs[0].path} asks in the setting {runs[0].setting}, {run.path} "
                f"in {run.setting}; compare runs of one setting"
            )
    return runs


def check_named_once(paths: Sequence[Path | str]) -> None:
    """Raises `UsageError` for a folder that is named twice, be it by two names."""
    folders = [Path(path).resolve() for path in paths]
    for path, folder in zip(paths, folders, strict=True):
        if folders.count(folder) > 1:
            raise UsageError(f"{path} is named twice; a run is compared with others, or alone")


def _read_run(path: Path | str) -> ComparedRun:
    folder = RunFolder(path)
    manifest, dialogues = folder.manifest, folder.dialogues()
    settings = manifest.settings
    by_number = {dialogue.number: dialogue for dialogue in dialogues}
    tallies = tally_run(folder, manifest, dialogues)
    rows = tuple(
        ComparedRow(
            run=str(path),
            model=model.name,
            strategy=entry.spec,
            oracle=entry.oracle,
            variant=entry.variants.get(model.name, ""),
            setting=settings.setting,
            questions=_by_place(tallies[model.name, entry.spec]),
            dialogues=by_number,
            lost_calls=tallies[model.name, entry.spec].lost_calls,
        )
        for model in settings.models
        for entry in settings.strategies
    )
    return ComparedRun(path=str(path), manifest=manifest, rows=rows)


def _by_place(tally: Tally) -> dict[ScorerName, dict[Place, list[ScoredQuestion]]]:
    found: dict[ScorerName, dict[Place, list[ScoredQuestion]]] = {}
    for name in SCORER_NAMES:
        places: dict[Place, list[ScoredQuestion]] = defaultdict(list)
        for question in tally.questions[name].values():
            if question.setting != "history" or question.session == question.sessions - 1:
                places[question.place].append(question)
        found[name] = dict(sorted(places.items()))
    return found


def shared_dialogues(first: ComparedRow, second: ComparedRow) -> set[int]:
    """The numbers of the dialogues that both have, word for word, with all they are asked."""
    if first.dialogues is second.dialogues:
        return set(first.dialogues)
    return {
        number
        for number, dialogue in first.dialogues.items()
        if second.dialogues.get(number) == dialogue
    }


def differing_settings(runs: Sequence[ComparedRun]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What runs differ in besides strategies and models, each with its value by run.

    Such runs differ in more than a memory: what is compared is all of it together.
    """
    facts = [_facts(run.manifest) for run in runs]
    for name in facts[0]:
        values = tuple(fact[name] for fact in facts)
        if any(value != values[0] for value in values):
            yield name, values


def _facts(manifest: Manifest) -> dict[str, str]:
    apart = {"dataset", "dialogues", "strategies", "models", "prompts"}
    settings = manifest.settings.model_dump(mode="json", exclude=apart)
    told = {name: "none" if value is None else str(value) for name, value in settings.items()}
    return told | {"memorycode": manifest.packages["memorycode"], "python": manifest.python}
