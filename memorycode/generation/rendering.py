"""What a renderer is: it puts the plan of a dialogue into words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from memorycode.generation.template import Template


class Renderer(Protocol):
    """Writes the conversations of a template."""

    def render(self, template: Template, rng: random.Random) -> Sequence[str]:
        """One transcript per planned session, in order. May raise `RenderError`."""
        ...


class SessionWriter(Protocol):
    """Writes one dialogue, session by session."""

    def write(self, index: int) -> str:
        """The transcript of session `index`; asked for the same one again, it writes another.

        May raise `ModelError`.
        """
        ...


class SessionRenderer(Renderer, Protocol):
    """A renderer that can be asked for one session at a time."""

    def begin(self, template: Template, rng: random.Random) -> SessionWriter:
        """Start on a dialogue; all that the writer draws comes from `rng`."""
        ...
