"""Lines of CSV that any reader takes for what they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path


def csv_line(cells: Iterable[object]) -> str:
    """One line with its end; a cell with a line end of any system in it stands in quotes."""
    line = io.StringIO(newline="")
    # The writer quotes only what occurs in its own line end: with both, a lone one is quoted too.
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def csv_columns(file: Path) -> list[str]:
    """The cells of a file's first line; none where it is no such file."""
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return next(csv.reader(lines), [])
    except (ValueError, csv.Error):
        return []
