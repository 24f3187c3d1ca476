"""A run's recalled contexts by dialogue, so that no more than one dialogue's are in memory."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from memorycode.errors import RunFolderError
from memorycode.running.lines import load_lines_at, whole_lines
from memorycode.running.records import StoredContext


class ContextsByDialogue:
    """Where the contexts of each dialogue stand in their file; of two with one id the later. It can
    be sent to another process."""

    def __init__(self, file: Path, load_line: Callable[[bytes], StoredContext]) -> None:
        self._file, self._load = file, load_line
        self._offsets: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for offset, line in whole_lines(file):
            try:
                head = json.loads(line)
                self._offsets[head["dialogue"]][head["id"]] = offset
            except (ValueError, KeyError, TypeError) as error:
                raise RunFolderError(f"{file}, byte {offset}: not a line of a run") from error

    def of(self, dialogue: int) -> Iterator[StoredContext]:
        """The contexts of one dialogue, by their ids."""
        known = self._offsets.get(dialogue)
        if known:
            yield from load_lines_at(self._file, (known[id_] for id_ in sorted(known)), self._load)
