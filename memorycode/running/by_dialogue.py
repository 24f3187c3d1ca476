"""A run's lines by dialogue, so that no more than one dialogue's are in memory at a time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from memorycode.errors import RunFolderError
from memorycode.running.lines import problem_of, whole_lines
from memorycode.running.records import Record, StoredContext

Loaded = TypeVar("Loaded")


class RunByDialogue(Protocol):
    """What a run has of each dialogue. It can be sent to another process."""

    def records(self, dialogue: int, /) -> Iterator[Record]:
        """The latest record of each question, in order of their ids."""
        ...

    def contexts(self, dialogue: int, /) -> Iterator[StoredContext]: ...


class LinesByDialogue(Generic[Loaded]):
    """Where the lines of each dialogue stand in a JSON-lines file; of two with one id the later."""

    def __init__(self, file: Path, load_line: Callable[[bytes], Loaded], *, skip: int = 0) -> None:
        """`load_line` makes of a line what it stands for; the first lines may be left out."""
        self._file, self._load = file, load_line
        self._offsets: defaultdict[int, dict[str, int]] = defaultdict(dict)
        offset = 0
        for number, line in enumerate(whole_lines(file)):
            if number >= skip:
                try:
                    head = json.loads(line)
                    self._offsets[_dialogue_of(head)][head["id"]] = offset
                except (ValueError, KeyError, TypeError) as error:
                    raise RunFolderError(f"{file}, byte {offset}: not a line of a run") from error
            offset += len(line)

    def of(self, dialogue: int) -> Iterator[Loaded]:
        """The lines of one dialogue, in order of their ids."""
        known = self._offsets.get(dialogue, {})
        if not known:
            return
        with self._file.open("rb") as lines:
            for id_ in sorted(known):
                lines.seek(known[id_])
                try:
                    yield self._load(lines.readline())
                except ValueError as error:
                    where = f"{self._file}, byte {known[id_]}"
                    raise RunFolderError(f"{where}: {problem_of(error)}") from error


def _dialogue_of(head: dict[str, Any]) -> int:
    """The number of a line's dialogue, which the id of a question begins with."""
    return int(head["dialogue"] if "dialogue" in head else head["id"].partition("/")[0])
