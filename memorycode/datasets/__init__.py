"""Reading and writing data sets: the release's JSON layout, rows of a table, recorded outputs."""

from memorycode.datasets.card import CardFacts
from memorycode.datasets.fingerprint import dataset_hash
from memorycode.datasets.loading import load_dataset
from memorycode.datasets.parquet import write_parquet
from memorycode.datasets.release import dump_dialogue, parse_dialogue, write_dataset
from memorycode.datasets.rows import read_rows

__all__ = [
    "CardFacts",
    "dataset_hash",
    "dump_dialogue",
    "load_dataset",
    "parse_dialogue",
    "read_rows",
    "write_dataset",
    "write_parquet",
]
