"""Answers as rows: one per question and repeat, with all that tables and figures ask of it.

They come from a run's folder or from recorded outputs; what is made of them is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memorycode.dialogue import Setting, is_short
from memorycode.protocols import Usage, Verdict
from memorycode.results.means import mean
from memorycode.rules import Rule
from memorycode.scoring.attribution import Cause, Causes, RulesFound
from memorycode.scoring.verdicts import verdict_score

Column = Literal["instruction", "session", "short_history", "long_history"]
"""The columns of the paper's Table 4."""

COLUMNS: tuple[Column, ...] = ("instruction", "session", "short_history", "long_history")

COLUMN_SETTINGS: Mapping[Column, Setting] = {
    "instruction": "instruction",
    "session": "session",
    "short_history": "history",
    "long_history": "history",
}
"""The setting whose questions a column counts."""

SETTINGS: tuple[Setting, ...] = ("history", "session", "instruction")

MISSING = "missing"
"""The failure of a question that was never answered: nothing is recorded for it."""

RECORDED = "recorded"
"""What stands for the strategy of recorded outputs: nobody's memory but the whole history."""

Place = tuple[int, Setting, int, int]
"""Which question: dialogue, setting, checkpoint, number."""


class Source(NamedTuple):
    """Whose answers these are. `run` tells runs apart that have the same model and strategy,
    `variant` says what the strategy is with this model, where it is not what it usually is."""

    model: str
    strategy: str = RECORDED
    oracle: bool = False
    run: str = ""
    variant: str = ""

    @property
    def label(self) -> str:
        """The strategy as tables name it."""
        return f"{self.strategy} ({self.variant})" if self.variant else self.strategy


class AskedRule(NamedTuple):
    """A rule as it stands at the question's checkpoint.

    `told` is the session in which it was last told, `rank` how often its family was told before
    that: the paper's update rank (section 6.3), which is 0 for a rule that was never updated.
    `text` is the rule in one line, as its dialogue has it.
    """

    rule: Rule
    family: int
    version: int
    told: int
    rank: int
    text: str = ""


class RuleVerdict(NamedTuple):
    """One rule of one question: 1 if followed, 0 if violated or unparsable."""

    rule: AskedRule
    score: float
    cause: Cause | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, each time it was asked; `id` names it in its run.

    `sessions` is the length of the dialogue, `session` the checkpoint, counted from 0, `repeat` how
    often the question was asked before, `round` how often with a reviewer's remarks. `rules` and
    the verdicts of each scorer run parallel; a rule that the data set checks and never tells is
    None. `failure` is the kind of failure of a question without an answer, which has no verdicts,
    and `error` what went wrong. `causes` says, by scorer, where violated rules were lost, by their
    position. Tokens are those of the recalled context and of the whole prompt; `truncated` marks a
    recall that the budget, or the model's limit, took something from, `took_all` one that chose
    nothing, for all units there were are in it; `recalled` is what the rest had of the rules.
    """

    id: str
    source: Source
    dialogue: int
    sessions: int
    setting: Setting
    session: int
    number: int
    rules: tuple[AskedRule | None, ...]
    verdicts: Mapping[str, tuple[Verdict, ...]]
    causes: Mapping[str, Causes]
    failure: str = ""
    error: str = ""
    repeat: int = 0
    round: int = 0
    context_tokens: int = 0
    prompt_tokens: int = 0
    truncated: bool = False
    took_all: bool = False
    recalled: RulesFound | None = None

    @property
    def place(self) -> Place:
        """Which question it answers: what its repeats share."""
        return self.dialogue, self.setting, self.session, self.number

    @property
    def is_short(self) -> bool:
        """Whether its dialogue is a short one."""
        return is_short(self.sessions)

    @property
    def is_last_checkpoint(self) -> bool:
        """Whether it counts in the tables: other settings than the history have one checkpoint."""
        return self.setting != "history" or self.session == self.sessions - 1

    @property
    def ends_history(self) -> bool:
        """Whether it was asked after the last session of a history."""
        return self.setting == "history" and self.is_last_checkpoint

    @property
    def column(self) -> Column:
        """The column of Table 4 that the question counts in."""
        if self.setting != "history":
            return self.setting
        return "short_history" if self.is_short else "long_history"

    def score(self, scorer: str) -> float | None:
        """The mean over the rules whose object is there; None if there are none."""
        return mean(map(verdict_score, self.verdicts.get(scorer, ())))

    def is_perfect(self, scorer: str) -> bool | None:
        """Whether all of its rules are followed; None where there is no score."""
        score = self.score(scorer)
        return None if score is None else score == 1

    def judged(self, scorer: str) -> Iterator[RuleVerdict]:
        """The rules whose object the answer has; absent objects are left out, as in the scores."""
        causes = self.causes.get(scorer, {})
        for place, verdict in enumerate(self.verdicts.get(scorer, ())):
            rule, score = self.rules[place], verdict_score(verdict)
            if rule is not None and score is not None:
                yield RuleVerdict(rule, score, causes.get(place))


class Attempt(NamedTuple):
    """One time that a question was asked, as costs count it: whether a call was `sent` for it, how
    that `failed`, if it did, what it took, and whether the answer was `cached`."""

    sent: bool
    failed: str
    cached: bool
    spent: Usage
    latency: float
