"""A run's scores, read from its folder alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from memorycode.analysis.aggregation import (
    MISSING,
    Column,
    Coverage,
    Estimate,
    ScoredQuestion,
    Summary,
    history_curve,
    summarize,
)
from memorycode.dialogue import Setting
from memorycode.rules import Frozen
from memorycode.running.folder import RunFolder
from memorycode.running.manifest import Manifest, ModelEntry, StrategyEntry
from memorycode.running.records import Record, UnitRecord

SCORER = "official"


class StrategyRow(Frozen):
    """One strategy with one model.

    `summary` is over the planned questions of the last checkpoint; `questions`, `failed` and
    `missing` count over all checkpoints. `context_tokens_mean` is the mean length of the recalled
    context of the questions at the last checkpoint, in tokens. `curve` is the history score by
    checkpoint where there are several.
    """

    strategy: str
    oracle: bool
    variant: str
    summary: Summary
    curve: Mapping[int, Estimate]
    questions: int
    answered: int
    failed: Mapping[str, int]
    missing: int
    context_tokens_mean: float | None
    seconds: float
    memory_seconds: float
    memory_calls: int
    memory_tokens: int

    @property
    def label(self) -> str:
        return f"{self.strategy} ({self.variant})" if self.variant else self.strategy

    @property
    def coverage(self) -> Coverage:
        return self.summary.coverage


class ModelReport(Frozen):
    """All strategies with one model."""

    model: ModelEntry
    rows: tuple[StrategyRow, ...]


class RunReport(Frozen):
    """The comparison of a run. `str()` of it is the table for a terminal."""

    folder: str
    manifest: Manifest
    models: tuple[ModelReport, ...]

    @property
    def has_failures(self) -> bool:
        """Whether any planned question has no answer."""
        return any(row.failed or row.missing for model in self.models for row in model.rows)

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
            "scorer": SCORER,
            "dataset": settings.dataset,
            "dialogues": settings.dialogues,
            "prompts": {"name": settings.prompts.name, "hash": settings.prompts_hash},
        }
        if len(by_model) == 1:
            return head | next(iter(by_model.values()))
        return head | {"models": by_model}

    def __str__(self) -> str:
        from memorycode.reporting.tables import report_text

        return report_text(self)


def report_run(path: Path | str) -> RunReport:
    """Read a run's folder and reduce it to its tables.

    The planned questions are the denominator: those without a record count as missing.
    """
    folder = RunFolder(path)
    manifest = folder.manifest
    lengths = {dialogue.number: len(dialogue.sessions) for dialogue in folder.dialogues()}
    tallies: dict[tuple[str, str], _Tally] = defaultdict(_Tally)
    for record in folder.records():
        tallies[record.model, record.strategy].add(record, lengths[record.dialogue])
    for unit in folder.units():
        tallies[unit.model, unit.strategy].units.append(unit)
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


class _Tally:
    """Collects the records of one strategy with one model."""

    def __init__(self) -> None:
        self.questions: list[ScoredQuestion] = []
        self.last_tokens: list[int] = []
        self.failed: Counter[str] = Counter()
        self.units: list[UnitRecord] = []

    def add(self, record: Record, sessions: int) -> None:
        self.questions.append(
            ScoredQuestion(
                dialogue=record.dialogue,
                sessions=sessions,
                setting=record.setting,
                session=record.session,
                number=record.number,
                verdicts=record.verdicts.get(SCORER, ()),
                failure=record.outcome if record.failed else "",
            )
        )
        if record.failed:
            self.failed[record.outcome] += 1
        if record.setting != "history" or record.session == sessions - 1:
            self.last_tokens.append(record.context_tokens)

    def row(self, entry: StrategyEntry, model: str) -> StrategyRow:
        answered = len(self.questions) - self.failed.total()
        tokens = self.last_tokens
        return StrategyRow(
            strategy=entry.spec,
            oracle=entry.oracle,
            variant=entry.variants.get(model, ""),
            summary=summarize(self.questions),
            curve=_curve(self.questions, entry),
            questions=entry.planned,
            answered=answered,
            failed=dict(sorted(self.failed.items())),
            missing=entry.planned - len(self.questions),
            context_tokens_mean=sum(tokens) / len(tokens) if tokens else None,
            seconds=sum(unit.seconds for unit in self.units),
            memory_seconds=sum(unit.memory_seconds for unit in self.units),
            memory_calls=sum(unit.memory_calls for unit in self.units),
            memory_tokens=sum(
                unit.memory_prompt_tokens + unit.memory_completion_tokens for unit in self.units
            ),
        )


def columns_of(setting: Setting) -> tuple[Column, ...]:
    """The columns of Table 4 that a setting fills."""
    return ("short_history", "long_history") if setting == "history" else (setting,)


def _curve(questions: Iterable[ScoredQuestion], entry: StrategyEntry) -> dict[int, Estimate]:
    return history_curve(questions) if entry.checkpoints == "every" else {}


def _row_json(row: StrategyRow, setting: Setting) -> dict[str, Any]:
    scores: dict[str, Any] = {
        column: row.summary.by_dialogue[column].model_dump() for column in columns_of(setting)
    }
    if setting == "history":
        scores["by_sessions"] = {str(n): score for n, score in row.summary.by_sessions.items()}
    return {
        "oracle": row.oracle,
        "variant": row.variant,
        **scores,
        "context_tokens_mean": row.context_tokens_mean,
        "questions": row.questions,
        "answered": row.answered,
        "failed": sum(row.failed.values()) + row.missing,
        "failures": dict(row.failed) | ({MISSING: row.missing} if row.missing else {}),
        "coverage": row.coverage.model_dump(),
        "curve": {str(at): estimate.model_dump() for at, estimate in row.curve.items()},
        "seconds": row.seconds,
        "memory": {
            "seconds": row.memory_seconds,
            "calls": row.memory_calls,
            "tokens": row.memory_tokens,
        },
    }
