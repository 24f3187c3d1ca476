"""The frozen outputs on disk: small ones as they are, large ones compressed."""

from __future__ import annotations

import gzip
from pathlib import Path

FROZEN = Path(__file__).parents[1] / "golden" / "frozen"
RENAMED = FROZEN / "renamed.json"

_LARGE = 16_000
"""Bytes; what is longer is compressed."""


def read_frozen(file: str) -> str | None:
    """The output that was frozen under that name, None where none was."""
    plain, compressed = _paths(file)
    if plain.is_file():
        return plain.read_bytes().decode("utf-8")
    if compressed.is_file():
        return gzip.decompress(compressed.read_bytes()).decode("utf-8")
    return None


def write_frozen(file: str, output: str) -> None:
    """Freeze an output in place of what was frozen under that name."""
    plain, compressed = _paths(file)
    plain.parent.mkdir(parents=True, exist_ok=True)
    data = output.encode("utf-8")
    for path in (plain, compressed):
        path.unlink(missing_ok=True)
    if len(data) > _LARGE:
        # No time stands in it: equal outputs, equal bytes.
        compressed.write_bytes(gzip.compress(data, 9, mtime=0))
    else:
        plain.write_bytes(data)


def frozen_files() -> set[str]:
    """The names of all outputs that are frozen."""
    found = (path for path in FROZEN.glob("*/**/*") if path.is_file())
    return {path.relative_to(FROZEN).as_posix().removesuffix(".gz") for path in found}


def _paths(file: str) -> tuple[Path, Path]:
    return FROZEN / file, FROZEN / f"{file}.gz"
