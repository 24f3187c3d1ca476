"""Reading and writing data sets: the release's JSON layout and recorded outputs."""

from memorycode.datasets.fingerprint import dataset_hash
from memorycode.datasets.release import dump_dialogue, load_dataset, parse_dialogue, write_dataset

__all__ = ["dataset_hash", "dump_dialogue", "load_dataset", "parse_dialogue", "write_dataset"]
