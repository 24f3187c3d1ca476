"""Keys from a file ``.env``, as many tools read it."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

from memorycode.errors import Unreadable, UsageError
from memorycode.models.secrets import names_a_key
from memorycode.text_files import read_text

KEY_FILE = ".env"


def read_keys(folder: Path) -> None:
    """Set the variables of the folder's ``.env`` that have a usual name for keys and are not set.

    The others are left alone: a folder that came from elsewhere shall not say where a key is sent,
    nor how this process runs. Raises `UsageError` where the file cannot be read.
    """
    file = folder / KEY_FILE
    if file.is_dir() or not file.exists():
        return
    from dotenv import dotenv_values

    try:
        text = read_text(file)
    except Unreadable as error:
        raise UsageError(f"{file}: {error}") from None
    values = dotenv_values(stream=StringIO(text, newline=None), interpolate=False)
    for name, value in values.items():
        if value and names_a_key(name) and name not in os.environ:
            os.environ[name] = value
