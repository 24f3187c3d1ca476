"""A model's context window: what does not fit is not sent."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property

from memorycode.models.failures import Failure
from memorycode.protocols import Prompt
from memorycode.tokens import token_counter

_MOST_BYTES = 4
"""Of a character in UTF-8; no token is shorter than a byte."""


class ContextWindow:
    """The tokens that a model reads and writes in one call; `limit` None: not known.

    Counted by the run's tokenizer, which is not the model's: a prompt that just fits may still be
    refused by the endpoint.
    """

    def __init__(self, limit: int | None, *, for_answer: int | None) -> None:
        self.limit = limit
        self._room = None if limit is None else limit - (for_answer or 0)
        self._lock = threading.Lock()

    def overflow(self, prompt: Prompt) -> Failure | None:
        """Why the prompt cannot be sent, None where it fits or the window is not known."""
        if self._room is None or len(prompt.text) * _MOST_BYTES <= self._room:
            return None
        tokens = sum(map(self._counter, prompt.parts))
        if tokens <= self._room:
            return None
        return Failure(
            "context_too_long",
            f"the prompt has {tokens} tokens, and of the context of {self.limit} the answer leaves "
            f"{max(0, self._room)}; it was not sent",
        )

    @property
    def _counter(self) -> Callable[[str], int]:
        with self._lock:
            return self._count

    @cached_property
    def _count(self) -> Callable[[str], int]:
        return token_counter()
