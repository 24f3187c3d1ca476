"""Texts to vectors: a sentence-transformers model, with a cache on disk.

Nothing heavy is imported before the first text is embedded.
"""

from memorycode.embedding.cache import EmbeddingCache
from memorycode.embedding.sentence_embedder import PACKAGED, SentenceEmbedder, sentence_embedder

__all__ = ["PACKAGED", "EmbeddingCache", "SentenceEmbedder", "sentence_embedder"]
