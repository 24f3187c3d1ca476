"""Changes the lines of a run's folder for tests, with checksums that fit."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import RootModel

from memorycode.running.lines import Sealed, seal, unseal

Fields = dict[str, Any]


def read_lines(file: Path) -> list[Fields]:
    """The objects of a file, without their checksums."""
    return [json.loads(unseal(line)[0]) for line in _lines(file)]


def write_lines(file: Path, lines: Iterable[Fields]) -> None:
    file.write_bytes(b"".join(sealed(line).line for line in lines))


def sealed(fields: Fields) -> Sealed:
    return seal(RootModel[Fields](fields))


def change_asked(run: Path, change: Callable[[Fields], Sequence[Fields]]) -> None:
    """Put other lines in the place of each asked line; what was judged of it holds for them too."""
    before = read_lines(run / "asked.jsonl")
    put_asked(run, [(new, old["id"]) for old in before for new in change(old)])


def put_asked(run: Path, lines: Sequence[tuple[Fields, str]]) -> None:
    """Put lines in the place of all that was asked; what was judged of the question whose id stands
    beside holds for a line."""
    new = [sealed(fields) for fields, _ in lines]
    (run / "asked.jsonl").write_bytes(b"".join(line.line for line in new))
    for file in [*(run / "judged").iterdir(), *(run / "recalled").iterdir()]:
        head, *judged = read_lines(file)
        by_id = {line["id"]: line for line in judged}
        changed = [
            by_id[old] | {"id": fields["id"], "asked": line.checksum}
            for (fields, old), line in zip(lines, new, strict=True)
            if old in by_id
        ]
        write_lines(file, [head, *changed])


def _lines(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


def all_bytes(folder: Path) -> bytes:
    """What stands in all files of a folder, unpacked."""
    found = []
    for file in sorted(folder.rglob("*")):
        content = file.read_bytes() if file.is_file() else b""
        found.append(gzip.decompress(content) if file.suffix == ".gz" else content)
    return b"\n".join(found)
