"""A run's scores, read from its folder alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memorycode.analysis.aggregation import (
    MISSING,
    Column,
    Estimate,
    ScoredQuestion,
    Scores,
    history_curve,
    summarize,
)
from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import RunFolderError
from memorycode.frozen import Frozen
from memorycode.running.folder import RunFolder
from memorycode.running.manifest import Manifest, ModelEntry, StrategyEntry
from memorycode.running.plan import plan_episodes
from memorycode.running.records import MemoryCost, Record, TaskRecord
from memorycode.scoring.attribution import CAUSES, Cause
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName


class StrategyRow(Frozen):
    """One strategy with one model.

    `scores`, by scorer, are over the planned questions of the last checkpoint, and `causes`, by
    scorer, count there where violated rules were lost; `questions`, `answered`, `failed` and
    `missing` (not asked yet) count over all checkpoints. `context_tokens_mean` is the mean length
    of the recalled context of the questions at the last checkpoint, in tokens. `curve` is the
    official history score by checkpoint where there are several. `first_failure` is the id of the
    first failed question and what went wrong.
    """

    strategy: str
    oracle: bool
    variant: str
    note: str
    scores: Mapping[ScorerName, Scores]
    causes: Mapping[ScorerName, Mapping[Cause, int]]
    curve: Mapping[int, Estimate]
    questions: int
    answered: int
    failed: Mapping[str, int]
    missing: int
    first_failure: tuple[str, str] | None
    context_tokens_mean: float | None
    seconds: float
    memory: MemoryCost

    @property
    def label(self) -> str:
        return f"{self.strategy} ({self.variant})" if self.variant else self.strategy

    @property
    def failures(self) -> dict[str, int]:
        """The questions without an answer by kind, those not asked among them."""
        return dict(self.failed) | ({MISSING: self.missing} if self.missing else {})


class ModelReport(Frozen):
    """All strategies with one model."""

    model: ModelEntry
    rows: tuple[StrategyRow, ...]


class RunReport(Frozen):
    """The comparison of a run."""

    folder: str
    manifest: Manifest
    models: tuple[ModelReport, ...]

    @property
    def has_failures(self) -> bool:
        """Whether any planned question has no answer, or a memory lost a call of its own."""
        return any(row.failures or row.memory.failures for row in self.rows)

    @property
    def rows(self) -> Iterator[StrategyRow]:
        for model in self.models:
            yield from model.rows

    def as_json(self) -> dict[str, Any]:
        """The object that ``run --json`` prints."""
        setting = self.manifest.settings.setting
        by_model = {
            report.model.spec: {
                "model": report.model.spec,
                "is_language_model": report.model.is_language_model,
                "strategies": {row.strategy: _row_json(row, setting) for row in report.rows},
            }
            for report in self.models
        }
        settings = self.manifest.settings
        head = {
            "run": self.folder,
            "setting": setting,
            "scorers": list(SCORER_NAMES),
            "dataset": settings.dataset,
            "dialogues": settings.dialogues,
            "prompts": {"name": settings.prompts.name, "hash": settings.prompts_hash},
        }
        if len(by_model) == 1:
            return head | next(iter(by_model.values()))
        return head | {"models": by_model}


def report_run(path: Path | str) -> RunReport:
    """Read a run's folder and reduce it to its tables.

    The planned questions are the denominator: those without a record count as missing.
    """
    folder = RunFolder(path)
    manifest = folder.manifest
    dialogues = folder.dialogues()
    lengths = {dialogue.number: len(dialogue.sessions) for dialogue in dialogues}
    tallies: dict[tuple[str, str], _Tally] = defaultdict(_Tally)
    settings = manifest.settings
    entries = {(m.name, entry.spec) for m in settings.models for entry in settings.strategies}
    for record in folder.records():
        known = (record.model, record.strategy) in entries
        if not known or not 0 <= record.session < lengths.get(record.dialogue, 0):
            raise RunFolderError(f"{path}: record {record.id} belongs to no planned question")
        tallies[record.model, record.strategy].add(record, lengths[record.dialogue])
    for task in folder.tasks():
        tallies[task.model, task.strategy].tasks.append(task)
    for model in manifest.settings.models:
        for entry in manifest.settings.strategies:
            tally = tallies[model.name, entry.spec]
            if tally.recorded < entry.planned:
                tally.add_missing(_planned(dialogues, manifest.settings.setting, entry))
    return RunReport(
        folder=str(path),
        manifest=manifest,
        models=tuple(
            ModelReport(
                model=model,
                rows=tuple(
                    tallies[model.name, entry.spec].row(entry, model.name)
                    for entry in manifest.settings.strategies
                ),
            )
            for model in manifest.settings.models
        ),
    )


def _planned(
    dialogues: Iterable[Dialogue], setting: Setting, entry: StrategyEntry
) -> Iterator[ScoredQuestion]:
    """Every planned question, as if it had never been asked."""
    for dialogue in dialogues:
        for episode in plan_episodes(dialogue, setting, entry.checkpoints):
            for question in episode.all_questions:
                yield ScoredQuestion(
                    dialogue=dialogue.number,
                    sessions=len(dialogue.sessions),
                    setting=setting,
                    session=question.session,
                    number=question.number,
                    failure=MISSING,
                )


class _Tally:
    """Collects the records of one strategy with one model."""

    def __init__(self) -> None:
        self.questions: dict[ScorerName, dict[_Place, ScoredQuestion]] = {
            name: {} for name in SCORER_NAMES
        }
        self.tasks: list[TaskRecord] = []
        self._causes: dict[ScorerName, Counter[Cause]] = {name: Counter() for name in SCORER_NAMES}
        self._last_tokens: list[int] = []
        self._failed: Counter[str] = Counter()
        self._first_failure: tuple[str, str] | None = None

    @property
    def recorded(self) -> int:
        return len(self.questions["official"])

    def add(self, record: Record, sessions: int) -> None:
        is_last = record.setting != "history" or record.session == sessions - 1
        for name in SCORER_NAMES:
            self.questions[name][_place(record)] = ScoredQuestion(
                dialogue=record.dialogue,
                sessions=sessions,
                setting=record.setting,
                session=record.session,
                number=record.number,
                verdicts=record.verdicts.get(name, ()),
                failure=record.outcome if record.failed else "",
            )
            if is_last:
                self._causes[name].update(record.causes.get(name, {}).values())
        if record.failed:
            self._failed[record.outcome] += 1
            self._first_failure = self._first_failure or (record.id, record.error)
        elif is_last:
            self._last_tokens.append(record.context_tokens)

    def add_missing(self, planned: Iterable[ScoredQuestion]) -> None:
        for question in planned:
            for questions in self.questions.values():
                questions.setdefault(_place(question), question)

    def row(self, entry: StrategyEntry, model: str) -> StrategyRow:
        official = self.questions["official"].values()
        missing = sum(question.failure == MISSING for question in official)
        tokens = self._last_tokens
        return StrategyRow(
            strategy=entry.spec,
            oracle=entry.oracle,
            variant=entry.variants.get(model, ""),
            note=entry.notes.get(model, ""),
            scores={name: summarize(found.values()) for name, found in self.questions.items()},
            causes={name: _ordered(counts) for name, counts in self._causes.items()},
            curve=history_curve(official) if entry.checkpoints == "every" else {},
            questions=entry.planned,
            answered=len(official) - missing - self._failed.total(),
            failed=dict(sorted(self._failed.items())),
            missing=missing,
            first_failure=self._first_failure,
            context_tokens_mean=sum(tokens) / len(tokens) if tokens else None,
            seconds=sum(task.seconds for task in self.tasks),
            memory=_sum([task.memory for task in self.tasks]),
        )


_Place = tuple[int, int, int]


def _place(question: Record | ScoredQuestion) -> _Place:
    return question.dialogue, question.session, question.number


def _ordered(counts: Counter[Cause]) -> dict[Cause, int]:
    return {cause: counts[cause] for cause in CAUSES}


def _sum(costs: Sequence[MemoryCost]) -> MemoryCost:
    failures: Counter[str] = Counter()
    for cost in costs:
        failures.update(cost.failures)
    return MemoryCost(
        seconds=sum(cost.seconds for cost in costs),
        calls=sum(cost.calls for cost in costs),
        prompt_tokens=sum(cost.prompt_tokens for cost in costs),
        completion_tokens=sum(cost.completion_tokens for cost in costs),
        failures=dict(sorted(failures.items())),
    )


def columns_of(setting: Setting) -> tuple[Column, ...]:
    """The columns of Table 4 that a setting fills."""
    return ("short_history", "long_history") if setting == "history" else (setting,)


def _row_json(row: StrategyRow, setting: Setting) -> dict[str, Any]:
    """The official scores stand at the top, each scorer's own below its name."""
    by_scorer = {name: _scores_json(row, name, setting) for name in SCORER_NAMES}
    return {
        "oracle": row.oracle,
        "variant": row.variant,
        **by_scorer["official"],
        "official": by_scorer["official"],
        "strict": by_scorer["strict"],
        "context_tokens_mean": row.context_tokens_mean,
        "questions": row.questions,
        "answered": row.answered,
        "failed": sum(row.failures.values()),
        "failures": row.failures,
        "curve": {str(at): estimate.model_dump() for at, estimate in row.curve.items()},
        "seconds": row.seconds,
        "memory": row.memory.model_dump(),
    }


def _scores_json(row: StrategyRow, scorer: ScorerName, setting: Setting) -> dict[str, Any]:
    scores, columns = row.scores[scorer], columns_of(setting)
    found: dict[str, Any] = {c: scores.by_dialogue[c].model_dump() for c in columns}
    if setting == "history":
        found["by_sessions"] = {str(n): score for n, score in scores.by_sessions.items()}
    return {
        **found,
        "by_question": {c: scores.by_question[c].model_dump() for c in columns},
        "by_rule": {c: scores.by_rule[c].model_dump() for c in columns},
        "coverage": scores.coverage.model_dump(),
        "attribution": dict(row.causes[scorer]),
    }
