"""Keys from a file ``.env``, as many tools read it."""

from __future__ import annotations

import os
from pathlib import Path

from memorycode.errors import UsageError
from memorycode.models.secrets import names_a_key

KEY_FILE = ".env"


def read_keys(folder: Path) -> None:
    """Set the variables of the folder's ``.env`` that have a usual name for keys and are not set.

    The others are left alone: a folder that came from elsewhere shall not say where a key is sent,
    nor how this process runs. Raises `UsageError` where the file cannot be read.
    """
    file = folder / KEY_FILE
    if not file.is_file():
        return
    from dotenv import dotenv_values

    try:
        values = dotenv_values(file, interpolate=False, encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8 text (byte {error.start})") from None
    for name, value in values.items():
        if value and names_a_key(name) and name not in os.environ:
            os.environ[name] = value
