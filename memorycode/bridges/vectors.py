"""Vectors as other libraries want them: lists of numbers that have a direction."""

from __future__ import annotations

from collections.abc import Sequence

from memorycode.messages import without_half_pairs
from memorycode.protocols import Embedder


def vectors_of(embedder: Embedder, texts: Sequence[str]) -> list[list[float]]:
    """One vector per text. Libraries divide by a vector's length: one without any, which an
    embedder may give for a text without words, becomes the first axis."""
    if not texts:
        return []
    vectors = embedder.embed([without_half_pairs(text) for text in texts])
    return [_with_direction([float(number) for number in vector]) for vector in vectors]


def _with_direction(vector: list[float]) -> list[float]:
    return vector if any(vector) else [1.0, *vector[1:]]
