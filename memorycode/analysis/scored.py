"""Scored questions with what figures ask of their rules: how often updated, how long ago told.

They come from a run's folder or from recorded outputs; what is made of them is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memorycode.analysis.aggregation import MISSING, ScoredQuestion, verdict_score
from memorycode.datasets.outputs import RecordedDialogue
from memorycode.dialogue import Dialogue, Instruction, Setting
from memorycode.errors import RunFolderError
from memorycode.protocols import Scorer, Verdict
from memorycode.rules import Rule
from memorycode.running.plan import Question, plan_episodes
from memorycode.running.records import Record
from memorycode.scoring.attribution import Cause
from memorycode.scoring.scorers import ScorerName

REPLAYED = "recorded"
"""What stands for the strategy of recorded outputs: nobody's memory but the whole history."""


class Source(NamedTuple):
    """Whose answers these are. `run` tells runs apart that have the same model and strategy,
    `variant` says what the strategy is with this model, where it is not what it usually is."""

    model: str
    strategy: str = REPLAYED
    oracle: bool = False
    run: str = ""
    variant: str = ""


class AskedRule(NamedTuple):
    """A rule as it stands at the question's checkpoint.

    `told` is the session in which it was last told, `rank` how often its family was told before
    that: the paper's update rank (section 6.3), which is 0 for a rule that was never updated.
    """

    rule: Rule
    family: int
    version: int
    told: int
    rank: int


class RuleVerdict(NamedTuple):
    """One rule of one question: 1 if followed, 0 if violated or unparsable."""

    rule: AskedRule
    score: float
    cause: Cause | None


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One question, each time it was asked.

    `sessions` is the length of the dialogue, `session` the checkpoint, counted from 0. `rules` and
    the verdicts of each scorer run parallel; a rule that the data set checks and never tells is
    None. `failure` is the kind of failure of a question without an answer, which has no verdicts.
    `causes` says, of the strict scorer's violations, where the rule was lost. Tokens are those of
    the recalled context and of the whole prompt.
    """

    source: Source
    dialogue: int
    sessions: int
    setting: Setting
    session: int
    number: int
    rules: tuple[AskedRule | None, ...]
    verdicts: Mapping[str, tuple[Verdict, ...]]
    failure: str = ""
    sample: int = 0
    causes: Mapping[int, Cause] | None = None
    context_tokens: int = 0
    prompt_tokens: int = 0

    @property
    def is_last(self) -> bool:
        """Whether it is a history question after the last session."""
        return self.setting == "history" and self.session == self.sessions - 1

    def scored(self, scorer: ScorerName) -> ScoredQuestion:
        """What the paper's reductions are made of."""
        return ScoredQuestion(
            dialogue=self.dialogue,
            sessions=self.sessions,
            setting=self.setting,
            session=self.session,
            number=self.number,
            verdicts=self.verdicts.get(scorer, ()),
            failure=self.failure,
            sample=self.sample,
        )

    def judged(self, scorer: ScorerName) -> Iterator[RuleVerdict]:
        """The rules whose object the answer has; absent objects are left out, as in the scores."""
        causes = self.causes or {}
        for place, verdict in enumerate(self.verdicts.get(scorer, ())):
            rule, score = self.rules[place], verdict_score(verdict)
            if rule is not None and score is not None:
                yield RuleVerdict(rule, score, causes.get(place))


