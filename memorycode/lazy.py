"""Names of a package that are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def names_in(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A package's ``__getattr__``; `homes` has the module that each name stands in."""

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return find
