"""A run's manifest: what was run, with what, so that it can be repeated and resumed."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue

from memorycode.dialogue import Setting
from memorycode.prompts import PromptPack
from memorycode.rules import Frozen

_PACKAGES = ("memorycode", "bm25s", "bpe-openai", "numpy", "openai", "pydantic")


class StrategyEntry(Frozen):
    """A strategy of the run: its spec, whether it sees gold labels, and, by model name, which of
    its ways it goes (``extractive`` where no model can summarise). `planned` is the number of
    questions per model.
    """

    spec: str
    oracle: bool
    variants: Mapping[str, str] = {}
    checkpoints: Literal["last", "every"]
    planned: int


class ModelEntry(Frozen):
    """A model of the run and its options (never a key); records go by its `name`."""

    spec: str
    name: str
    is_language_model: bool
    options: Mapping[str, JsonValue] = {}


class RunSettings(Frozen):
    """All that decides which questions are asked and how: a run is resumed with equal settings.

    `dataset` is how the user named the data; what counts is its hash.
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
    seed: int

    def differences(self, other: RunSettings) -> list[str]:
        """Lines ``field: this, not that`` for each field in which the other differs."""
        mine, theirs = self.model_dump(mode="json"), other.model_dump(mode="json")
        return [
            f"{key}: {_short(mine[key])} in the folder, {_short(theirs[key])} now"
            for key in mine
            if key != "dataset" and mine[key] != theirs[key]
        ]


class Manifest(Frozen):
    """The settings, and the versions that they ran under.

    Python's version matters to the scores: its grammar decides which answers parse.
    """

    format: int = 1
    settings: RunSettings
    python: str
    packages: Mapping[str, str]
    git_revision: str | None = None


def make_manifest(settings: RunSettings) -> Manifest:
    """The manifest of a run under this interpreter and these packages."""
    return Manifest(
        settings=settings,
        python=platform.python_version(),
        packages={name: version(name) for name in _PACKAGES},
        git_revision=_git_revision(),
    )


def _git_revision() -> str | None:
    """The revision of the checkout that this code runs from; None for an installed wheel."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:117]}…"
