"""The comments in code that parses."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from contextlib import suppress

from memorycode.scoring.parsing import quiet


def comments_of(code: str) -> tuple[str, ...]:
    """The comment tokens in order, each from its ``#`` on. `code` has line ends ``\\n`` only."""
    with quiet():
        return tuple(_comments(code))


def has_comment(code: str) -> bool:
    """Whether there is any; cheaper than all of them."""
    with quiet():
        return any(True for _ in _comments(code))


def _comments(code: str) -> Iterator[str]:
    """Where the tokenizer gives up on what the parser accepts, those that it found until then."""
    if "#" not in code:
        return
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    with suppress(tokenize.TokenError, SyntaxError, ValueError):
        for token in tokens:
            if token.type == tokenize.COMMENT:
                yield token.string
