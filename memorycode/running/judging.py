"""What is made of answers without asking anybody: verdicts, causes, and what recalls had."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from memorycode.dialogue import Dialogue
from memorycode.protocols import Recall
from memorycode.running.contexts import ContextStore
from memorycode.running.folder import RunFolder
from memorycode.running.job import Job
from memorycode.running.plan import Episode, Question
from memorycode.running.records import AskedRecord, Judgement
from memorycode.running.run_context import RunContext
from memorycode.running.writer import RunWriter
from memorycode.scoring.attribution import Attributor, Causes, RulesFound


class AnswerJudge:
    """Judges the answers to the questions of one episode."""

    def __init__(self, context: RunContext, dialogue: Dialogue, episode: Episode) -> None:
        self._scorers = context.scorers
        self._attributor = Attributor(episode.sessions, dialogue.context.speakers, context.reader)
        self._latest: tuple[Question, Recall, RulesFound] | None = None

    def judgement(self, record: AskedRecord, question: Question, recall: Recall) -> Judgement:
        """What scorers say of an answer, and what its recall had; of a failure the latter alone."""
        verdicts = {}
        causes: dict[str, Causes] = {}
        for scorer in () if record.failed else self._scorers:
            judged = scorer.judge(record.answer, question.rules, question.elicited)
            verdicts[scorer.name] = tuple(judged)
            lost = self._attributor.causes(
                record.answer,
                question.rules,
                judged,
                session=question.session,
                recall=recall,
                scorer=scorer,
            )
            if lost:
                causes[scorer.name] = lost
        found = self._found(question, recall)
        return Judgement(id=record.id, verdicts=verdicts, causes=causes, found=found)

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
    for entry in job.settings.strategies:
        for episode in job.episodes(dialogue, entry):
            judge = AnswerJudge(job.context, dialogue, episode)
            for question in episode.all_questions:
                for model in job.models:
                    record = records.get(question.id(entry.spec, model.name))
                    if record is not None:
                        yield judge.judgement(record, question, recalls[record.context])
