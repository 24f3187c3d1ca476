"""The dialogues an experiment runs on: read from a path, or generated."""

from __future__ import annotations

from itertools import islice

from memorycode.datasets import load_dataset
from memorycode.dialogue import Dialogue
from memorycode.experiment import Experiment

GENERATED_PRESET = "demo"
"""What is generated where no data set is named."""


def dialogues_for(experiment: Experiment) -> tuple[Dialogue, ...]:
    """Read or generate those that the experiment takes."""
    taken = experiment.taken
    if experiment.dataset is not None:
        return load_dataset(experiment.dataset, limit=taken.stop)[taken]
    from memorycode.generation.generate import generate_dialogues
    from memorycode.generation.pool import SeedPool

    pool = SeedPool.load()
    generated = generate_dialogues(GENERATED_PRESET, seed=experiment.seed, pool=pool)
    return tuple(islice(generated, taken.start, taken.stop, taken.step))
