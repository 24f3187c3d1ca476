"""From scored questions to the paper's numbers (Table 4 and the released script's).

The mean of a question's rules, then of its samples where it was asked more than once, then of a
session's questions, then of a dialogue's sessions, then of the dialogues. What has nothing to
average (a question whose rules are all absent, a failed question, a session without questions) is
left out of the next mean, and counted in `Coverage`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from memorycode.dialogue import SHORT_SESSIONS, Setting
from memorycode.frozen import Frozen
from memorycode.protocols import Verdict
from memorycode.scoring.verdicts import verdict_score

Column = Literal["instruction", "session", "short_history", "long_history"]
"""The columns of the paper's Table 4."""

COLUMNS: tuple[Column, ...] = ("instruction", "session", "short_history", "long_history")

SETTINGS: tuple[Setting, ...] = ("history", "session", "instruction")

MISSING = "missing"
"""The failure of a question that was never answered: nothing is recorded for it."""


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """One question with a verdict for each of its rules.

    `sessions` is the length of the dialogue, `session` the checkpoint, counted from 0, `sample`
    how often the question was asked before. `failure` is the kind of failure of a question without
    an answer, which has no verdicts.
    """

    dialogue: int
    sessions: int
    setting: Setting
    session: int
    number: int
    verdicts: tuple[Verdict, ...] = ()
    failure: str = ""
    sample: int = 0

    @property
    def place(self) -> tuple[int, Setting, int, int]:
        """What its samples share."""
        return self.dialogue, self.setting, self.session, self.number

    @property
    def column(self) -> Column:
        """The column of Table 4 that the question counts in."""
        if self.setting != "history":
            return self.setting
        return "short_history" if self.sessions <= SHORT_SESSIONS else "long_history"

    @property
    def score(self) -> float | None:
        """The mean over the rules whose object is there; None if there are none."""
        return mean(map(verdict_score, self.verdicts))

    @property
    def is_perfect(self) -> bool | None:
        """Whether all of its rules are followed; None where there is no score."""
        score = self.score
        return None if score is None else score == 1


class Estimate(Frozen):
    """A mean over `n` dialogues with its standard error, the sample standard deviation / √n.

    `mean` is None for no dialogue, `se` for fewer than two.
    """

    mean: float | None
    se: float | None
    n: int


class DialogueScores(Frozen):
    """A dialogue's score at each of its sessions, per setting; None where there is none."""

    history: tuple[float | None, ...]
    session: tuple[float | None, ...]
    instruction: tuple[float | None, ...]

    def of(self, setting: Setting) -> tuple[float | None, ...]:
        scores: tuple[float | None, ...] = getattr(self, setting)
        return scores

    @property
    def is_short(self) -> bool:
        return len(self.history) <= SHORT_SESSIONS


class Coverage(Frozen):
    """What the scores rest on: questions by outcome, verdicts by kind.

    `questions` is the sum of `answered`, `missing` and the counts of `failed`. `surplus` counts
    recorded answers to no question; they are not scored.
    """

    questions: int = 0
    answered: int = 0
    missing: int = 0
    failed: Mapping[str, int] = {}
    surplus: int = 0
    followed: int = 0
    violated: int = 0
    absent: int = 0
    unparsable: int = 0


class Scores(Frozen):
    """All the numbers of one set of scored questions.

    `by_dialogue` is the paper's Table 4, `by_question` the share of questions all of whose rules
    are followed, `by_rule` the share of rules followed; absent objects are left out of all three.
    Of a question that was asked more than once each counts the mean of its samples, but `by_rule`
    and `coverage`, which count every one. Their `n` counts dialogues, questions and rules, and only
    the first has a meaningful error, for questions of one dialogue go together. `by_position` is
    the released script's: mean over dialogues at each session position, then mean of the
    positions. `by_sessions` is the mean history score at the last session by the dialogues' number
    of sessions.
    """

    by_dialogue: Mapping[Column, Estimate]
    by_question: Mapping[Column, Estimate]
    by_rule: Mapping[Column, Estimate]
    by_position: Mapping[Column, float | None]
    by_sessions: Mapping[int, float | None]
    dialogues: Mapping[int, DialogueScores]
    coverage: Coverage
    coverage_by_setting: Mapping[Setting, Coverage]


