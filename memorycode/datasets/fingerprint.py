"""A data set's hash: the same dialogues give the same hash wherever and however they are stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from memorycode.datasets.release import dump_dialogue
from memorycode.dialogue import Dialogue


def dataset_hash(dialogues: Iterable[Dialogue]) -> str:
    """SHA-256 over the dialogues in their order, as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for dialogue in dialogues:
        line = json.dumps([dialogue.number, dump_dialogue(dialogue)], sort_keys=True)
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()
