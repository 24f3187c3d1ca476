"""Writes a series as CSV and, where matplotlib is there, as PDF and PNG beside it."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memorycode.errors import UsageError
from memorycode.figures.style import DPI, house_style
from memorycode.results.figures.series import Series

HINT = "no PDF and PNG: matplotlib is not installed (pip install 'memorycode[figures]')"


def can_draw() -> bool:
    """Whether matplotlib is installed; it is not imported."""
    return importlib.util.find_spec("matplotlib") is not None


def write_series(series: Series, folder: Path) -> list[Path]:
    """Write ``NAME.csv``, and ``NAME.pdf`` and ``NAME.png`` where there is a figure and matplotlib.

    The same numbers give the same bytes, with the same matplotlib. Files appear whole; a figure of
    other numbers, drawn before, does not stay beside the CSV. Raises `UsageError` where the folder
    is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; figures go to a folder")
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / f"{series.name}.csv"
    pictures = [folder / f"{series.name}.{kind}" for kind in ("pdf", "png")]
    for picture in pictures:
        picture.unlink(missing_ok=True)
    with _whole(table) as part:
        part.write_text(series.csv(), encoding="utf-8", newline="")
    if series.drawing is None or not series.rows or not can_draw():
        return [table]
    _draw(series, *pictures)
    return [table, *pictures]


@contextmanager
def _whole(file: Path) -> Iterator[Path]:
    """Where to write what becomes the file once it is whole."""
    part = file.with_name(f"{file.name}.part")
    try:
        yield part
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def _draw(series: Series, pdf: Path, png: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from memorycode.figures.panels import draw

    # The settings are the process's own: they hold for this block alone, and fonts are embedded
    # when a file is saved.
    with house_style(), warnings.catch_warnings():
        # A name in a script that the font lacks shows boxes; the CSV has it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = draw(series)
        FigureCanvasAgg(figure)
        with _whole(pdf) as part:
            figure.savefig(part, format="pdf", metadata={"CreationDate": None})
        with _whole(png) as part:
            figure.savefig(part, format="png", dpi=DPI, metadata={"Software": None})
