"""What a generated folder was made of, so that it can be made again and gone on with."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError

from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.generation.settings import GenerationSettings
from memorycode.validation_messages import first_problem

MANIFEST = "manifest.json"
FORMAT = 1
"""Of the folder; another one is not gone on with."""

_FREE = ("preset", "versions.python", "settings.n_dialogues")
"""What may differ when a folder is gone on with: names, and how many dialogues there will be."""


class GenerationManifest(Frozen):
    """Everything that decides the dialogues of a folder, and the versions they were made with.

    `pool` is the seed pool's hash. `renderer` is its spec, `options` what it was set to; neither
    has a key in it. `preset` is where the settings came from. `shortages` is no cause but a result:
    how many instructions a dialogue (by its number) has less than the settings ask for, where it
    has; of those that are finished.
    """

    format: int = FORMAT
    preset: str
    settings: GenerationSettings
    seed: int
    pool: str
    renderer: str
    options: Mapping[str, JsonValue] = {}
    versions: Mapping[str, str]
    shortages: Mapping[int, int] = {}

    def difference(self, other: GenerationManifest) -> str:
        """What `other` has otherwise, for people; empty where the same dialogues follow."""
        here, there = (
            dict(_leaves(each.model_dump(mode="json", exclude={"shortages"})))
            for each in (self, other)
        )
        keys = [key for key in {**here, **there} if key not in _FREE]
        return "; ".join(
            f"{key} is {_shown(here.get(key))} there, {_shown(there.get(key))} here"
            for key in keys
            if here.get(key) != there.get(key)
        )


def versions() -> dict[str, str]:
    return {"memorycode": version("memorycode"), "python": platform.python_version()}


def read_manifest(folder: Path) -> GenerationManifest | None:
    """The manifest of a folder; None where it has none. Raises `UsageError` if it is not one."""
    file = folder / MANIFEST
    try:
        return GenerationManifest.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        problem = first_problem(error)
        raise UsageError(f"{file}: not of a generated folder: {problem}") from error


def _leaves(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        if isinstance(item, dict):
            yield from _leaves(item, f"{path}{key}.")
        else:
            yield f"{path}{key}", item


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
