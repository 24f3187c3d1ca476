"""Files of what scorers say of a run's answers, and of what a reader of rules found in its recalls.

They follow from the rest of the folder and can be made again at any time (docs/run-format.md).
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from memorycode.errors import RunFolderError
from memorycode.frozen import Frozen
from memorycode.plugins import CheckedScorer
from memorycode.protocols import RuleReader, Scorer, Verdict
from memorycode.running.lines import drop_half_line, load, load_lines, problem_of, seal, whole_lines
from memorycode.scoring.attribution import Cause, RulesFound
from memorycode.whole_file import remove_parts, written_whole

JUDGED, RECALLED = "judged", "recalled"
"""The folders of what scorers say and of what readers of rules found."""


class JudgedHead(Frozen):
    """Who judged, and with what: the first line of a file. `scorer` is empty where only a reader of
    rules was at work. `source` is the hash of a plug-in's source: verdicts of two versions of it do
    not stand in one file."""

    scorer: str = ""
    revision: int = 0
    reader: str
    reader_revision: int
    python: str
    memorycode: str
    source: str = ""

    @property
    def file(self) -> Path:
        """Where the file stands in a run's folder."""
        if self.scorer:
            return Path(JUDGED, f"{quote(self.scorer, safe='')}@{self.revision}.jsonl")
        return Path(RECALLED, f"{quote(self.reader, safe='')}@{self.reader_revision}.jsonl")

    def judges_as(self, other: JudgedHead) -> bool:
        """Whether the verdicts of both may stand in one file."""
        return self._judge == other._judge

    @property
    def _judge(self) -> dict[str, Any]:
        grammar = self.python.split(".")[:2]
        return self.model_dump(exclude={"python", "memorycode"}) | {"grammar": grammar}


class JudgedLine(Frozen):
    """What one file says of one asked line, which `asked`, its checksum, names: a scorer's verdicts
    and causes, or what a reader found."""

    id: str
    asked: str
    verdicts: tuple[Verdict, ...] = ()
    causes: Mapping[int, Cause] = {}
    found: RulesFound | None = None


REPLACEABLE = "it can be deleted: the command of the run makes it again and asks no model"


def heads_of(scorers: Sequence[Scorer], reader: RuleReader) -> list[JudgedHead]:
    """The heads of the files that these scorers and this reader write here and now."""
    head = JudgedHead(
        reader=reader.name,
        reader_revision=reader.revision,
        python=platform.python_version(),
        memorycode=version("memorycode"),
    )
    judges = (
        {
            "scorer": scorer.name,
            "revision": scorer.revision,
            "source": scorer.source if isinstance(scorer, CheckedScorer) else "",
        }
        for scorer in scorers
    )
    return [*(head.model_copy(update=judge) for judge in judges), head]


def read_head(file: Path) -> JudgedHead:
    """Raises `RunFolderError` for a file that has none."""
    try:
        return load(JudgedHead, next(whole_lines(file))[1])
    except (OSError, ValueError, StopIteration) as error:
        what = "empty" if isinstance(error, StopIteration) else problem_of(error)
        raise RunFolderError(f"{file}, line 1: {what}; {REPLACEABLE}") from error


def read_judged(file: Path) -> Iterator[JudgedLine]:
    """The lines below the head. Raises `RunFolderError` with file and line."""
    try:
        yield from load_lines(file, partial(load, JudgedLine), skip=1)
    except RunFolderError as error:
        raise RunFolderError(f"{error}; {REPLACEABLE}") from error


def latest_files(folder: Path) -> dict[str, Path]:
    """The files in a folder of judged files by the name of their scorer or reader; of several
    revisions the highest."""
    found: dict[str, tuple[int, Path]] = {}
    for file in sorted(folder.glob("*@*.jsonl")):
        name, _, revision = file.stem.rpartition("@")
        if revision.isdecimal() and found.get(name, (-1, file))[0] < int(revision):
            found[name] = int(revision), file
    return {unquote(name): file for name, (_, file) in found.items()}


def judged_by(folder: Path) -> tuple[str, ...]:
    """The names of the scorers that have judged a run; none where their verdicts stand in its
    records (format 1)."""
    return tuple(latest_files(folder / JUDGED))


def replace_judged(file: Path, head: JudgedHead, lines: Iterable[JudgedLine] = ()) -> None:
    """Write a file anew, and put it in its place once it is whole."""
    file.parent.mkdir(exist_ok=True)
    remove_parts(file.parent)
    with written_whole(file) as part, part.open("wb") as opened:
        opened.write(seal(head).line)
        opened.writelines(seal(line).line for line in lines)


class JudgedAppender:
    """Appends to a judged file while a run goes on. `known` are the checksums of the asked lines
    that stood in it on opening."""

    def __init__(self, folder: Path, head: JudgedHead) -> None:
        """Go on in the file of that head; one that another judge wrote is begun anew.

        Raises `RunFolderError` for a damaged one.
        """
        file = folder / head.file
        drop_half_line(file)
        if not file.exists() or not read_head(file).judges_as(head):
            replace_judged(file, head)
        self.known = {line.asked for line in read_judged(file)}
        self._file = file.open("ab")

    def add(self, line: JudgedLine) -> None:
        """Append the line, unless there was one about the same asked line on opening."""
        if line.asked in self.known:
            return
        self._file.write(seal(line).line)
        self._file.flush()

    def __enter__(self) -> JudgedAppender:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


class Matched:
    """Gives each asked line what a judged file says of it. Both are in nearly the same order, so
    that few lines wait in memory for theirs."""

    def __init__(self, lines: Iterator[JudgedLine]) -> None:
        self._lines = lines
        self._waiting: dict[str, JudgedLine] = {}

    def take(self, asked: str) -> JudgedLine | None:
        """What the file says of the asked line of that checksum; each line is given once."""
        if asked in self._waiting:
            return self._waiting.pop(asked)
        for line in self._lines:
            if line.asked == asked:
                return line
            self._waiting[line.asked] = line
        return None
