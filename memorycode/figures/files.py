"""Writes a series as CSV, SVG and, where the converter is there, as PDF and PNG beside them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from xml.etree import ElementTree

from memorycode.errors import UsageError
from memorycode.figures.draw import draw
from memorycode.figures.style import DAY, DPI, style_sheet
from memorycode.markup import Node, element
from memorycode.results.figures.series import Series
from memorycode.whole_file import written_whole

_DATE = re.compile(rb"(/(?:Creation|Mod)Date \(D:)\d{14}")
_NAMES = re.compile(rb"(?:[ ]+/\w+ \d+ 0 R\n){2,}")
"""What differs between two PDFs of one drawing: when they were made, and the order of names."""

HINT = "no PDF and PNG: vl-convert is not installed (pip install 'memorycode[figures]')"


def can_convert() -> bool:
    """Whether what makes PDF and PNG of an SVG is installed; it is not imported."""
    return importlib.util.find_spec("vl_convert") is not None


def write_series(series: Series, folder: Path) -> list[Path]:
    """Write ``NAME.csv`` and, where there is a figure, ``NAME.svg`` and, if they can be made,
    ``NAME.pdf`` and ``NAME.png``.

    The same numbers give the same bytes. Files appear whole; a figure of other numbers, drawn
    before, does not stay beside the CSV. Raises `UsageError` where the folder is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; figures go to a folder")
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("svg", "pdf", "png"):
        (folder / f"{series.name}.{kind}").unlink(missing_ok=True)
    contents = {"csv": series.csv().encode()}
    if series.drawing is not None and series.rows:
        contents |= _pictures(draw(series))
    files = []
    for kind, content in contents.items():
        files.append(folder / f"{series.name}.{kind}")
        with written_whole(files[-1]) as part:
            part.write_bytes(content)
    return files


def _pictures(drawn: Node) -> dict[str, bytes]:
    drawn.insert(1, element("style", style_sheet(DAY)))
    drawn.insert(2, element("rect", width="100%", height="100%", fill=DAY["ground"]))
    svg = ElementTree.tostring(drawn, encoding="unicode") + "\n"
    if not can_convert():
        return {"svg": svg.encode()}
    import vl_convert

    return {
        "svg": svg.encode(),
        "pdf": _same_bytes(vl_convert.svg_to_pdf(svg)),
        "png": vl_convert.svg_to_png(svg, scale=3 / 4, ppi=DPI),  # a unit is 3/4 of a point,
    }


def _same_bytes(pdf: bytes) -> bytes:
    """The PDF with a fixed date and its names in order; nothing in it moves."""
    dated = _DATE.sub(rb"\g<1>20000101000000", pdf)
    return _NAMES.sub(lambda names: b"".join(sorted(names[0].splitlines(keepends=True))), dated)
