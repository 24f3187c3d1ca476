"""Reads a run's folder into rows: the only walk over its records.

Each planned question is one `Answer` per repeat, whatever became of it: the latest where it was
asked again, a missing one where it was never asked. A record of no planned question is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import RunFolderError, UsageError
from memorycode.prices import PriceList, load_prices
from memorycode.results.answers import MISSING, Answer, AskedRule, Attempt, Place, Source
from memorycode.results.asked_rules import RuleHistory
from memorycode.results.frames import Level, RunTable, to_frame
from memorycode.results.garbage_collection import paused_collection
from memorycode.results.question_frames import questions_table, rules_table
from memorycode.results.run_row import RunRow
from memorycode.results.strategy_frames import strategies_table
from memorycode.results.summary import RunReport, summarize_run
from memorycode.retrieval.top_k import TOOK_ALL
from memorycode.running.folder import RunFolder
from memorycode.running.judged import judged_by
from memorycode.running.manifest import Manifest, ModelEntry, StrategyEntry
from memorycode.running.plan import Question, plan_episodes
from memorycode.running.records import Record, TaskRecord

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Run:
    """A run as its folder tells it; `path` as it was given.

    `questions` are those planned for any of its strategies, by place. `lines` says of each answer
    that was recorded, by its id, where its line stands: texts stay in the folder.
    """

    path: str
    manifest: Manifest
    dialogues: Mapping[int, Dialogue]
    questions: Mapping[Place, Question]
    rows: Sequence[RunRow]
    lines: Mapping[str, int]

    @property
    def setting(self) -> Setting:
        return self.manifest.settings.setting

    @property
    def answers(self) -> Iterator[Answer]:
        """All rows' answers, row by row in the order of the manifest."""
        return chain.from_iterable(row.answers for row in self.rows)

    def report(self, prices: PriceList | None = None, further: Sequence[str] = ()) -> RunReport:
        """The run's tables. `prices` are those that `load_prices` finds, unless given; `further`
        are scorers besides ours, by name. Raises `UsageError` for one that has not judged it."""
        self.check_judged_by(further)
        known = prices or load_prices()
        return summarize_run(self.path, self.manifest, self.rows, known, further)

    def table(
        self, level: Level, prices: PriceList | None = None, further: Sequence[str] = ()
    ) -> RunTable:
        """The run as rows of named values: of each rule of each answer, of each answer, or of each
        strategy. docs/export.md says what the columns mean; scorers besides ours (`further`) have
        the same as ours."""
        self.check_judged_by(further)
        match level:
            case "rules":
                return rules_table(self.rows, self.questions, further)
            case "questions":
                return questions_table(self.rows, self.questions, further)
            case "strategies":
                return strategies_table(self.report(prices, further))

    def to_frame(
        self, level: Level, prices: PriceList | None = None, further: Sequence[str] = ()
    ) -> DataFrame:
        """`table` as a pandas data frame. Raises `NotInstalled` where pandas is not."""
        return to_frame(self.table(level, prices, further))

    def check_judged_by(self, further: Sequence[str]) -> None:
        """Raises `UsageError` where one of these scorers has not judged the run."""
        judges = judged_by(Path(self.path)) if further else ()
        if strangers := [name for name in further if name not in judges]:
            raise UsageError(
                f"{self.path}: not judged by {strangers[0]}, only by "
                f"{', '.join(judges) or 'nobody'}; memorycode rescore RUN --scorer SPEC makes up "
                "for it and asks no model"
            )


def read_runs(paths: Sequence[Path | str]) -> list[Run]:
    """Read several runs. Raises `UsageError` for one that is named twice, be it by two names, and
    `RunFolderError` as `read_run` does."""
    folders = [Path(path).resolve() for path in paths]
    for path, folder in zip(paths, folders, strict=True):
        if folders.count(folder) > 1:
            raise UsageError(f"{path} is named twice; name each run once")
    return [read_run(path) for path in paths]


def read_run(path: Path | str) -> Run:
    """Read a run's folder.

    Raises `RunFolderError` for a folder that is no run's or is damaged, for records and tasks of
    nothing that was planned, and for a record without a verdict for each of its rules.
    """
    with paused_collection():
        return _read(RunFolder(path), str(path))


def _read(folder: RunFolder, path: str) -> Run:
    manifest = folder.manifest
    dialogues = {dialogue.number: dialogue for dialogue in folder.dialogues()}
    plan = _Plan(manifest, dialogues)
    collected = {
        (model.name, entry.spec): _Collected(_source(path, model, entry), entry, plan)
        for model in manifest.settings.models
        for entry in manifest.settings.strategies
    }
    lines: dict[str, int] = {}
    for offset, record in folder.located_attempts():
        row = collected.get((record.model, record.strategy))
        if row is None:
            raise _not_planned(path, record)
        lines[row.add(record)] = offset
    for task in folder.tasks():
        if (task.model, task.strategy) not in collected:
            raise RunFolderError(f"{path}: a task of {task.strategy}, which was not planned")
        collected[task.model, task.strategy].tasks.append(task)
    models = {model.name: model for model in manifest.settings.models}
    return Run(
        path=path,
        manifest=manifest,
        dialogues=dialogues,
        questions=plan.questions,
        rows=[row.finished(models[name], dialogues) for (name, _), row in collected.items()],
        lines=lines,
    )


