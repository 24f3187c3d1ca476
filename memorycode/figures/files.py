"""Writes a series as CSV, SVG and, where the converter is there, as PDF and PNG beside them."""

from __future__ import annotations

import importlib.util
import re
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from memorycode.errors import UsageError
from memorycode.figures.draw import draw
from memorycode.figures.style import DAY, DPI, style_sheet
from memorycode.markup import Node, element
from memorycode.results.csv_lines import csv_columns
from memorycode.results.figures.series import Series
from memorycode.whole_file import own_replaced, refuse_foreign

_DATE = re.compile(rb"(/(?:Creation|Mod)Date \(D:)\d{14}")
_NAMES = re.compile(rb"(?:[ ]+/\w+ \d+ 0 R\n){2,}")
"""What differs between two PDFs of one drawing: when they were made, and the order of names."""

_HEAD = 65_536
"""Bytes from a picture's beginning that it is known by."""

_SVG = re.compile(rb'<svg [^>]*role="img" [^>]*class="drawn">')

_PDF_END = b"\n% Software: memorycode\n"
"""A comment, which readers pass over."""

_IHDR_END = 8 + 25
"""Where a PNG's first chunk ends, which begins after the signature."""

_SOFTWARE = b"tEXtSoftware\0memorycode"
_PNG_CHUNK = (
    (len(_SOFTWARE) - 4).to_bytes(4, "big") + _SOFTWARE + zlib.crc32(_SOFTWARE).to_bytes(4, "big")
)

HINT = "no PDF and PNG: vl-convert is not installed (pip install 'memorycode[figures]')"


def can_convert() -> bool:
    """Whether what makes PDF and PNG of an SVG is installed; it is not imported."""
    return importlib.util.find_spec("vl_convert") is not None


def write_series(series: Series, folder: Path) -> list[Path]:
    """Write ``NAME.csv`` and, where there is a figure, ``NAME.svg`` and, if they can be made,
    ``NAME.pdf`` and ``NAME.png``.

    The same numbers give the same bytes. Files appear whole; a figure of other numbers, drawn
    before, does not stay beside the CSV. Raises `UsageError`, and writes nothing, where the folder
    is a file, or one of the files was not written here.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; figures go to a folder")
    folder.mkdir(parents=True, exist_ok=True)
    contents = {"csv": series.csv().encode()}
    if series.drawing is not None and series.rows:
        contents |= _pictures(draw(series))
    known = {**_IS_OWN, "csv": lambda file: csv_columns(file) == list(series.columns)}
    files = {folder / f"{series.name}.{kind}": kind for kind in contents}
    for file, kind in files.items():
        refuse_foreign(file, known[kind])
    for kind, is_own in _IS_OWN.items():
        earlier = folder / f"{series.name}.{kind}"
        if earlier.is_file() and is_own(earlier):
            earlier.unlink()
    for file, kind in files.items():
        with own_replaced(file, known[kind]) as part:
            part.write_bytes(contents[kind])
    return list(files)


def _is_svg(file: Path) -> bool:
    with file.open("rb") as opened:
        return _SVG.match(opened.read(_HEAD)) is not None


def _is_pdf(file: Path) -> bool:
    return file.read_bytes().endswith(_PDF_END)


def _is_png(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(_HEAD)[_IHDR_END:].startswith(_PNG_CHUNK)


_IS_OWN: Mapping[str, Callable[[Path], bool]] = {"svg": _is_svg, "pdf": _is_pdf, "png": _is_png}
"""Whether a picture is one that was drawn here, by its kind."""


def _pictures(drawn: Node) -> dict[str, bytes]:
    drawn.insert(1, element("style", style_sheet(DAY)))
    drawn.insert(2, element("rect", width="100%", height="100%", fill=DAY["ground"]))
    svg = ElementTree.tostring(drawn, encoding="unicode") + "\n"
    if not can_convert():
        return {"svg": svg.encode()}
    import vl_convert

    return {
        "svg": svg.encode(),
        "pdf": _same_bytes(vl_convert.svg_to_pdf(svg)) + _PDF_END,
        # A unit is 3/4 of a point.
        "png": _signed(vl_convert.svg_to_png(svg, scale=3 / 4, ppi=DPI)),
    }


def _signed(png: bytes) -> bytes:
    """The PNG with the name of the software that made it, as its format has it."""
    return png[:_IHDR_END] + _PNG_CHUNK + png[_IHDR_END:]


def _same_bytes(pdf: bytes) -> bytes:
    """The PDF with a fixed date and its names in order; nothing in it moves."""
    dated = _DATE.sub(rb"\g<1>20000101000000", pdf)
    return _NAMES.sub(lambda names: b"".join(sorted(names[0].splitlines(keepends=True))), dated)
