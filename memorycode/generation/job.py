"""Generating into a folder: the settings and the seeds of a call, and what became of it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from memorycode.errors import ModelUnavailable, UsageError
from memorycode.generation.checked import ATTEMPTS
from memorycode.generation.folder import (
    DATASET,
    ShortageNotes,
    is_finished,
    locked,
    make_folder,
    open_folder,
)
from memorycode.generation.making import Outcome, Recipe, maker
from memorycode.generation.manifest import GenerationManifest, versions
from memorycode.generation.pool import load_pool
from memorycode.generation.renderers import SCRIPTED, choose_renderer
from memorycode.generation.settings import GenerationSettings, load_settings
from memorycode.problems import first_problem
from memorycode.processes import spread
from memorycode.prompts import DEFAULT_PACK, load_pack

__all__ = ["DATASET", "GeneratedFolder", "Outcome", "Progress", "generate_folder"]

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
    failed: tuple[Outcome, ...]
    shortages: Mapping[int, int]


class Progress(Protocol):
    """Is told how a job gets on."""

    def start(self, total: int, done: int) -> None:
        """Once, before the work: of `total` dialogues `done` are there already."""
        ...

    def advance(self, outcome: Outcome) -> None:
        """Of each dialogue as it is done."""
        ...


def generate_folder(
    out: Path | str,
    *,
    preset: str = "demo",
    dialogues: int | None = None,
    sessions: Sequence[int] = (),
    seed: int = 0,
    pool: Path | None = None,
    renderer: str = SCRIPTED,
    difficulty: str = "explicit",
    base_url: str | None = None,
    prompts: Path | str | None = None,
    style: Mapping[str, float] | None = None,
    attempts: int = ATTEMPTS,
    workers: int = 1,
    progress: Progress | None = None,
) -> GeneratedFolder:
    """Generate a preset's dialogues into the folder `out`, which is made if need be.

    `preset` may also be a TOML file of settings. `dialogues` is their number, `sessions` the
    numbers of sessions they have in turn; without these the preset's. `pool` is a folder of seeds
    or a ``topics.json``, by default the project's own. `renderer` is ``scripted``, which has the
    `difficulty` and the rates of `style` (`Style`), or a model's spec such as ``openai/NAME``, at
    `base_url`, asked with the texts of the folder `prompts`. A session that is not as planned is
    rendered again, `attempts` times in all. Dialogues that are finished in the folder stay as they
    are; asked for more, it grows. What a renderer cannot write as it must be is among the failed,
    and tried again by the next call.

    With several `workers` a script has to guard its call by ``if __name__ == "__main__"``.

    Raises `UsageError` for settings that make no sense, and for a folder that was made with other
    ones; `SeedError` for the pool; `ModelUnavailable` where the renderer's model is, or gives no
    answer for several dialogues in a row.
    """
    settings = _settings(preset, dialogues, sessions)
    pack = load_pack(prompts) if prompts is not None else DEFAULT_PACK
    manner = {**(style or {}), "difficulty": difficulty}
    choice = choose_renderer(renderer, manner, base_url, pack, attempts)
    loaded = load_pool(pool)
    recipe = Recipe(settings, seed, loaded.pool, choice)
    choice.build(loaded.pool)  # a wrong renderer shows before anything is written
    if pool is not None:  # the project's own is known to be told
        loaded.refuse(choice.untold(loaded.pool))
    manifest = GenerationManifest(
        preset=preset,
        settings=settings,
        seed=seed,
        pool=recipe.pool.hash,
        renderer=choice.spec,
        options=choice.options,
        versions=versions(),
    )
    folder = Path(out)
    make_folder(folder)
    with locked(folder):
        notes = ShortageNotes(folder, open_folder(folder, manifest))
        return _run(folder, recipe, workers, progress, notes)


def _settings(name: str, dialogues: int | None, sessions: Sequence[int]) -> GenerationSettings:
    changed: dict[str, object] = {}
    if dialogues is not None:
        changed["n_dialogues"] = dialogues
    if sessions:
        # One of each in turn, so that every number of sessions occurs however few dialogues.
        changed |= {"n_sessions": tuple(sessions), "block": 1}
    try:
        return GenerationSettings.model_validate(load_settings(name).model_dump() | changed)
    except ValidationError as error:
        raise UsageError(first_problem(error)) from error


def _run(
    folder: Path, recipe: Recipe, workers: int, progress: Progress | None, notes: ShortageNotes
) -> GeneratedFolder:
    numbers = range(1, recipe.settings.n_dialogues + 1)
    kept = [number for number in numbers if is_finished(folder, number)]
    missing = sorted(set(numbers) - set(kept))
    results: list[Outcome] = []
    if progress:
        progress.start(len(numbers), len(kept))
    try:
        with contextlib.closing(spread(partial(maker, recipe, folder), missing, workers)) as done:
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
        settings=recipe.settings,
        made=tuple(outcome.number for outcome in results if not outcome.problem),
        kept=tuple(kept),
        failed=tuple(outcome for outcome in results if outcome.problem),
        shortages=notes.all,
    )


def _stop_in_vain(results: Sequence[Outcome]) -> None:
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
