"""How plainly a data set means to tell its rules: the manifest of a generated folder says so."""

from __future__ import annotations

from pathlib import Path

from memorycode.errors import UsageError
from memorycode.generation.manifest import read_manifest
from memorycode.generation.style import DIFFICULTIES, Difficulty

_DATASET = "dataset"
"""The folder of dialogues, beside the manifest."""


def difficulty_of(path: Path) -> Difficulty:
    """The difficulty that a generated data set was made with; explicit for any other.

    `path` is the generated folder, the folder of dialogues in it, or one of these.
    """
    path = path.resolve()
    for folder in (path, *path.parents[:2]):
        dialogues = folder / _DATASET
        if dialogues.is_dir() and (folder == path or path.is_relative_to(dialogues)):
            return _stated(folder)
    return "explicit"


def _stated(folder: Path) -> Difficulty:
    try:
        manifest = read_manifest(folder)
    except UsageError:  # a file of this name may belong to anything
        return "explicit"
    stated = manifest.options.get("difficulty") if manifest else None
    return next((known for known in DIFFICULTIES if known == stated), "explicit")
