"""A run's manifest: what was run, with what, so that it can be repeated and resumed."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from memorycode.dialogue import AskAfter, Setting
from memorycode.experiment import RunOptions
from memorycode.frozen import Frozen
from memorycode.prompts import PromptPack
from memorycode.protocols import ADDRESS, MODEL

FORMAT = 2
"""Of a run's folder, as it is written."""

_PACKAGES = ("memorycode", "bm25s", "bpe-openai", "numpy", "openai", "pydantic")


class StrategyEntry(Frozen):
    """A strategy of the run: its spec, whether it sees gold labels, and, by model name, which of
    its ways it goes (``extractive`` where no model can summarise) and what tables say below.
    `source` is the hash of its source. `planned` is the number of questions per model, each repeat
    counted.
    """

    spec: str
    source: str = ""
    oracle: bool
    variants: Mapping[str, str] = {}
    notes: Mapping[str, str] = {}
    ask_after: AskAfter
    planned: int


class ModelEntry(Frozen):
    """A model of the run and its options (never a key); records go by its `name`, which is its
    label. Among the options is the `address` where it was when the run began."""

    spec: str
    source: str = ""
    name: str
    is_language_model: bool
    note: str = ""
    options: Mapping[str, JsonValue] = {}

    @property
    def priced_as(self) -> str:
        """The name that prices know it by: the model's own, whatever its label."""
        return f"{self.options.get(MODEL, self.name)}"


class RunSettings(RunOptions):
    """All that decides which questions are asked and how: a run is resumed with equal settings.

    `dataset` is how the user named the data; what counts is its hash. The options that an
    experiment has too mean the same here.
    """

    dataset: str
    dataset_hash: str
    dialogues: int
    setting: Setting
    strategies: tuple[StrategyEntry, ...]
    models: tuple[ModelEntry, ...]
    prompts: PromptPack
    prompts_hash: str
    tokenizer: str
    embedder: str
    seed: int

    @property
    def names_by_label(self) -> dict[str, str]:
        """What prices know each model by."""
        return {model.name: model.priced_as for model in self.models}


class Manifest(Frozen):
    """The settings, and the versions that they ran under.

    Python's version matters to the scores: its grammar decides which answers parse.
    """

    format: int = FORMAT
    settings: RunSettings
    python: str
    packages: Mapping[str, str]
    git_revision: str | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """What a run must share with another to be the same one, field by field."""
        # Who waited too short for a strategy asks again what failed, with more patience.
        apart = {"dataset", "prompts", "strategy_timeout"}
        settings = self.settings.model_dump(mode="json", exclude=apart)
        strategies = {entry["spec"]: entry for entry in settings.pop("strategies")}
        models = {entry["name"]: _anywhere(entry) for entry in settings.pop("models")}
        return {
            **settings,
            "strategies": sorted(strategies),
            "models": sorted(models),
            **{f"strategy {spec}": entry for spec, entry in strategies.items()},
            **{f"model {label}": entry for label, entry in models.items()},
            "memorycode": self.packages["memorycode"],
            "python's grammar": ".".join(self.python.split(".")[:2]),
        }

    def differences(self, other: Manifest) -> list[str]:
        """Lines ``field: … in the folder, … now`` for each field in which the other differs."""
        there, now = self.identity, other.identity
        differing = [key for key in there if key in now and there[key] != now[key]]
        return [f"{key}: {_short(there[key], now[key])}" for key in differing]

    def moved(self, other: Manifest) -> list[str]:
        """A line for each model that the other has at another address."""
        there = {model.name: model.options.get(ADDRESS) for model in self.settings.models}
        return [
            f"{model.name} was at {there[model.name]} when this run began, and is now at {address}"
            for model in other.settings.models
            if (address := model.options.get(ADDRESS)) and there.get(model.name, address) != address
        ]


def make_manifest(settings: RunSettings) -> Manifest:
    """The manifest of a run under this interpreter and these packages."""
    return Manifest(
        settings=settings,
        python=platform.python_version(),
        packages={name: version(name) for name in _PACKAGES},
        git_revision=_git_revision(),
    )


def _git_revision() -> str | None:
    """The revision of the checkout that this code runs from, ``-dirty`` if files differ from it;
    None for an installed wheel."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _anywhere(model: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says of a model, but for where it runs."""
    return model | {"options": {k: v for k, v in model["options"].items() if k != ADDRESS}}


def _short(there: Any, now: Any) -> str:
    """Two values, or only those of their entries that differ."""
    if isinstance(there, dict) and isinstance(now, dict):
        there, now = (
            {key: value for key, value in one.items() if other.get(key) != value}
            for one, other in ((there, now), (now, there))
        )
        pairs = ", ".join(f"{key} {there.get(key)} / {now.get(key)}" for key in there | now)
        return f"{pairs} (folder / now)"
    return f"{there} in the folder, {now} now"
