"""memorycode: a testbed for agent memory, around the MemoryCode benchmark (arXiv 2502.13791)."""

from memorycode.datasets import load_dataset, write_dataset
from memorycode.evaluate import evaluate

__all__ = ["evaluate", "load_dataset", "write_dataset"]

__version__ = "0.1.0"
