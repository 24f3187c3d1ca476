"""Embedders as plug-ins: named by a spec, and held to what an embedder is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memorycode.errors import PluginError
from memorycode.extras import Needs
from memorycode.plugins.loading import Plugin, blaming, built
from memorycode.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROUNDING = 1e-3
"""How far from one a vector's length may be."""


class CheckedEmbedder:
    """An embedder of somebody else's, whose vectors are looked at before they are used. Its name
    has the hash of its source behind it: what it embeds goes with no other version's."""

    def __init__(self, spec: str, own: Embedder, *, name: str, needs: Needs) -> None:
        self.name, self.needs = name, needs
        self._spec, self._own = spec, own

    def pieces(self, text: str) -> list[str]:
        """Raises `PluginError` where the embedder raises, or gives no texts."""
        with blaming(self._spec, "pieces() failed"):
            found = list(self._own.pieces(text))
            if not found or not all(type(piece) is str for piece in found):
                raise PluginError(f"{self._spec}: pieces() returns the text's pieces, one at least")
        return found

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raises `PluginError` where the embedder raises, or gives something else than a vector of
        length one, or of nothing but zeros, for each text."""
        import numpy as np

        if not texts:
            return np.zeros((0, 0), np.float32)
        with blaming(self._spec, "embed() failed"):
            vectors = np.asarray(self._own.embed(texts), np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise PluginError(
                f"{self._spec}: embed() gave the shape {vectors.shape} for {len(texts)} texts, "
                f"want ({len(texts)}, dimensions)"
            )
        lengths = np.linalg.norm(vectors, axis=1)
        if not np.all((np.abs(lengths - 1) < _ROUNDING) | (lengths == 0)):
            raise PluginError(f"{self._spec}: embed() gave a vector that is not of length one")
        return vectors


@dataclass(frozen=True)
class EmbedderPlugin(Plugin):
    """An embedder that can be built."""

    @classmethod
    def load(cls, text: str) -> EmbedderPlugin:
        return cls._load(text, "embedders", ",")

    def build(self) -> CheckedEmbedder:
        """Raises `PluginError` if the factory raises or builds something else."""
        text = self.spec.text
        embedder = built(text, self.factory, **self.own_values)
        with blaming(text, "cannot be used"):
            if not isinstance(embedder, Embedder):
                raise PluginError(
                    f"{text}: {type(embedder).__name__} is no Embedder: "
                    "it needs name, pieces() and embed()"
                )
            name = embedder.name
            if not (type(name) is str and name.strip()):
                raise PluginError(f"{text}: name is {name!r}, want a string")
        name = f"{name}@{self.source}" if self.source else name
        return CheckedEmbedder(text, embedder, name=name, needs=self.needs)
