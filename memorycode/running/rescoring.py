"""Judges the answers of a run again, or by another scorer. No model is asked and no record changed.

A judged file is put in its place once it is whole: whatever ends this before leaves the run as it
was, and the same call makes the file (docs/run-format.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from memorycode.datasets import dataset_hash
from memorycode.dialogue import Dialogue
from memorycode.errors import RunFolderError, UsageError
from memorycode.frozen import Frozen
from memorycode.models.secrets import Secrets
from memorycode.protocols import Recall, RuleReader, Scorer
from memorycode.running.contexts import ContextStore
from memorycode.running.judged import (
    JUDGED,
    JudgedHead,
    JudgedLine,
    heads_of,
    latest_files,
    read_head,
    replace_judged,
)
from memorycode.running.judging import planned_questions
from memorycode.running.lines import load_with_checksum, locate_lines
from memorycode.running.lock import lock_folder
from memorycode.running.manifest import FORMAT, RunSettings
from memorycode.running.records import AskedRecord
from memorycode.running.redaction import refuse_secret_names
from memorycode.running.store import (
    ASKED,
    DIALOGUES,
    MANIFEST,
    Format2Reader,
    format_of,
    read_dialogues,
)
from memorycode.scoring.rule_cache import WordingReader


class RescoringWatcher(Protocol):
    """Is told of every answer that is judged; for progress bars."""

    def start(self, total: int, done: int) -> None: ...

    def advance(self) -> None: ...


class Rescored(Frozen):
    """A judged file that was written, relative to the run's folder, and how many answers it has."""

    scorer: str
    revision: int
    file: str
    answers: int


def rescore(
    run: Path | str, scorers: Sequence[Scorer], progress: RescoringWatcher
) -> list[Rescored]:
    """Write a judged file for each scorer.

    Args:
        run: The run's folder, in format 2.
        scorers: Who judges; no two of one name.
        progress: Is told of every answer.

    Returns:
        What was written, by scorer.

    Raises:
        RunFolderError: no such run is there, its data or a line of it was changed, or another
            process is writing in it.
        UsageError: a later revision of a scorer has judged the run before.
        PluginError: a scorer raises, or says what is no verdict; what it said before is dropped.
    """
    folder = Path(run)
    _check_format(folder)
    with lock_folder(folder):
        answers = _Answers.read(folder)
        heads = heads_of(scorers, answers.rule_reader)
        _check_revisions(folder, heads)
        refuse_secret_names(Secrets.known_to(), "scorer", [scorer.name for scorer in scorers])
        progress.start(len(scorers) * answers.count, 0)
        for scorer, head in zip(scorers, heads, strict=False):  # the last is of the reader of rules
            replace_judged(folder / head.file, head, _told(answers.judged_by(scorer), progress))
    return [
        Rescored(
            scorer=head.scorer,
            revision=head.revision,
            file=head.file.as_posix(),
            answers=answers.count,
        )
        for head in heads
        if head.scorer
    ]


def _told(lines: Iterable[JudgedLine], progress: RescoringWatcher) -> Iterator[JudgedLine]:
    for line in lines:
        yield line
        progress.advance()


@dataclass(frozen=True)
class _Place:
    """Where an asked line with an answer begins, and the question that it answers."""

    offset: int
    id: str


@dataclass(frozen=True)
class _Answers:
    """The answers of a run, whose texts stay in the folder, by dialogue in the order in which these
    were first asked about."""

    folder: Path
    reader: Format2Reader
    settings: RunSettings
    dialogues: dict[int, Dialogue]
    places: dict[int, list[_Place]]
    rule_reader: RuleReader

    @classmethod
    def read(cls, folder: Path) -> _Answers:
        """Reads every line once, so that nothing is written where one was changed."""
        reader = Format2Reader(folder)
        dialogues = read_dialogues(folder / DIALOGUES)
        settings = reader.manifest().settings
        if dataset_hash(dialogues) != settings.dataset_hash:
            raise RunFolderError(
                f"{folder / DIALOGUES}: not the dialogues that the run was made with: "
                f"{MANIFEST} has another hash"
            )
        known = {context.id for context in reader.contexts()}
        places: dict[int, list[_Place]] = {}
        lines = locate_lines(folder / ASKED, partial(load_with_checksum, AskedRecord))
        for offset, (record, _) in lines:
            # One whose context is not there counts as not asked.
            if not record.failed and record.context in known:
                places.setdefault(record.dialogue, []).append(_Place(offset, record.id))
        by_number = {dialogue.number: dialogue for dialogue in dialogues}
        answers = cls(folder, reader, settings, by_number, places, WordingReader())
        answers._refuse_unplanned()
        return answers

    @property
    def count(self) -> int:
        return sum(map(len, self.places.values()))

    def judged_by(self, scorer: Scorer) -> Iterator[JudgedLine]:
        """What a scorer says of each answer. One dialogue's answers are in memory at a time."""
        contexts = self.reader.contexts_by_dialogue()
        for number, places in self.places.items():
            store = ContextStore(self.dialogues[number])
            recalls = {c.id: store.restore(c) for c in contexts.of(number)}
            yield from self._of_dialogue(number, places, recalls, scorer)

    def _of_dialogue(
        self, number: int, places: Sequence[_Place], recalls: dict[str, Recall], scorer: Scorer
    ) -> Iterator[JudgedLine]:
        asked: dict[str, list[tuple[AskedRecord, str]]] = {}
        for record, checksum in self.reader.asked_at(place.offset for place in places):
            asked.setdefault(record.id, []).append((record, checksum))
        dialogue = self.dialogues[number]
        for planned in planned_questions(self.settings, dialogue, (scorer,), self.rule_reader):
            for record, checksum in asked.get(planned.id, ()):
                recall = recalls[record.context]
                said = planned.judge.said(record, planned.question, recall, scorer)
                yield JudgedLine(
                    id=record.id, asked=checksum, verdicts=said.verdicts, causes=said.causes
                )

    def _refuse_unplanned(self) -> None:
        for number, places in self.places.items():
            dialogue = self.dialogues.get(number)
            planned: set[str] = set()
            if dialogue is not None:
                found = planned_questions(self.settings, dialogue, (), self.rule_reader)
                planned = {one.id for one in found}
            for place in places:
                if place.id not in planned:
                    raise RunFolderError(
                        f"{self.folder}: record {place.id} belongs to no planned question"
                    )


def _check_format(folder: Path) -> None:
    if not (folder / MANIFEST).is_file():
        raise RunFolderError(f"{folder}: no run here (no {MANIFEST})")
    if (format_ := format_of(folder)) != FORMAT:
        raise RunFolderError(
            f"{folder}: a run of format {format_}, whose verdicts stand in its records, cannot be "
            f"scored again; run it anew (--cache asks nobody for its answers again), which writes "
            f"format {FORMAT}"
        )


def _check_revisions(folder: Path, heads: Sequence[JudgedHead]) -> None:
    latest = latest_files(folder / JUDGED)
    for head in heads:
        file = latest.get(head.scorer)
        if file is not None and (there := read_head(file).revision) > head.revision:
            raise UsageError(
                f"{file}: revision {there} of {head.scorer} has judged this run, and counts; this "
                f"is revision {head.revision}: raise it, or delete the file"
            )
