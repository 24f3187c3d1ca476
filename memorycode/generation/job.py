"""Generating into a folder: the settings and the seeds of a call, and what became of it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from memorycode.errors import ModelUnavailable, UsageError
from memorycode.generation.folder import (
    DATASET,
    ShortageNotes,
    is_finished,
    locked,
    make_folder,
    open_folder,
)
from memorycode.generation.manifest import GenerationManifest, versions
from memorycode.generation.options import GenerationOptions, make_generation_options
from memorycode.generation.pool import load_pool
from memorycode.generation.renderers import choose_renderer
from memorycode.generation.settings import GenerationSettings, load_settings
from memorycode.generation.worker import DialogueOutcome, GenerationSpec, dialogue_worker
from memorycode.options import refuse_unknown, takes_options
from memorycode.processes import spread
from memorycode.validation_messages import first_problem

__all__ = ["DATASET", "DialogueOutcome", "DialogueProgress", "GeneratedFolder", "generate_folder"]

PATIENCE = 3
"""So many dialogues in a row without an answer of their model, and the others are not tried."""


@dataclass(frozen=True)
class GeneratedFolder:
    """What a job did: the numbers of dialogues that it made, found finished, and could not make.

    `shortages` tells of any dialogue in the folder, by its number, how many instructions it has
    less than the `settings` ask for.
    """

    path: Path
    settings: GenerationSettings
    made: tuple[int, ...]
    kept: tuple[int, ...]
    failed: tuple[DialogueOutcome, ...]
    shortages: Mapping[int, int]


class DialogueProgress(Protocol):
    """Is told how a job gets on."""

    def start(self, total: int, done: int) -> None:
        """Once, before the work: of `total` dialogues `done` are there already."""
        ...

    def advance(self, outcome: DialogueOutcome) -> None:
        """Of each dialogue as it is done."""
        ...


@takes_options(GenerationOptions)
def generate_folder(
    out: Path | str,
    *,
    workers: int = 1,
    progress: DialogueProgress | None = None,
    **options: Any,
) -> GeneratedFolder:
    """Generate a preset's dialogues into a folder.

    A session that is not as planned is rendered again. Dialogues that are finished in the folder
    stay as they are; asked for more, it grows. What a renderer cannot write as it must be is among
    the failed, and tried again by the next call.

    Args:
        out: the folder, which is made if need be.
        workers: processes; with several a script has to guard its call by
            ``if __name__ == "__main__"``.
        progress: is told how it gets on.
        options: those of `GenerationOptions`, by name (docs/generating.md).

    Returns:
        The numbers of the dialogues that were made, found there, or could not be made.

    Raises:
        UsageError: settings that make no sense, or a folder that was made with other ones.
        SeedError: the pool is at fault.
        ModelUnavailable: the renderer's model is, or it gives no answer for several dialogues in
            a row.
    """
    refuse_unknown(options, GenerationOptions)
    chosen = make_generation_options(options)
    plan, choice = _settings(chosen), choose_renderer(chosen)
    pool = load_pool(chosen.pool)
    spec = GenerationSpec(plan, chosen.seed, pool.pool, choice)
    choice.build(pool.pool)  # a wrong renderer shows before anything is written
    if chosen.pool is not None:  # the project's own is known to be told
        pool.refuse(choice.unreachable_rules(pool.pool))
    manifest = GenerationManifest(
        preset=chosen.preset,
        settings=plan,
        seed=chosen.seed,
        pool=spec.pool.hash,
        renderer=choice.spec,
        options=choice.options,
        versions=versions(),
    )
    folder = Path(out)
    make_folder(folder)
    with locked(folder):
        notes = ShortageNotes(folder, open_folder(folder, manifest))
        return _run(folder, spec, workers, progress, notes)


def _settings(options: GenerationOptions) -> GenerationSettings:
    changed: dict[str, object] = {}
    if options.dialogues is not None:
        changed["n_dialogues"] = options.dialogues
    if options.sessions:
        # One of each in turn, so that every number of sessions occurs however few dialogues.
        changed |= {"n_sessions": options.sessions, "block": 1}
    try:
        preset = load_settings(options.preset)
        return GenerationSettings.model_validate(preset.model_dump() | changed)
    except ValidationError as error:
        raise UsageError(first_problem(error)) from error


def _run(
    folder: Path,
    spec: GenerationSpec,
    workers: int,
    progress: DialogueProgress | None,
    notes: ShortageNotes,
) -> GeneratedFolder:
    numbers = range(1, spec.settings.n_dialogues + 1)
    kept = [number for number in numbers if is_finished(folder, number)]
    missing = sorted(set(numbers) - set(kept))
    results: list[DialogueOutcome] = []
    if progress:
        progress.start(len(numbers), len(kept))
    try:
        with contextlib.closing(
            spread(partial(dialogue_worker, spec, folder), missing, workers)
        ) as done:
            for outcome in done:
                if progress:
                    progress.advance(outcome)
                results.append(outcome)
                notes.note(outcome.number, outcome.shortage)
                _stop_in_vain(results)
    finally:
        notes.write()
    results.sort(key=lambda outcome: outcome.number)
    return GeneratedFolder(
        path=folder,
        settings=spec.settings,
        made=tuple(outcome.number for outcome in results if not outcome.problem),
        kept=tuple(kept),
        failed=tuple(outcome for outcome in results if outcome.problem),
        shortages=notes.all,
    )


def _stop_in_vain(results: Sequence[DialogueOutcome]) -> None:
    """Raises `ModelUnavailable` where, after these, the other dialogues cannot be made either."""
    last = results[-PATIENCE:]
    if last[-1].stop:
        raise ModelUnavailable(last[-1].problem, kind="unavailable")
    if len(last) == PATIENCE and all(outcome.unreachable for outcome in last):
        raise ModelUnavailable(
            f"dialogue {last[-1].number}: {last[-1].problem}; {PATIENCE} dialogues in a row had no "
            "answer, the others are not tried; the same call goes on where it stopped",
            kind="unreachable",
        )