class RuleHistory:
    """What was told when in a dialogue."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue
        self._asked: dict[tuple[Setting, int, int], tuple[AskedRule | None, ...]] = {}

    def asked(self, question: Question) -> tuple[AskedRule | None, ...]:
        """The question's rules with what the dialogue says of them; the same object for all
        questions of a checkpoint, which share their rules."""
        own = question.number if question.setting == "instruction" else 0
        key = question.setting, question.session, own
        if key not in self._asked:
            known = self._known_at(question.session, question.setting)
            self._asked[key] = tuple(known.get(rule) for rule in question.rules)
        return self._asked[key]

    def _known_at(self, at: int, setting: Setting) -> dict[Rule, AskedRule]:
        if setting == "history":
            return self._active_at(at)
        return {told.rule: told for told in self._told[at].values()}

    def _active_at(self, at: int) -> dict[Rule, AskedRule]:
        active: dict[int, AskedRule] = {}
        for told in self._told[: at + 1]:
            active |= told
        return {rule.rule: rule for rule in active.values()}

    @cached_property
    def _told(self) -> list[dict[int, AskedRule]]:
        """By session, what it tells, by family."""
        counts: dict[int, int] = {}
        steps = []
        for session in self.dialogue.sessions:
            told = {}
            for instruction in session.instructions:
                rank = counts.get(instruction.family, 0)
                counts[instruction.family] = rank + 1
                told[instruction.family] = _asked(instruction, session.index, rank)
            steps.append(told)
        return steps


def recorded_rows(
    history: RuleHistory,
    recorded: RecordedDialogue | None,
    source: Source,
    settings: Iterable[Setting],
    scorers: Sequence[Scorer],
) -> Iterator[ScoredRow]:
    """The questions of a dialogue with a model's recorded answers, judged; those without an answer
    are missing."""
    dialogue = history.dialogue
    for setting in settings:
        for episode in plan_episodes(dialogue, setting, "last"):
            for question in episode.all_questions:
                answers = recorded.answers(setting, question.session) if recorded else ()
                has_answer = question.number < len(answers)
                yield ScoredRow(
                    source=source,
                    dialogue=dialogue.number,
                    sessions=len(dialogue.sessions),
                    setting=setting,
                    session=question.session,
                    number=question.number,
                    rules=history.asked(question),
                    verdicts={
                        scorer.name: tuple(
                            scorer.judge(
                                answers[question.number], question.rules, question.elicited
                            )
                        )
                        for scorer in scorers
                        if has_answer
                    },
                    failure="" if has_answer else MISSING,
                )


class RunRows:
    """Turns the records of one run into rows."""

    def __init__(self, dialogues: Iterable[Dialogue]) -> None:
        self._histories = {d.number: (d, RuleHistory(d)) for d in dialogues}
        self._rules: dict[tuple[int, Setting, int, int], tuple[AskedRule | None, ...]] = {}

    def row(self, record: Record, source: Source) -> ScoredRow:
        """Raises `RunFolderError` for a record that does not fit the run's dialogues."""
        rules = self._asked(record)
        if any(len(verdicts) != len(rules) for verdicts in record.verdicts.values()):
            raise RunFolderError(f"record {record.id}: not a verdict for each of its rules")
        dialogue, _ = self._histories[record.dialogue]
        return ScoredRow(
            source=source,
            dialogue=record.dialogue,
            sessions=len(dialogue.sessions),
            setting=record.setting,
            session=record.session,
            number=record.number,
            rules=rules,
            verdicts=record.verdicts,
            failure=record.outcome if record.failed else "",
            sample=record.repeat,
            causes=record.causes.get("strict"),
            context_tokens=record.context_tokens,
            prompt_tokens=record.prompt_tokens,
        )

    def _asked(self, record: Record) -> tuple[AskedRule | None, ...]:
        """The rules of the record's question; those of one checkpoint of a history are the same."""
        if record.dialogue not in self._histories:
            raise RunFolderError(f"record {record.id}: its dialogue is not in the folder")
        number = record.number if record.setting == "instruction" else 0
        key = record.dialogue, record.setting, record.session, number
        if key not in self._rules:
            self._rules |= self._planned(record.dialogue, record.setting)
        if key not in self._rules:
            raise RunFolderError(f"record {record.id} is not among the questions of its dialogue")
        return self._rules[key]

    def _planned(
        self, number: int, setting: Setting
    ) -> dict[tuple[int, Setting, int, int], tuple[AskedRule | None, ...]]:
        dialogue, history = self._histories[number]
        found = {}
        for episode in plan_episodes(dialogue, setting, "every"):
            for asked in episode.questions.values():
                for question in asked if setting == "instruction" else asked[:1]:
                    key = number, setting, question.session, question.number
                    found[key] = history.asked(question)
        return found


def _asked(instruction: Instruction, told: int, rank: int) -> AskedRule:
    return AskedRule(instruction.rule, instruction.family, instruction.version, told, rank)
