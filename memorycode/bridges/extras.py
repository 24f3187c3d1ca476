"""Loads the library that an adapter needs, or says which extra brings it."""

from __future__ import annotations

import importlib
import threading
import warnings
from functools import lru_cache

from memorycode.errors import PluginError

_LOCK = threading.Lock()
"""Filters of warnings belong to the whole process."""


@lru_cache(maxsize=64)
def needed(extra: str, *modules: str) -> None:
    """Import the modules that the extra brings; what they warn of on import is not the user's.

    Raises `PluginError` where one is not installed.
    """
    try:
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for module in modules:
                importlib.import_module(module)
    except ImportError as error:
        raise PluginError(
            f"this needs the extra {extra}: pip install 'memorycode[{extra}]' ({error})"
        ) from error
