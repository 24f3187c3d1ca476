"""JSON lines that carry a checksum of their own bytes (docs/run-format.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from memorycode.errors import RunFolderError
from memorycode.validation_messages import first_problem

Line = TypeVar("Line", bound=BaseModel)
Loaded = TypeVar("Loaded")

_FIELD = b',"checksum":"'
_DIGITS = 16
_END = b'"}\n'
_LENGTH = len(_FIELD) + _DIGITS + len(_END)


class Sealed(NamedTuple):
    """A line that is written, and its checksum."""

    line: bytes
    checksum: str


def seal(model: BaseModel) -> Sealed:
    """The line of a model, without the fields that have their default."""
    return seal_content(model.model_dump_json(exclude_defaults=True).encode())


def seal_content(content: bytes) -> Sealed:
    """The line of a JSON object that is not empty."""
    checksum = _checksum(content)
    return Sealed(content[:-1] + _FIELD + checksum.encode() + _END, checksum)


def unseal(line: bytes) -> tuple[bytes, str]:
    """The JSON of a line without its checksum, and the checksum. Raises `ValueError` for a line
    that is not as it was written."""
    content, tail = line[:-_LENGTH] + b"}", line[-_LENGTH:]
    if not (tail.startswith(_FIELD) and tail.endswith(_END)):
        raise ValueError("it does not end in a checksum")
    checksum = _checksum(content)
    if tail[len(_FIELD) : -len(_END)] != checksum.encode():
        raise ValueError("the checksum does not fit: the line was changed after it was written")
    return content, checksum


def load(kind: type[Line], line: bytes) -> Line:
    """A model from its line. Raises `ValueError`."""
    return kind.model_validate_json(unseal(line)[0])


def load_with_checksum(kind: type[Line], line: bytes) -> tuple[Line, str]:
    """A model from its line, and the line's checksum. Raises `ValueError`."""
    content, checksum = unseal(line)
    return kind.model_validate_json(content), checksum


def whole_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with where they begin, none if there is no file; a half-written last one
    is left out."""
    if not file.exists():
        return
    offset = 0
    with file.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield offset, line
            offset += len(line)


def load_lines(
    file: Path, load_line: Callable[[bytes], Loaded], *, skip: int = 0
) -> Iterator[Loaded]:
    """What the whole lines of a file hold, but for the first few. Raises `RunFolderError`, with
    file and line, where `load_line` raises `ValueError`."""
    return (loaded for _, loaded in locate_lines(file, load_line, skip=skip))


def locate_lines(
    file: Path, load_line: Callable[[bytes], Loaded], *, skip: int = 0
) -> Iterator[tuple[int, Loaded]]:
    """The same, each with where its line begins."""
    for number, (offset, line) in islice(enumerate(whole_lines(file), start=1), skip, None):
        try:
            yield offset, load_line(line)
        except ValueError as error:
            raise RunFolderError(f"{file}, line {number}: {problem_of(error)}") from error


def load_lines_at(
    file: Path, offsets: Iterable[int], load_line: Callable[[bytes], Loaded]
) -> Iterator[Loaded]:
    """What the lines hold that begin there. Raises `RunFolderError` as `load_lines` does."""
    with file.open("rb") as lines:
        for offset in offsets:
            lines.seek(offset)
            try:
                yield load_line(lines.readline())
            except ValueError as error:
                raise RunFolderError(f"{file}, byte {offset}: {problem_of(error)}") from error


def drop_half_line(file: Path) -> None:
    """Truncate the file after its last line end."""
    if not file.exists():
        return
    with file.open("r+b") as opened:
        end = opened.seek(0, 2)
        kept = end
        while kept:
            start = max(0, kept - 65_536)
            opened.seek(start)
            found = opened.read(kept - start).rfind(b"\n")
            if found >= 0:
                kept = start + found + 1
                break
            kept = start
        if kept < end:
            opened.truncate(kept)


def problem_of(error: OSError | ValueError) -> str:
    """What is wrong with a file, in words for its owner."""
    if isinstance(error, ValidationError):
        return first_problem(error)
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]
