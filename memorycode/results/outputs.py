"""Reads recorded outputs, in the release's layout, into the same rows as those of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memorycode.datasets.outputs import RecordedDialogue, load_output, output_files
from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import UsageError
from memorycode.processes import spread
from memorycode.protocols import Scorer
from memorycode.results.answers import MISSING, SETTINGS, Answer, Source
from memorycode.results.asked_rules import RuleHistory
from memorycode.results.garbage_collection import paused_collection
from memorycode.running.plan import Question, plan_episodes
from memorycode.scoring.scorers import ScorerName, make_scorer

_CHUNK = 10
"""Dialogues that a process judges at a time."""


def read_outputs(
    dialogues: Sequence[Dialogue],
    folders: Sequence[Path],
    *,
    settings: Sequence[Setting] = SETTINGS,
    scorers: Sequence[ScorerName] = ("official",),
    workers: int = 1,
) -> list[Answer]:
    """Judge recorded outputs, a folder per model.

    Args:
        dialogues: What was asked about.
        folders: Each holds the outputs of one model, which it is named after.
        settings: Whose questions are looked at.
        scorers: Who judges.
        workers: On so many processes.

    Returns:
        An answer to every question at the last checkpoint, those not answered as missing ones;
        model by model, dialogue by dialogue. None of a setting that a model's files do not have.

    Raises:
        UsageError: Two folders have one name, or one holds none of the dialogues or settings.
        DatasetError: A file is not as it should be.
    """
    names = [folder.resolve().name for folder in folders]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise UsageError(f"two folders of recorded outputs are named {twice[0]}")
    for folder in folders:
        _check_holds_some(folder, dialogues)
    judge = _Judge(tuple(folders), tuple(settings), tuple(scorers))
    chunks = [dialogues[at : at + _CHUNK] for at in range(0, len(dialogues), _CHUNK)]
    with paused_collection():
        judged = list(spread(judge, chunks, workers))
    recorded = frozenset[_Recorded]().union(*(chunk.recorded for chunk in judged))
    for folder, name in zip(folders, names, strict=True):
        if not any((Source(name), setting) in recorded for setting in settings):
            wanted = " or ".join(settings)
            raise UsageError(f"{folder}: no answers of the setting {wanted} are recorded here")
    order = {Source(name): place for place, name in enumerate(names)}
    place = {dialogue.number: at for at, dialogue in enumerate(dialogues)}
    answers = [
        answer
        for chunk in judged
        for answer in chunk.answers
        if (answer.source, answer.setting) in recorded
    ]
    return sorted(answers, key=lambda one: (order[one.source], place[one.dialogue]))


def recorded_answers(
    history: RuleHistory,
    recorded: RecordedDialogue | None,
    source: Source,
    settings: Sequence[Setting],
    scorers: Sequence[Scorer],
) -> Iterator[Answer]:
    """The questions of one dialogue with a model's recorded answers, judged.

    Args:
        history: The dialogue, and what it says of its rules.
        recorded: What the model answered; None where nothing is recorded.
        source: The model.
        settings: Whose questions are looked at.
        scorers: Who judges.

    Returns:
        An answer to every question, those not answered as missing ones.
    """
    for setting in settings:
        for episode in plan_episodes(history.dialogue, setting, "last"):
            for question in episode.all_questions:
                given = recorded.answers(setting, question.session) if recorded else ()
                text = given[question.number] if question.number < len(given) else None
                yield _answer(history, question, text, source, scorers)


def surplus_answers(
    recorded: RecordedDialogue, answers: Sequence[Answer], settings: Sequence[Setting] = SETTINGS
) -> Mapping[Setting, int]:
    """How many recorded answers of a dialogue are answers to no question, by setting."""
    used = Counter(answer.setting for answer in answers if answer.failure != MISSING)
    sessions = range(len(recorded.sessions))
    return {
        setting: sum(len(recorded.answers(setting, at)) for at in sessions) - used[setting]
        for setting in settings
    }


def _answer(
    history: RuleHistory,
    question: Question,
    text: str | None,
    source: Source,
    scorers: Sequence[Scorer],
) -> Answer:
    verdicts = {}
    if text is not None:
        verdicts = {
            scorer.name: tuple(scorer.judge(text, question.rules, question.elicited))
            for scorer in scorers
        }
    return Answer(
        id=question.id(source.strategy, source.model),
        source=source,
        dialogue=question.dialogue,
        sessions=len(history.dialogue.sessions),
        setting=question.setting,
        session=question.session,
        number=question.number,
        rules=history.asked(question),
        verdicts=verdicts,
        causes={},
        failure=MISSING if text is None else "",
    )


_Recorded = tuple[Source, Setting]
"""A model, and a setting that a file of its has."""


class _Judged(NamedTuple):
    """The answers to some dialogues, and what the files of these have."""

    answers: list[Answer]
    recorded: frozenset[_Recorded]


@dataclass(frozen=True)
class _Judge:
    """Builds, in each process, what judges the answers to some dialogues."""

    folders: tuple[Path, ...]
    settings: tuple[Setting, ...]
    scorers: tuple[ScorerName, ...]

    def __call__(self) -> _Judging:
        return _Judging(self)


class _Judging:
    def __init__(self, what: _Judge) -> None:
        self._settings = what.settings
        self._scorers = [make_scorer(name) for name in what.scorers]
        self._files = [output_files(folder) for folder in what.folders]
        self._sources = [Source(folder.resolve().name) for folder in what.folders]

    def __call__(self, dialogues: Sequence[Dialogue]) -> _Judged:
        answers: list[Answer] = []
        found: set[_Recorded] = set()
        for dialogue in dialogues:
            history = RuleHistory(dialogue)
            for place, source in enumerate(self._sources):
                recorded = self._recorded(place, dialogue.number)
                if recorded is not None:
                    found.update((source, setting) for setting in recorded.settings)
                answers += recorded_answers(
                    history, recorded, source, self._settings, self._scorers
                )
        return _Judged(answers, frozenset(found))

    def _recorded(self, place: int, number: int) -> RecordedDialogue | None:
        file = self._files[place].get(number)
        return load_output(file, number) if file else None


def _check_holds_some(folder: Path, dialogues: Sequence[Dialogue]) -> None:
    numbers = output_files(folder).keys()
    if numbers.isdisjoint(dialogue.number for dialogue in dialogues):
        raise UsageError(f"{folder}: no recorded outputs for any of these dialogues")
