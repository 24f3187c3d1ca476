"""Making dialogues: seed pool → template → rendered dialogue."""

from memorycode.generation.generate import generate_dialogues
from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import GenerationSettings, preset, preset_names

__all__ = ["GenerationSettings", "SeedPool", "generate_dialogues", "preset", "preset_names"]
