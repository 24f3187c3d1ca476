"""A model's context window: what does not fit is not sent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from memorycode.models.failures import Failure
from memorycode.protocols import Prompt
from memorycode.tokens import token_counter

_MOST_BYTES = 4
"""Of a character in UTF-8; no token is shorter than a byte."""


_ANSWER_FIELDS = ("max_completion_tokens", "max_tokens", "max_output_tokens")
"""What endpoints call the limit of an answer's tokens."""


def answer_limit(options: Mapping[str, Any]) -> int | None:
    """The tokens that an answer may have by a model's options, None where nothing bounds it.

    What the option `body` says goes before `max_tokens`, which it may also take out.
    """
    body = options.get("body")
    asked = {"max_tokens": options.get("max_tokens")} | (dict(body) if body else {})
    limits = [asked.get(name) for name in _ANSWER_FIELDS]
    return next((n for n in limits if isinstance(n, int) and not isinstance(n, bool)), None)


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
        parts = prompt.parts
        if self._room is None or sum(map(len, parts)) * _MOST_BYTES <= self._room:
            return None
        tokens = sum(map(self._counter, parts))
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
