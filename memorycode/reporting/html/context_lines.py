"""A run's recalled contexts by dialogue, so that no more than one dialogue's are in memory."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from memorycode.errors import RunFolderError
from memorycode.problems import first_problem
from memorycode.running.folder import CONTEXTS, RunFolder
from memorycode.running.records import StoredContext


class ContextLines:
    """Where the contexts of each dialogue stand in their file; of two with one id the later."""

    def __init__(self, folder: RunFolder) -> None:
        self._file = folder.path / CONTEXTS
        self._offsets: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for offset, line in _whole_lines(self._file):
            try:
                head = json.loads(line)
                self._offsets[head["dialogue"]][head["id"]] = offset
            except (ValueError, KeyError, TypeError) as error:
                raise RunFolderError(f"{self._file}, byte {offset}: not a line of a run") from error

    def of(self, dialogue: int) -> Iterator[StoredContext]:
        """The contexts of one dialogue, by their ids."""
        known = self._offsets.get(dialogue, {})
        if not known:
            return
        with self._file.open("rb") as lines:
            for id_ in sorted(known):
                lines.seek(known[id_])
                try:
                    yield StoredContext.model_validate_json(lines.readline())
                except ValidationError as error:
                    where = f"{self._file}, byte {known[id_]}"
                    raise RunFolderError(f"{where}: {first_problem(error)}") from error


def _whole_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines with where they begin; a half-written last one is left out."""
    if not file.exists():
        return
    offset = 0
    with file.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield offset, line
            offset += len(line)
