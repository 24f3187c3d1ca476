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
from memorycode.results.intervals import Group
from memorycode.results.read import Run, read_runs
from memorycode.results.run_row import RunRow, took_all_note
from memorycode.results.statistics import holm
from memorycode.running.manifest import Manifest
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

    @property
    def scorers(self) -> tuple[str, ...]:
        return tuple(self.pairs[0].scores)

    def as_json(self) -> dict[str, Any]:
        """The object that ``compare --json`` prints."""
        return self.model_dump(mode="json")


def compare_runs(
    paths: Sequence[Path | str],
    *,
    baseline: str | None = None,
    pairing: Pairing = "baseline",
    further: Sequence[str] = (),
) -> RunComparison:
    """Compare the rows of runs; with one run, its strategies with each other.

    Args:
        paths: The runs' folders.
        baseline: The spec of a strategy in any of the runs; by default the first row of the first.
        pairing: Which rows meet.
        further: Scorers besides ours, by name.

    Raises:
        RunFolderError: a folder is no run's.
        UsageError: runs of different settings; one row only, no such baseline, no dialogue that two
            rows share; a run that one of the scorers has not judged.
    """
    runs = read_runs(paths)
    for run in runs:
        run.check_judged_by(further)
    _check_one_setting(runs)
    rows = [row for run in runs for row in run.rows]
    if len(rows) == 1:
        only = rows[0].source
        raise UsageError(
            f"{only.run} has one row only, {only.label} with {only.model}: name a second run to "
            "compare it with"
        )
    if baseline is not None and pairing != "baseline":
        raise UsageError(f"a baseline is for --pairs baseline; --pairs {pairing} has none")
    groups = _groups(runs)
    pairs = [
        compare_pair(first, second, groups, (*SCORER_NAMES, *further))
        for first, second in _pairs(runs, pairing, baseline)
    ]
    return RunComparison(
        runs=tuple(map(_facts, runs)),
        setting=runs[0].setting,
        differing=dict(differing_settings(runs)),
        groups=groups,
        pairs=tuple(_corrected(pairs, groups)),
    )


def _check_one_setting(runs: Sequence[Run]) -> None:
    for run in runs[1:]:
        if run.setting != runs[0].setting:
            raise UsageError(
                f"nothing shared: {runs[0].path} asks in the setting {runs[0].setting}, {run.path} "
                f"in {run.setting}; compare runs of one setting"
            )


def _facts(run: Run) -> RunFacts:
    settings = run.manifest.settings
    notes = [model.note for model in settings.models]
    notes += [note for entry in settings.strategies for note in entry.notes.values()]
    notes += [
        f"{row.source.label} in {run.path}: {row.loss.failed:,} of the memory's own calls failed: "
        "its scores are not what the strategy can do."
        for row in run.rows
        if row.loss.failed
    ]
    notes += [
        took_all_note(f"{row.source.label} in {run.path}", row.last_given) for row in run.rows
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


def differing_settings(runs: Sequence[Run]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What runs differ in besides strategies and models, each with its value by run.

    Such runs differ in more than a memory: what is compared is all of it together.
    """
    facts = [_settings(run.manifest) for run in runs]
    for name in facts[0]:
        values = tuple(fact[name] for fact in facts)
        if any(value != values[0] for value in values):
            yield name, values


def _settings(manifest: Manifest) -> dict[str, str]:
    apart = {"dataset", "dialogues", "strategies", "models", "prompts"}
    settings = manifest.settings.model_dump(mode="json", exclude=apart)
    told = {name: "none" if value is None else str(value) for name, value in settings.items()}
    return told | {"memorycode": manifest.packages["memorycode"], "python": manifest.python}


# ── which rows meet ───────────────────────────────────────────────────────────────────────────

_Pair = tuple[RunRow, RunRow]


def _pairs(runs: Sequence[Run], pairing: Pairing, baseline: str | None) -> list[_Pair]:
    rows = [row for run in runs for row in run.rows]
    match pairing:
        case "baseline":
            return _with_baseline(rows, baseline)
        case "same":
            return _with_same_strategy(rows)
        case "all":
            return list(combinations(rows, 2))


def _with_baseline(rows: Sequence[RunRow], spec: str | None) -> list[_Pair]:
    named = [row for row in rows if spec in (None, row.strategy.spec)]
    if not named:
        known = ", ".join(dict.fromkeys(row.strategy.spec for row in rows))
        raise UsageError(f"no row to compare with: no strategy {spec!r} here, but {known}")
    return [(named[0], row) for row in rows if row is not named[0]]


def _with_same_strategy(rows: Sequence[RunRow]) -> list[_Pair]:
    """Each row with the first one of its strategy."""
    first: dict[str, RunRow] = {}
    pairs = []
    for row in rows:
        spec = row.strategy.spec
        if spec in first:
            pairs.append((first[spec], row))
        else:
            first[spec] = row
    if not pairs:
        raise UsageError(f"no strategy is there twice: {', '.join(first)}")
    return pairs


def _groups(runs: Sequence[Run]) -> tuple[Group, ...]:
    """The columns of Table 4 that the dialogues fill, and all histories where both are filled."""
    setting = runs[0].setting
    if setting != "history":
        return (setting,)
    lengths = {dialogue.is_short for run in runs for dialogue in run.dialogues.values()}
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
        for scorer in (pairs[0].scores if pairs else ())
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
            for scorer in pair.scores
        }
        yield pair.model_copy(update={"scores": scores})
