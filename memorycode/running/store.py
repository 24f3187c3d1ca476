"""What stands where in a run's folder, and the reader of format 2 (docs/run-format.md)."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from memorycode.datasets.release import parse_dialogue
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError, RunFolderError
from memorycode.running.contexts_by_dialogue import ContextsByDialogue
from memorycode.running.judged import (
    JUDGED,
    RECALLED,
    JudgedLine,
    Matched,
    latest_files,
    read_judged,
)
from memorycode.running.lines import (
    load,
    load_lines,
    load_lines_at,
    load_with_checksum,
    locate_lines,
    problem_of,
)
from memorycode.running.manifest import FORMAT, Manifest
from memorycode.running.records import (
    ANSWERED,
    UNJUDGED,
    AskedRecord,
    Record,
    StoredContext,
    TaskRecord,
)
from memorycode.scoring.rule_cache import WordingReader
from memorycode.scoring.scorers import SCORER_NAMES

MANIFEST, DIALOGUES = "manifest.json", "dialogues.jsonl.gz"
CONTEXTS, ASKED, TASKS = "contexts.jsonl", "asked.jsonl", "tasks.jsonl"
LOCK, LOG = "lock", "run.log"
CACHE = "cache.sqlite"


class Format2Reader:
    """Reads a folder of format 2."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def manifest(self) -> Manifest:
        return read_manifest(self.path / MANIFEST)

    def located_attempts(self) -> Iterator[tuple[int, Record]]:
        """Every asked line, in order, with where it begins and what the judged files say of it."""
        judged = {
            name: Matched(read_judged(file))
            for name, file in latest_files(self.path / JUDGED).items()
        }
        recalled = recalled_file(self.path)
        found = Matched(read_judged(recalled)) if recalled else None
        lines = locate_lines(self.path / ASKED, partial(load_with_checksum, AskedRecord))
        for offset, (asked, checksum) in lines:
            said = {
                name: None if asked.failed else of_scorer.take(checksum)
                for name, of_scorer in judged.items()
            }
            has = found.take(checksum) if found and asked.context else None
            yield offset, joined(asked, said, has)

    def attempts_at(self, offsets: Iterable[int]) -> Iterator[AskedRecord]:
        """What was asked in the lines that begin there."""
        return load_lines_at(self.path / ASKED, offsets, partial(load, AskedRecord))

    def asked(self) -> Iterator[tuple[AskedRecord, str]]:
        """Every asked line, in order, with its checksum."""
        return load_lines(self.path / ASKED, partial(load_with_checksum, AskedRecord))

    def asked_at(self, offsets: Iterable[int]) -> Iterator[tuple[AskedRecord, str]]:
        """The asked lines that begin there, each with its checksum."""
        load_line = partial(load_with_checksum, AskedRecord)
        return load_lines_at(self.path / ASKED, offsets, load_line)

    def tasks(self) -> Iterator[TaskRecord]:
        return load_lines(self.path / TASKS, partial(load, TaskRecord))

    def contexts(self) -> Iterator[StoredContext]:
        return load_lines(self.path / CONTEXTS, partial(load, StoredContext))

    def contexts_by_dialogue(self) -> ContextsByDialogue:
        return ContextsByDialogue(self.path / CONTEXTS, partial(load, StoredContext))


def recalled_file(folder: Path) -> Path | None:
    """The file of what the reader that runs use found in a run's recalls; None if there is none."""
    return latest_files(folder / RECALLED).get(WordingReader.name)


def joined(
    asked: AskedRecord, judged: Mapping[str, JudgedLine | None], recalled: JudgedLine | None
) -> Record:
    """What was asked with what was made of it, by scorer. Where one of ours has not judged it yet,
    nothing has been made of it; a further scorer may have come and gone."""
    outcome = asked.outcome
    lines = {name: line for name, line in judged.items() if line is not None and not asked.failed}
    if outcome == ANSWERED and any(name not in lines for name in SCORER_NAMES):
        outcome, lines = UNJUDGED, {}
    # All of it was validated before.
    return Record.model_construct(
        **vars(asked)
        | {
            "outcome": outcome,
            "verdicts": {name: line.verdicts for name, line in lines.items()},
            "causes": {name: line.causes for name, line in lines.items() if line.causes},
            "found": recalled.found if recalled else None,
        }
    )


def read_manifest(
    file: Path, parse: Callable[[bytes], Manifest] = Manifest.model_validate_json
) -> Manifest:
    """Raises `RunFolderError` for a damaged file."""
    try:
        return parse(file.read_bytes())
    except (OSError, ValueError) as error:
        raise RunFolderError(f"{file}: {problem_of(error)}") from error


def format_of(folder: Path) -> int:
    """The format that a folder's manifest says it has; this version's where it says nothing."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        format_ = json.loads((folder / MANIFEST).read_bytes())["format"]
        if isinstance(format_, int):
            return format_
    return FORMAT  # whose reader says what is wrong with it


def read_dialogues(file: Path) -> tuple[Dialogue, ...]:
    """Raises `RunFolderError` for a damaged file."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return tuple(
            parse_dialogue(row["dialogue"], file=file, number=row["number"]) for row in rows
        )
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"{file}: damaged: {type(error).__name__}: {error}") from error
    except DatasetError as error:
        raise RunFolderError(f"damaged: {error}") from error
