"""Rows of one or more runs against each other: on the same dialogues, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from memorycode.dialogue import Setting
from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.results.compared_pairs import PairComparison, compare_pair
from memorycode.results.compared_rows import (
    ComparedRow,
    ComparedRun,
    differing_settings,
    read_runs,
)
from memorycode.results.intervals import Group
from memorycode.results.statistics import holm
from memorycode.scoring.scorers import SCORER_NAMES

Pairing = Literal["baseline", "same", "all"]
"""Which rows meet: all others a baseline, each strategy itself in the first run, or all all."""


class RunFacts(Frozen):
    """What one has to know of a run to read its numbers. `notes` are what tables say of its models
    and strategies: that a model is no language model, that a memory lost calls of its own."""

    run: str
    dataset: str
    dialogues: int
    models: tuple[str, ...]
    prompts: str
    prompts_hash: str
    notes: tuple[str, ...]


class RunComparison(Frozen):
    """All comparisons asked for. `differing` are the settings in which the runs differ besides
    strategies and models, with the value in each run."""

    runs: tuple[RunFacts, ...]
    setting: Setting
    differing: Mapping[str, tuple[str, ...]]
    groups: tuple[Group, ...]
    pairs: tuple[PairComparison, ...]

    def as_json(self) -> dict[str, Any]:
        """The object that ``compare --json`` prints."""
        return self.model_dump(mode="json")


def compare_runs(
    paths: Sequence[Path | str], *, baseline: str | None = None, pairing: Pairing = "baseline"
) -> RunComparison:
    """Compare the rows of runs; with one run, its strategies with each other.

    `baseline` is the spec of a strategy in any of the runs, by default the first row of the first.
    Raises `RunFolderError` for a folder that is no run's, `UsageError` where there is one row only,
    no such baseline, or no dialogue that two rows share.
    """
    runs = read_runs(paths)
    rows = [row for run in runs for row in run.rows]
    if len(rows) == 1:
        raise UsageError(
            f"{rows[0].run} has one row only, {rows[0].label} with {rows[0].model}: name a second "
            "run to compare it with"
        )
    if baseline is not None and pairing != "baseline":
        raise UsageError(f"a baseline is for --pairs baseline; --pairs {pairing} has none")
    groups = _groups(rows)
    pairs = [
        compare_pair(first, second, groups) for first, second in _pairs(runs, pairing, baseline)
    ]
    return RunComparison(
        runs=tuple(map(_facts, runs)),
        setting=runs[0].setting,
        differing=dict(differing_settings(runs)),
        groups=groups,
        pairs=tuple(_corrected(pairs, groups)),
    )


def _facts(run: ComparedRun) -> RunFacts:
    settings = run.manifest.settings
    notes = [model.note for model in settings.models]
    notes += [note for entry in settings.strategies for note in entry.notes.values()]
    notes += [
        f"{row.label} in {run.path}: {row.lost_calls:,} of the memory's own calls failed: its "
        "scores are not what the strategy can do."
        for row in run.rows
        if row.lost_calls
    ]
    return RunFacts(
        run=run.path,
        dataset=settings.dataset,
        dialogues=settings.dialogues,
        models=tuple(model.name for model in settings.models),
        prompts=settings.prompts.name,
        prompts_hash=settings.prompts_hash,
        notes=tuple(dict.fromkeys(filter(None, notes))),
    )


# ── which rows meet ───────────────────────────────────────────────────────────────────────────

_Pair = tuple[ComparedRow, ComparedRow]


def _pairs(runs: Sequence[ComparedRun], pairing: Pairing, baseline: str | None) -> list[_Pair]:
    rows = [row for run in runs for row in run.rows]
    match pairing:
        case "baseline":
            return _with_baseline(rows, baseline)
        case "same":
            return _with_same_strategy(rows)
        case "all":
            return list(combinations(rows, 2))


def _with_baseline(rows: Sequence[ComparedRow], spec: str | None) -> list[_Pair]:
    named = [row for row in rows if spec in (None, row.strategy)]
    if not named:
        known = ", ".join(dict.fromkeys(row.strategy for row in rows))
        raise UsageError(f"no row to compare with: no strategy {spec!r} here, but {known}")
    return [(named[0], row) for row in rows if row is not named[0]]


def _with_same_strategy(rows: Sequence[ComparedRow]) -> list[_Pair]:
    """Each row with the first one of its strategy."""
    first: dict[str, ComparedRow] = {}
    pairs = []
    for row in rows:
        if row.strategy in first:
            pairs.append((first[row.strategy], row))
        else:
            first[row.strategy] = row
    if not pairs:
        raise UsageError(f"no strategy is there twice: {', '.join(first)}")
    return pairs


def _groups(rows: Sequence[ComparedRow]) -> tuple[Group, ...]:
    """The columns of Table 4 that the dialogues fill, and all histories where both are filled."""
    setting = rows[0].setting
    if setting != "history":
        return (setting,)
    lengths = {dialogue.is_short for row in rows for dialogue in row.dialogues.values()}
    if len(lengths) == 2:
        return ("history", "short_history", "long_history")
    return ("short_history",) if lengths == {True} else ("long_history",)


# ── all pairs together ────────────────────────────────────────────────────────────────────────


def _corrected(
    pairs: Sequence[PairComparison], groups: Sequence[Group]
) -> Iterator[PairComparison]:
    """The pairs with Holm's correction over each scorer and group, a column of a table."""
    families = {
        (scorer, group): holm([pair.scores[scorer][group].comparison.p for pair in pairs])
        for scorer in SCORER_NAMES
        for group in groups
    }
    for place, pair in enumerate(pairs):
        scores = {
            scorer: {
                group: pair.scores[scorer][group].model_copy(
                    update={"p_holm": families[scorer, group][place]}
                )
                for group in groups
            }
            for scorer in SCORER_NAMES
        }
        yield pair.model_copy(update={"scores": scores})
