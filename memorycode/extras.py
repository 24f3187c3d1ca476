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

    Raises `NotInstalled` where something is missing: one command that installs all of it.
    """
    lacking = {who: _missing(needs) for who, needs in needs_of.items()}
    extras = dict.fromkeys(extra for missing in lacking.values() for extra in missing)
    if extras:
        told = (
            f"{who} needs {' and '.join(dict.fromkeys(sum(missing.values(), ())))}"
            for who, missing in lacking.items()
            if missing
        )
        raise NotInstalled(
            f"not installed: {'; '.join(told)}: pip install 'memorycode[{','.join(extras)}]'"
        )


def _missing(needs: Needs) -> Needs:
    found = {
        extra: tuple(module for module in modules if not _is_installed(module))
        for extra, modules in needs.items()
    }
    return {extra: modules for extra, modules in found.items() if modules}


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
