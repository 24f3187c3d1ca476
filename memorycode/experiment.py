"""An experiment: everything that decides a run, as one TOML file or one set of options."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from memorycode.dialogue import Checkpoints, Setting
from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.problems import first_problem

# A folder beside this package in a checkout and in an installed wheel alike. Not looked up by
# name, for a user may well have a folder named experiments of their own.
_FOLDER = Path(__file__).resolve().parents[1] / "experiments"

GENERATED = "generated here"
"""What reports call a data set that the project made itself."""


class Experiment(Frozen):
    """What to run. `dataset` is a path, or None for dialogues that the project generates.

    `checkpoints` None leaves it to each strategy. `limit` takes the first so many dialogues.
    `context_budget` holds every recall to so many tokens. `embedder` is a sentence-transformers
    model or its folder, for the strategies that embed.
    """

    description: str = ""
    dataset: str | None = None
    strategies: tuple[str, ...] = Field(default=("no_memory", "full_history"), min_length=1)
    models: tuple[str, ...] = Field(default=("ideal-mentee",), min_length=1)
    setting: Setting = "history"
    checkpoints: Checkpoints | None = None
    limit: int | None = Field(default=None, ge=1)
    context_budget: int | None = Field(default=None, ge=1)
    embedder: str | None = None
    seed: int = 0
    base_url: str | None = None
    prompts: str | None = None

    def with_options(self, **options: Any) -> Experiment:
        """The same experiment with the options that are neither None nor empty in place."""
        given = {key: value for key, value in options.items() if value not in (None, (), [])}
        return make_experiment(self.model_dump() | given)


def make_experiment(settings: Mapping[str, Any], *, where: str = "") -> Experiment:
    """An experiment of these settings. Raises `UsageError` for one that does not fit; `where`
    says where it stands."""
    if unknown := sorted(settings.keys() - Experiment.model_fields.keys()):
        known = ", ".join(Experiment.model_fields)
        raise UsageError(f"{where}{unknown[0]}: there is no such setting; there are {known}")
    try:
        return Experiment.model_validate(settings)
    except ValidationError as error:
        raise UsageError(f"{where}{first_problem(error)}") from error


def load_experiment(name: str) -> Experiment:
    """An experiment from a TOML file, or by the bare name of one that the project ships."""
    file = Path(name)
    if file.suffix != ".toml" and not file.is_file():
        return parse_experiment(_shipped(name), where=name)
    try:
        return parse_experiment(file.read_text(encoding="utf-8"), where=str(file))
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8 text (byte {error.start})") from error


def parse_experiment(text: str, *, where: str) -> Experiment:
    """Read the TOML text of an experiment; `where` is named in errors."""
    try:
        settings = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not TOML: {error}") from error
    return make_experiment(settings, where=f"{where}: ")


def shipped_experiments() -> list[str]:
    """The bare names of the experiments that the project ships."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def _shipped(name: str) -> str:
    names = shipped_experiments()
    if name not in names:
        raise UsageError(
            f"{name!r} is neither a TOML file nor an experiment that comes with memorycode; "
            f"those are: {', '.join(names)}"
        )
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
