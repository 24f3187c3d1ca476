"""Making dialogues: seed pool → template → rendered dialogue."""

from memorycode.generation.generate import generate_dialogues
from memorycode.generation.job import generate_folder
from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import (
    GenerationSettings,
    load_settings,
    preset,
    preset_names,
)

__all__ = [
    "GenerationSettings",
    "SeedPool",
    "generate_dialogues",
    "generate_folder",
    "load_settings",
    "preset",
    "preset_names",
]
