"""What is made of answers without asking anybody: verdicts, causes, and what recalls had."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memorycode.dialogue import Dialogue
from memorycode.errors import PluginError
from memorycode.protocols import Recall, RuleReader, Scorer, Verdict
from memorycode.running.contexts import ContextStore
from memorycode.running.folder import RunFolder
from memorycode.running.job import Job
from memorycode.running.manifest import RunSettings
from memorycode.running.plan import Episode, Question, plan_episodes
from memorycode.running.records import AskedRecord, Judgement
from memorycode.running.writer import RunWriter
from memorycode.scoring.attribution import Attributor, Causes, RulesFound


class Said(NamedTuple):
    """What one scorer says of an answer: a verdict for each rule, and where violated ones were
    lost."""

    verdicts: tuple[Verdict, ...]
    causes: Causes


class AnswerJudge:
    """Judges the answers to the questions of one episode."""

    def __init__(
        self,
        scorers: Sequence[Scorer],
        reader: RuleReader,
        dialogue: Dialogue,
        episode: Episode,
    ) -> None:
        """`reader` finds the rules that transcripts and recalls state."""
        self._scorers = scorers
        self._attributor = Attributor(episode.sessions, dialogue.context.speakers, reader)
        self._latest: tuple[Question, Recall, RulesFound] | None = None

    def judgement(self, record: AskedRecord, question: Question, recall: Recall) -> Judgement:
        """What scorers say of an answer, and what its recall had; of a failure the latter alone."""
        scorers = () if record.failed else self._scorers
        said = {scorer.name: self.said(record, question, recall, scorer) for scorer in scorers}
        return Judgement(
            id=record.id,
            verdicts={name: one.verdicts for name, one in said.items()},
            causes={name: one.causes for name, one in said.items() if one.causes},
            found=self._found(question, recall),
        )

    def said(self, record: AskedRecord, question: Question, recall: Recall, scorer: Scorer) -> Said:
        """What one scorer says of an answer.

        Args:
            record: Has the answer.
            question: What was asked.
            recall: What it was asked with.
            scorer: Who judges.

        Raises:
            PluginError: a scorer of somebody else's raises, or says what is no verdict.
        """
        try:
            verdicts = scorer.judge(record.answer, question.rules, question.elicited)
            causes = self._attributor.causes(
                record.answer,
                question.rules,
                verdicts,
                session=question.session,
                recall=recall,
                scorer=scorer,
            )
        except PluginError as error:
            raise PluginError(f"{record.id}: {error}") from error
        return Said(tuple(verdicts), causes)

    def _found(self, question: Question, recall: Recall) -> RulesFound:
        """What the recall has of the rules; looked up once for all repeats, which share both."""
        latest = self._latest
        if latest is None or latest[0].rules is not question.rules or latest[1] is not recall:
            found = self._attributor.found(question.rules, session=question.session, recall=recall)
            latest = self._latest = question, recall, found
        return latest[2]


def judge_unjudged(job: Job, writer: RunWriter) -> None:
    """Judge what was asked and not judged, because the run was killed in between or its worker was.

    Nobody is asked for it.
    """
    waiting: defaultdict[int, list[AskedRecord]] = defaultdict(list)
    for record in writer.unjudged:
        waiting[record.dialogue].append(record)
    if not waiting:
        return
    contexts = RunFolder(writer.path).contexts_by_dialogue()
    for dialogue in job.dialogues:
        if dialogue.number in waiting:
            store = ContextStore(dialogue)
            recalls = {c.id: store.restore(c) for c in contexts.of(dialogue.number)}
            records = {record.id: record for record in waiting[dialogue.number]}
            for judgement in _judgements(job, dialogue, records, recalls):
                writer.add_judgement(judgement)


def _judgements(
    job: Job,
    dialogue: Dialogue,
    records: Mapping[str, AskedRecord],
    recalls: Mapping[str, Recall],
) -> Iterator[Judgement]:
    scorers, reader = job.context.scorers, job.context.reader
    for planned in planned_questions(job.settings, dialogue, scorers, reader):
        record = records.get(planned.id)
        if record is not None:
            yield planned.judge.judgement(record, planned.question, recalls[record.context])


class PlannedQuestion(NamedTuple):
    """A question by its identity in the run, and who judges its answers."""

    id: str
    question: Question
    judge: AnswerJudge


def planned_questions(
    settings: RunSettings, dialogue: Dialogue, scorers: Sequence[Scorer], reader: RuleReader
) -> Iterator[PlannedQuestion]:
    """All that a run asks about a dialogue.

    Args:
        settings: Of the run.
        dialogue: One of its dialogues.
        scorers: Who judges the answers.
        reader: Finds the rules that transcripts and recalls state.
    """
    for entry in settings.strategies:
        for episode in plan_episodes(dialogue, settings.setting, entry.ask_after, settings.repeats):
            judge = AnswerJudge(scorers, reader, dialogue, episode)
            for question in episode.all_questions:
                for model in settings.models:
                    yield PlannedQuestion(question.id(entry.spec, model.name), question, judge)
