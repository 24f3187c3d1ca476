"""From code to its syntax tree, whatever the code: nothing is run, nothing hangs, nothing warns."""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice

MAX_CHARACTERS = 2_000_000
MAX_TOKENS = 50_000
"""Longer code counts as unparsable: it is a hundred times what models write, and dense code of
that length keeps the parser busy for half a second."""

_MAX_NOT_ASCII = 500_000
"""Characters of code that is not ASCII alone: Python normalises its names, which takes a second
for two million characters of them."""

_MAX_F_STRING_WORK = 500_000_000
"""For each field of an f-string, Python 3.11 searches the string from its start; this is in
characters searched, at most, and stands for half a second too."""

SHORT = 20_000
"""Code or answers up to this many characters, ten times what models write, may be kept in memory
and tried in more than one reading; what is longer is read once and dropped."""

_TREES = 16
"""Trees kept, so that two scorers which judge the same answers in turn parse each of them once."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_LOCK = threading.Lock()


BRIEF = 4_000
"""Characters of answers and codes whose objects are kept: nearly all that models write. Longer ones
could hold thousands of objects each."""


def parse(code: str) -> ast.Module | None:
    """The tree, or None for code that does not parse, for whatever reason. Not to be altered: it
    may be handed out again."""
    return _recently_parsed(code) if len(code) <= SHORT else _parse(code)


def _parse(code: str) -> ast.Module | None:
    if _is_too_long(code):
        return None
    with quiet():
        try:
            return ast.parse(code)
        # Besides SyntaxError: ValueError (half a surrogate pair, a null byte), RecursionError,
        # MemoryError (nested too deeply). Which one it is differs between versions of Python.
        except Exception:
            return None


_recently_parsed = lru_cache(maxsize=_TREES)(_parse)


@contextmanager
def quiet() -> Iterator[None]:
    """No warning is shown or, under ``-W error``, raised as an error.

    Filters belong to the whole process: the lock keeps two threads from restoring each other's.
    """
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _is_too_long(code: str) -> bool:
    length = len(code)
    if length <= MAX_TOKENS:
        return False
    if length > _MAX_NOT_ASCII and not code.isascii():
        return True
    if length > MAX_CHARACTERS or length * code.count("{") > _MAX_F_STRING_WORK:
        return True
    return next(islice(_TOKEN.finditer(code), MAX_TOKENS, None), None) is not None