def summarize(
    questions: Iterable[ScoredQuestion], surplus: Mapping[Setting, int] | None = None
) -> Scores:
    """Every reduction at once.

    History questions before the last session make curves (`history_curve`) and are left out here,
    of the scores and of the coverage. `surplus` counts the answers to no question, by setting.
    """
    asked = [q for q in questions if q.setting != "history" or q.session == q.sessions - 1]
    dialogues = dialogue_scores(asked)
    columns = {column: _column(column, dialogues.values()) for column in COLUMNS}
    by_column: dict[Column, list[ScoredQuestion]] = defaultdict(list)
    for question in asked:
        by_column[question.column].append(question)
    extra = surplus or {}
    return Scores(
        by_dialogue={column: estimate(map(mean, rows)) for column, rows in columns.items()},
        by_question={column: _by_question(by_column[column]) for column in COLUMNS},
        by_rule={column: _by_rule(by_column[column]) for column in COLUMNS},
        by_position={column: _mean_of_positions(rows) for column, rows in columns.items()},
        by_sessions=_by_sessions(dialogues.values()),
        dialogues=dialogues,
        coverage=coverage(asked, sum(extra.values())),
        coverage_by_setting={
            setting: coverage((q for q in asked if q.setting == setting), extra.get(setting, 0))
            for setting in SETTINGS
        },
    )


def _by_question(questions: Iterable[ScoredQuestion]) -> Estimate:
    perfect: dict[object, list[float | None]] = defaultdict(list)
    for question in questions:
        perfect[question.place].append(question.is_perfect)
    return estimate(map(mean, perfect.values()))


def _by_rule(questions: Iterable[ScoredQuestion]) -> Estimate:
    counts = Counter(verdict for question in questions for verdict in question.verdicts)
    followed, rest = counts["followed"], counts["violated"] + counts["unparsable"]
    return estimate([1.0] * followed + [0.0] * rest)


def dialogue_scores(questions: Iterable[ScoredQuestion]) -> dict[int, DialogueScores]:
    """The mean of the questions of each session, by dialogue number, in order."""
    scores: dict[tuple[int, Setting, int], list[float | None]] = defaultdict(list)
    lengths: dict[int, int] = {}
    for question, score in _question_scores(questions):
        lengths[question.dialogue] = question.sessions
        scores[question.dialogue, question.setting, question.session].append(score)
    return {
        number: DialogueScores.model_validate(
            {
                setting: [mean(scores.get((number, setting, at), ())) for at in range(length)]
                for setting in SETTINGS
            }
        )
        for number, length in sorted(lengths.items())
    }


def _question_scores(
    questions: Iterable[ScoredQuestion],
) -> Iterator[tuple[ScoredQuestion, float | None]]:
    """Each question once, with the mean score of its samples."""
    samples: dict[object, list[ScoredQuestion]] = defaultdict(list)
    for question in questions:
        samples[question.place].append(question)
    for asked in samples.values():
        yield asked[0], mean(question.score for question in asked)


def history_curve(questions: Iterable[ScoredQuestion]) -> dict[int, Estimate]:
    """The history score by checkpoint: the mean over the dialogues that were asked there."""
    scores: dict[int, dict[int, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for question, score in _question_scores(questions):
        if question.setting == "history":
            scores[question.session][question.dialogue].append(score)
    return {at: estimate(map(mean, rows.values())) for at, rows in sorted(scores.items())}


def coverage(questions: Iterable[ScoredQuestion], surplus: int = 0) -> Coverage:
    """Counts of questions by outcome and of verdicts by kind."""
    outcomes: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for question in questions:
        outcomes[question.failure] += 1
        verdicts.update(question.verdicts)
    return Coverage(
        questions=outcomes.total(),
        answered=outcomes.pop("", 0),
        missing=outcomes.pop(MISSING, 0),
        failed=dict(sorted(outcomes.items())),
        surplus=surplus,
        **verdicts,
    )


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None; None if there are none."""
    present = [value for value in values if value is not None]
    return math.fsum(present) / len(present) if present else None


def estimate(values: Iterable[float | None]) -> Estimate:
    """The mean of the values that are not None, with its standard error."""
    present = [value for value in values if value is not None]
    n, center = len(present), mean(present)
    if center is None or n < 2:
        return Estimate(mean=center, se=None, n=n)
    variance = math.fsum((value - center) ** 2 for value in present) / (n - 1)
    return Estimate(mean=center, se=math.sqrt(variance / n), n=n)


def _column(column: Column, dialogues: Iterable[DialogueScores]) -> list[Sequence[float | None]]:
    """The session scores that a column is made of, one row per dialogue."""
    match column:
        case "instruction" | "session":
            return [dialogue.of(column) for dialogue in dialogues]
        case "short_history":
            return [dialogue.history for dialogue in dialogues if dialogue.is_short]
        case "long_history":
            return [dialogue.history for dialogue in dialogues if not dialogue.is_short]


def _mean_of_positions(rows: Iterable[Sequence[float | None]]) -> float | None:
    return mean(mean(position) for position in zip_longest(*rows))


def _by_sessions(dialogues: Iterable[DialogueScores]) -> dict[int, float | None]:
    scores: dict[int, list[float | None]] = defaultdict(list)
    for dialogue in dialogues:
        scores[len(dialogue.history)].append(dialogue.history[-1])
    return {length: mean(values) for length, values in sorted(scores.items())}
