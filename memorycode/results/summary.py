"""A run's scores, read from its folder alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memorycode.dialogue import Setting
from memorycode.frozen import Frozen
from memorycode.prices import PriceList
from memorycode.results.answers import Column
from memorycode.results.intervals import question_intervals, rule_intervals, score_intervals
from memorycode.results.run_row import RunRow
from memorycode.results.strategy_row import StrategyRow, strategy_row
from memorycode.running.manifest import Manifest, ModelEntry
from memorycode.scoring.scorers import SCORER_NAMES


class ModelReport(Frozen):
    """All strategies with one model."""

    model: ModelEntry
    rows: tuple[StrategyRow, ...]


class RunReport(Frozen):
    """The comparison of a run. `stopped` says why it ended before all questions were asked, where
    it has just been run. `further` are the scorers besides ours whose scores it has."""

    folder: str
    manifest: Manifest
    models: tuple[ModelReport, ...]
    stopped: str = ""
    further: tuple[str, ...] = ()

    @property
    def has_failures(self) -> bool:
        """Whether any planned question has no answer, or a memory lost a call of its own."""
        return any(row.failed or row.missing or row.loss.lost for row in self.rows)

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
                "strategies": {
                    row.strategy: _row_json(row, setting, self.further) for row in report.rows
                },
            }
            for report in self.models
        }
        settings = self.manifest.settings
        head = {
            "run": self.folder,
            "setting": setting,
            "scorers": [*SCORER_NAMES, *self.further],
            "dataset": settings.dataset,
            "dialogues": settings.dialogues,
            "context_budget": settings.context_budget,
            "embedder": settings.embedder,
            "repeats": settings.repeats,
            "stopped": self.stopped,
            "prompts": {"name": settings.prompts.name, "hash": settings.prompts_hash},
        }
        if len(by_model) == 1:
            return head | next(iter(by_model.values()))
        return head | {"models": by_model}


def summarize_run(
    path: str,
    manifest: Manifest,
    rows: Sequence[RunRow],
    prices: PriceList,
    further: Sequence[str] = (),
) -> RunReport:
    """Reduce what was read of a run's folder to its tables.

    Args:
        path: The folder.
        manifest: What was run.
        rows: All that was asked and answered; the planned questions are the denominator.
        prices: Of the models' calls.
        further: Scorers besides ours, by name.

    Returns:
        A row for each strategy with each model, in the order of the manifest.
    """
    settings = manifest.settings
    known = prices.for_labels(settings.names_by_label)
    return RunReport(
        folder=path,
        manifest=manifest,
        models=tuple(
            ModelReport(
                model=model,
                rows=tuple(
                    strategy_row(
                        row,
                        settings.repeats,
                        known.of(model.name) if model.is_language_model else None,
                        further,
                    )
                    for row in rows
                    if row.model is model
                ),
            )
            for model in settings.models
        ),
        further=tuple(further),
    )


def columns_of(setting: Setting) -> tuple[Column, ...]:
    """The columns of Table 4 that a setting fills."""
    return ("short_history", "long_history") if setting == "history" else (setting,)


def _row_json(row: StrategyRow, setting: Setting, further: Sequence[str]) -> dict[str, Any]:
    """The official scores stand at the top, each of our scorers' own below its name, those of
    further scorers below ``further``."""
    by_scorer = {name: _scores_json(row, name, setting) for name in SCORER_NAMES}
    return {
        "oracle": row.oracle,
        "variant": row.variant,
        **by_scorer["official"],
        "official": by_scorer["official"],
        "strict": by_scorer["strict"],
        "context_tokens_mean": row.context_tokens_mean,
        "recalled": row.recalled.model_dump(),
        "cut": row.truncated,
        "recalls": row.recalls,
        "questions": row.questions,
        "asked": row.asked,
        "answered": row.answered,
        "failed": sum(row.failed.values()),
        "failures": dict(row.failed),
        "missing": row.missing,
        "curve": {str(at): estimate.model_dump() for at, estimate in row.curve.items()},
        "seconds": row.seconds,
        "memory": row.memory.model_dump(),
        "memory_loss": {**row.loss.model_dump(), "ranked": row.loss.is_ranked},
        "spending": row.spending.model_dump(),
        **({"further": _further_json(row, setting, further)} if further else {}),
    }


def _further_json(row: StrategyRow, setting: Setting, further: Sequence[str]) -> dict[str, Any]:
    return {
        name: {"unjudged": row.unjudged[name], **_scores_json(row, name, setting)}
        for name in further
    }


def _scores_json(row: StrategyRow, scorer: str, setting: Setting) -> dict[str, Any]:
    scores, columns = row.scores[scorer], columns_of(setting)
    found: dict[str, Any] = {c: scores.by_dialogue[c].model_dump() for c in columns}
    if setting == "history":
        found["by_sessions"] = {str(n): score for n, score in scores.by_sessions.items()}
    return {
        **found,
        "intervals": _intervals_json(row, scorer, columns),
        "by_question": {c: scores.by_question[c].model_dump() for c in columns},
        "by_rule": {c: scores.by_rule[c].model_dump() for c in columns},
        "coverage": scores.coverage.model_dump(),
        "attribution": dict(row.causes[scorer]),
        **_repeats_json(row, scorer, columns),
    }


def _intervals_json(row: StrategyRow, scorer: str, columns: tuple[Column, ...]) -> dict[str, Any]:
    """95 %, of the scores by dialogue at the top; by question and by rule below their names."""
    by_question = question_intervals(row, scorer, columns)
    by_rule = rule_intervals(row, scorer, columns)
    scores = score_intervals(row.scores[scorer], columns)
    return {
        **{c: interval.model_dump() for c, interval in scores.items()},
        "by_question": {c: interval.model_dump() for c, interval in by_question.items()},
        "by_rule": {c: interval.model_dump() for c, interval in by_rule.items()},
    }


def _repeats_json(row: StrategyRow, scorer: str, columns: tuple[Column, ...]) -> dict[str, Any]:
    """Deviation, pass@n, pass^n and the shares between; nothing where each question is asked
    once."""
    if scorer not in row.repeats:
        return {}
    found = row.repeats[scorer]
    return {
        "repeats": {
            "repeats": found.repeats,
            "spread": {c: found.standard_deviation[c] for c in columns},
            "pass@n": {c: found.pass_any[c].model_dump() for c in columns},
            "pass^n": {c: found.pass_all[c].model_dump() for c in columns},
            "at_least": {
                str(k): {c: shares[c].model_dump() for c in columns}
                for k, shares in found.at_least.items()
            },
        }
    }
