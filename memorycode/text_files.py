"""Text files that a user brings, read in one way: a regular file, packed by gzip or not, in UTF-8
or, where it begins with a byte order mark, in what that says.

Everything here raises `Unreadable`; whoever reads makes an error of its own of it, with the file.
"""

from __future__ import annotations

import codecs
import json
import os
import stat
import tomllib
import zlib
from gzip import BadGzipFile, GzipFile
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from memorycode.errors import Unreadable

PACKED = ".gz"
MAX_UNPACKED = 256 * 2**20
"""Bytes that a packed file may unpack to: a few kilobytes can stand for any number of them."""

_GZIP_MAGIC = b"\x1f\x8b"
_MARKS = {  # UTF-32's begins with UTF-16's
    codecs.BOM_UTF8: "UTF-8",
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
}


def plain_suffix(file: Path) -> str:
    """The suffix of a file's name, of what is packed where it is packed (``.json`` of
    ``rows.json.gz``)."""
    return Path(file.name.removesuffix(PACKED)).suffix


def open_regular(file: Path) -> BinaryIO:
    """A regular file, open for reading. A pipe that nobody writes to is refused, not waited for."""
    try:
        kind = stat.S_IFMT(file.stat().st_mode)
        if kind == stat.S_IFREG:
            # Something else may stand there by now: it is opened without waiting, and looked at.
            stream = open(file, "rb", opener=_without_waiting)  # noqa: SIM115
            kind = stat.S_IFMT(os.fstat(stream.fileno()).st_mode)
            if kind == stat.S_IFREG:
                return stream
            stream.close()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a name with a NUL in it
        raise Unreadable(f"cannot be read: {error}") from error
    raise Unreadable(f"cannot be read: it is {_KINDS.get(kind, 'no file')}; want a file")


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_text(file: Path) -> str:
    """The text of a file, without its byte order mark, its line ends as they are."""
    with open_regular(file) as stream:
        try:
            data = stream.read()
        except OSError as error:
            raise Unreadable(f"cannot be read: {error.strerror or error}") from error
    return text_of(data)


def text_of(data: bytes) -> str:
    """The text that bytes of a file are, as `read_text` reads it."""
    if data.startswith(_GZIP_MAGIC):
        data = _unpacked(data)
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "UTF-8")
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"not {encoding} text (byte {error.start}, line {line}); save it as UTF-8"
        ) from error


def _unpacked(data: bytes) -> bytes:
    try:
        with GzipFile(fileobj=BytesIO(data)) as packed:
            found = packed.read(MAX_UNPACKED + 1)
    except EOFError as error:
        raise Unreadable("packed by gzip and cut off: its end is missing") from error
    except (BadGzipFile, zlib.error) as error:
        raise Unreadable(f"packed by gzip and damaged: {error}") from error
    if len(found) > MAX_UNPACKED:
        raise Unreadable(
            f"packed by gzip, and more than {MAX_UNPACKED >> 20} MiB when unpacked; unpack it first"
        )
    return found


def parse_toml(text: str) -> dict[str, Any]:
    """What a TOML text says."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise Unreadable("not TOML that can be read: nested too deeply") from error
    except ValueError as error:
        raise Unreadable(f"not TOML: {error}") from error


def read_toml(file: Path) -> dict[str, Any]:
    """What a TOML file says."""
    return parse_toml(read_text(file))


def parse_json(text: str) -> Any:
    """The value of a JSON text. What JSON does not have is refused, and so is a field that stands
    in an object twice, one of which would be lost."""
    if not text.strip():
        raise Unreadable("not JSON: it is empty")
    try:
        return json.loads(text, parse_constant=_no_number, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"not JSON: {error.msg} ({place})") from error
    except ValueError as error:  # or a whole number of more digits than Python reads
        raise Unreadable(f"not JSON of this layout: {error}") from error
    except RecursionError as error:
        raise Unreadable("not JSON of this layout: nested too deeply") from error


def parse_json_rows(text: str) -> list[Any]:
    """The values of a JSON list, or of the lines of JSONL."""
    if text.lstrip().startswith("["):
        rows: list[Any] = parse_json(text)
        return rows
    return [_line(line, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _line(line: str, number: int) -> Any:
    try:
        return parse_json(line)
    except Unreadable as error:
        raise Unreadable(error.problem, where=f"line {number}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the field {twice!r:.60} stands in one object twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")
