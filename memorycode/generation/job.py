"""Generating into a folder: by several processes, and gone on with where it stopped.

::

    manifest.json              settings, seed, the pool's hash, versions
    dataset/dialogue_N.json    the release's layout
    lock                       held by the process that writes
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout
from pydantic import ValidationError

from memorycode.datasets.release import dump_dialogue
from memorycode.errors import PLUGIN_FAULTS, MemorycodeError, ModelUnavailable, UsageError
from memorycode.frozen import first_problem
from memorycode.generation.checked import ATTEMPTS
from memorycode.generation.generate import generate_dialogue
from memorycode.generation.manifest import MANIFEST, GenerationManifest, read_manifest, versions
from memorycode.generation.pool import SeedPool
from memorycode.generation.renderers import SCRIPTED, RendererChoice, choose_renderer
from memorycode.generation.settings import GenerationSettings, load_settings
from memorycode.prompts import DEFAULT_PACK, load_pack

DATASET = "dataset"
_UNFINISHED = ".part"


@dataclass(frozen=True)
class Outcome:
    """What became of one dialogue: it is written where there is no problem.

    `stop` says that with this problem none of the others can be made either.
    """

    number: int
    problem: str = ""
    stop: bool = False


@dataclass(frozen=True)
class GeneratedFolder:
    """What a job did: the numbers of dialogues that it made, found finished, and could not make."""

    path: Path
    made: tuple[int, ...]
    kept: tuple[int, ...]
    failed: tuple[Outcome, ...]


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
    ones; `SeedError` for the pool; `ModelUnavailable` where the renderer's model is.
    """
    settings = _settings(preset, dialogues, sessions)
    pack = load_pack(prompts) if prompts is not None else DEFAULT_PACK
    manner = {**(style or {}), "difficulty": difficulty}
    choice = choose_renderer(renderer, manner, base_url, pack, attempts)
    recipe = Recipe(settings, seed, SeedPool.load(pool), choice)
    recipe.renderer.build(recipe.pool)  # a wrong renderer shows before anything is written
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
    _make(folder)
    with _locked(folder):
        _open(folder, manifest)
        return _run(folder, recipe, workers, progress)


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


# ── the folder ────────────────────────────────────────────────────────────────────────────────


def _make(folder: Path) -> None:
    try:
        (folder / DATASET).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(f"{folder}: another process is generating into it") from None
    try:
        yield
    finally:
        lock.release()


def _open(folder: Path, manifest: GenerationManifest) -> None:
    """Refuse a folder of something else; leave the manifest, and nothing half-written."""
    earlier = read_manifest(folder)
    if earlier:
        if difference := earlier.difference(manifest):
            raise UsageError(f"{folder}: made with other settings: {difference}")
        if earlier.settings.n_dialogues > manifest.settings.n_dialogues:
            found, wanted = earlier.settings.n_dialogues, manifest.settings.n_dialogues
            raise UsageError(f"{folder}: made for {found} dialogues; it cannot shrink to {wanted}")
    elif any((folder / DATASET).iterdir()):
        raise UsageError(f"{folder / DATASET}: not empty, and no {MANIFEST} says what is in it")
    for left in (folder / DATASET).glob(f"*{_UNFINISHED}"):
        left.unlink()
    _write(folder / MANIFEST, manifest.model_dump_json(indent=2))


def _file(folder: Path, number: int) -> Path:
    return folder / DATASET / f"dialogue_{number}.json"


def _write(file: Path, text: str) -> None:
    """Write all of it or nothing: a file of this name is always whole."""
    unfinished = file.with_name(f"{file.name}.{os.getpid()}{_UNFINISHED}")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(file)


def _is_whole(file: Path) -> bool:
    """Whether a dialogue is finished: a file that was damaged later does not end as it should."""
    return file.is_file() and file.read_bytes()[-1:] == b"}"


# ── the work ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Recipe:
    """All that a process needs to make any dialogue."""

    settings: GenerationSettings
    seed: int
    pool: SeedPool
    renderer: RendererChoice


class _Maker:
    """Makes dialogues of a recipe; one in each process."""

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        self._recipe, self._folder = recipe, folder
        self._renderer = recipe.renderer.build(recipe.pool)

    def make(self, number: int) -> Outcome:
        recipe = self._recipe
        try:
            dialogue = generate_dialogue(
                recipe.settings,
                number - 1,
                seed=recipe.seed,
                pool=recipe.pool,
                renderer=self._renderer,
            )
        except MemorycodeError as error:
            # As a value: not every exception can be handed from one process to another.
            return Outcome(number, str(error), isinstance(error, ModelUnavailable))
        except PLUGIN_FAULTS as error:
            return Outcome(number, f"{type(error).__name__}: {error}")
        _write(_file(self._folder, number), json.dumps(dump_dialogue(dialogue), indent=2))
        return Outcome(number)


def _run(folder: Path, recipe: Recipe, workers: int, progress: Progress | None) -> GeneratedFolder:
    numbers = range(1, recipe.settings.n_dialogues + 1)
    kept = [number for number in numbers if _is_whole(_file(folder, number))]
    missing = sorted(set(numbers) - set(kept))
    made: list[int] = []
    failed: list[Outcome] = []
    if progress:
        progress.start(len(numbers), len(kept))
    with contextlib.closing(_outcomes(missing, recipe, folder, workers)) as outcomes:
        for outcome in outcomes:
            if progress:
                progress.advance(outcome)
            if outcome.stop:
                raise ModelUnavailable(outcome.problem, kind="unavailable")
            if outcome.problem:
                failed.append(outcome)
            else:
                made.append(outcome.number)
    failed.sort(key=lambda outcome: outcome.number)
    return GeneratedFolder(folder, tuple(sorted(made)), tuple(kept), tuple(failed))


def _outcomes(
    numbers: Sequence[int], recipe: Recipe, folder: Path, workers: int
) -> Generator[Outcome]:
    if min(workers, len(numbers)) <= 1:
        maker = _Maker(recipe, folder)
        yield from map(maker.make, numbers)
        return
    executor = ProcessPoolExecutor(
        max_workers=min(workers, len(numbers)),
        # A forked copy of a process with threads (a progress bar has one) may hang.
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(recipe, folder),
    )
    try:
        yield from _completed(executor, numbers)
    finally:
        executor.shutdown(cancel_futures=True)


def _completed(executor: ProcessPoolExecutor, numbers: Iterable[int]) -> Iterator[Outcome]:
    try:
        for future in as_completed([executor.submit(_make_here, number) for number in numbers]):
            yield future.result()
    except BrokenProcessPool as error:
        raise MemorycodeError(
            "a process that generates has died, perhaps for want of memory; "
            "the same call goes on where it stopped"
        ) from error


_maker: _Maker | None = None
"""Of a worker process, set once when it starts."""


def _start(recipe: Recipe, folder: Path) -> None:
    global _maker  # noqa: PLW0603  the only way to hand something to all tasks of a process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _maker = _Maker(recipe, folder)


def _end_with_parent() -> None:
    """A worker whose parent was killed would go on writing without the folder's lock."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _make_here(number: int) -> Outcome:
    assert _maker, "the process was started by _start"
    return _maker.make(number)