def report_run(
    path: Path | str, prices: PriceList | None = None, further: Sequence[str] = ()
) -> RunReport:
    """Read a run's folder and reduce it to its tables.

    The planned questions are the denominator: those without a record count as missing. `prices`
    are those that `load_prices` finds, unless given; `further` are scorers besides ours, by name.
    Raises `UsageError` for one that has not judged the run.
    """
    with paused_collection():
        return read_run(path).report(prices, further)


def attempt_of(record: Record) -> Attempt:
    """What a record says of the call that was made for it, or was not."""
    failed = record.outcome if record.failed else ""
    return Attempt(record.was_sent, failed, record.cached, record.spent, record.latency)


def _source(path: Path | str, model: ModelEntry, entry: StrategyEntry) -> Source:
    variant = entry.variants.get(model.name, "")
    return Source(model.name, entry.spec, entry.oracle, str(path), variant)


class _Plan:
    """What a run asks, by place, with what the dialogues say of the rules."""

    def __init__(self, manifest: Manifest, dialogues: Mapping[int, Dialogue]) -> None:
        settings = manifest.settings
        self.repeats = settings.repeats
        self.lengths = {number: len(dialogue.sessions) for number, dialogue in dialogues.items()}
        self.questions: dict[Place, Question] = {}
        self.rules: dict[Place, tuple[AskedRule | None, ...]] = {}
        is_every = any(entry.ask_after == "every" for entry in settings.strategies)
        for number, dialogue in dialogues.items():
            history = RuleHistory(dialogue)
            episodes = plan_episodes(dialogue, settings.setting, "every" if is_every else "last")
            for question in chain.from_iterable(episode.all_questions for episode in episodes):
                place = (number, question.setting, question.session, question.number)
                self.questions[place] = question
                self.rules[place] = history.asked(question)


@dataclass
class _Collected:
    """The answers of one row, while its records are read."""

    source: Source
    strategy: StrategyEntry
    plan: _Plan
    attempts: list[Attempt] = field(default_factory=list)
    tasks: list[TaskRecord] = field(default_factory=list)
    _latest: dict[tuple[Place, int], Answer] = field(default_factory=dict)

    def add(self, record: Record) -> str:
        """Takes a record in and gives its id. Raises `RunFolderError` for one that does not fit."""
        answer = self._answer(record)
        self._latest[answer.place, answer.repeat] = answer
        self.attempts.append(attempt_of(record))
        return record.id

    def finished(self, model: ModelEntry, dialogues: Mapping[int, Dialogue]) -> RunRow:
        return RunRow(
            source=self.source,
            model=model,
            strategy=self.strategy,
            dialogues=dialogues,
            answers=[*self._latest.values(), *self._missing()],
            attempts=self.attempts,
            tasks=self.tasks,
        )

    def _answer(self, record: Record) -> Answer:
        place = (record.dialogue, record.setting, record.session, record.number)
        if place not in self.plan.questions or not 0 <= record.repeat < self.plan.repeats:
            raise _not_planned(self.source.run, record)
        answer = Answer(
            id=record.id,
            source=self.source,
            dialogue=record.dialogue,
            sessions=self.plan.lengths[record.dialogue],
            setting=record.setting,
            session=record.session,
            number=record.number,
            rules=self.plan.rules[place],
            verdicts=record.verdicts,
            causes=record.causes,
            failure=record.outcome if record.failed else "",
            error=record.error,
            repeat=record.repeat,
            context_tokens=record.context_tokens,
            prompt_tokens=record.prompt_tokens,
            truncated=record.truncated is not None,
            took_all=record.notes.get(TOOK_ALL) is True,
            recalled=record.found,
        )
        if not self._is_asked(answer):
            raise _not_planned(self.source.run, record)
        if any(len(verdicts) != len(answer.rules) for verdicts in answer.verdicts.values()):
            raise RunFolderError(
                f"{self.source.run}: record {answer.id}: not a verdict for each of its rules"
            )
        return answer

    def _is_asked(self, answer: Answer) -> bool:
        """Whether this strategy is asked at that checkpoint; others may be at more of them."""
        return self.strategy.ask_after == "every" or answer.is_last_checkpoint

    def _missing(self) -> Iterator[Answer]:
        if len(self._latest) == self.strategy.planned:
            return
        for place, question in self.plan.questions.items():
            for repeat in range(self.plan.repeats):
                answer = self._never_asked(place, question, repeat)
                if (place, repeat) not in self._latest and self._is_asked(answer):
                    yield answer

    def _never_asked(self, place: Place, question: Question, repeat: int) -> Answer:
        number, setting, session, n = place
        asked = question.model_copy(update={"repeat": repeat})
        return Answer(
            id=asked.id(self.source.strategy, self.source.model),
            source=self.source,
            dialogue=number,
            sessions=self.plan.lengths[number],
            setting=setting,
            session=session,
            number=n,
            rules=self.plan.rules[place],
            verdicts={},
            causes={},
            failure=MISSING,
            repeat=repeat,
        )


def _not_planned(path: Path | str, record: Record) -> RunFolderError:
    return RunFolderError(f"{path}: record {record.id} belongs to no planned question")
