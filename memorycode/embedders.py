"""From what an experiment names to what embeds: a plug-in, or a sentence-transformers model."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from memorycode.embedding import PACKAGED, sentence_embedder
from memorycode.plugins import EmbedderPlugin, installed
from memorycode.protocols import Embedder


@lru_cache(maxsize=8)
def load_embedder(spec: str) -> Embedder:
    """The embedder of a spec, one per process: ``module:Class``, an installed one's name, a folder,
    or the name of a sentence-transformers model. Of the latter two nothing heavy is loaded yet."""
    if spec != PACKAGED and not Path(spec).is_dir() and _is_plugin(spec):
        return EmbedderPlugin.load(spec).build()
    return sentence_embedder(spec)


def _is_plugin(spec: str) -> bool:
    return ":" in spec or spec in installed("embedders")
