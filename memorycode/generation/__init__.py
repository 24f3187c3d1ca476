"""Making dialogues: seed pool → template → rendered dialogue."""

from typing import TYPE_CHECKING

from memorycode.lazy import names_in

if TYPE_CHECKING:
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

# The command line needs the options alone, not all that draws and writes.
__getattr__ = names_in(
    __name__,
    {
        "GenerationSettings": "memorycode.generation.settings",
        "SeedPool": "memorycode.generation.pool",
        "generate_dialogues": "memorycode.generation.generate",
        "generate_folder": "memorycode.generation.job",
        "load_settings": "memorycode.generation.settings",
        "preset": "memorycode.generation.settings",
        "preset_names": "memorycode.generation.settings",
    },
)
