"""What is not installed with memorycode itself: is it there, and which extra brings it?"""

from __future__ import annotations

import importlib
import importlib.util
import threading
import warnings
from collections.abc import Mapping
from functools import lru_cache

from memorycode.errors import NotInstalled

Needs = Mapping[str, tuple[str, ...]]
"""Modules that something cannot do without, by the extra that brings them."""

_LOCK = threading.Lock()
"""Filters of warnings belong to the whole process."""


def check_installed(needs_of: Mapping[str, Needs]) -> None:
    """Look for what each of these needs, by its name; nothing is imported.

    Raises `NotInstalled` where something is missing. It names one command: all the extras of those
    that lack something, so that their versions go together.
    """
    lacking = {who: missing for who, needs in needs_of.items() if (missing := _missing(needs))}
    if lacking:
        extras = dict.fromkeys(extra for who in lacking for extra in needs_of[who])
        told = "; ".join(f"{who} needs {' and '.join(lacking[who])}" for who in lacking)
        raise NotInstalled(f"not installed: {told}: pip install 'memorycode[{','.join(extras)}]'")


def _missing(needs: Needs) -> list[str]:
    modules = dict.fromkeys(module for brought in needs.values() for module in brought)
    return [module for module in modules if not _is_installed(module)]


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # what holds it is missing, or is no package
        return False


@lru_cache(maxsize=64)
def needed(extra: str, *modules: str) -> None:
    """Import the modules that the extra brings; what they warn of on import is not the user's.

    Raises `NotInstalled` where one is missing.
    """
    try:
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for module in modules:
                importlib.import_module(module)
    except ImportError as error:
        raise NotInstalled(
            f"this needs the extra {extra}: pip install 'memorycode[{extra}]' ({error})"
        ) from error
