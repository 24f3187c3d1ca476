"""Changes the lines of a run's folder for tests, with checksums that fit."""

from __future__ import annotations

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
    became: dict[str, list[tuple[str, str]]] = {}
    written = []
    for line in _lines(run / "asked.jsonl"):
        content, checksum = unseal(line)
        became[checksum] = []
        for fields in change(json.loads(content)):
            new = sealed(fields)
            written.append(new.line)
            became[checksum].append((fields["id"], new.checksum))
    (run / "asked.jsonl").write_bytes(b"".join(written))
    for file in [*(run / "judged").iterdir(), *(run / "recalled").iterdir()]:
        head, *lines = read_lines(file)
        changed = [
            line | {"id": id_, "asked": asked}
            for line in lines
            for id_, asked in became[line["asked"]]
        ]
        write_lines(file, [head, *changed])


def _lines(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)
