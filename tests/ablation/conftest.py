"""Dialogues whose retrieval can be worked out by hand."""

from __future__ import annotations

import pytest

from memorycode.ablation.corpus import Corpus, Gold
from memorycode.dialogue import Dialogue


@pytest.fixture
def corpus(small_dialogue: Dialogue) -> Corpus:
    """The sessions of the small dialogue: 0 tells a prefix, 2 replaces it and wants docstrings,
    1 and 3 are talk."""
    return Corpus(Gold(small_dialogue), "session")
