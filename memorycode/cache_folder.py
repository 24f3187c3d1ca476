"""Where caches lie on this machine."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER_VARIABLE = "MEMORYCODE_CACHE"
"""Where caches lie; by default ``memorycode`` in the user's folder for caches."""


def cache_folder() -> Path:
    """The folder of all caches; it need not exist."""
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "memorycode"
