"""From answers to the paper's numbers (Table 4 and the released script's).

The mean of a question's rules, then of its repeats where it was asked more than once, then of a
session's questions, then of a dialogue's sessions, then of the dialogues. What has nothing to
average (a question whose rules are all absent, a failed question, a session without questions) is
left out of the next mean, and counted in `Coverage`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from memorycode.dialogue import Setting, is_short
from memorycode.frozen import Frozen
from memorycode.results.answers import COLUMNS, MISSING, SETTINGS, Answer, Column, Place
from memorycode.results.means import Estimate, estimate, mean
from memorycode.scoring.verdicts import verdict_score


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
        return is_short(len(self.history))


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
    Of a question that was asked more than once each counts the mean of its repeats, but `by_rule`
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


class DialogueCounts(Frozen):
    """Of one dialogue at its last checkpoint, what it adds to the shares of questions and of rules,
    so that it can be drawn again: the questions that have a score and how many of them follow all
    rules, each the mean of its repeats; the verdicts that have one and how many of them are
    followed. `sessions` is its length."""

    sessions: int
    questions: int
    perfect: float
    rules: int
    followed: float

    @property
    def is_short(self) -> bool:
        return is_short(self.sessions)


def summarize(
    answers: Iterable[Answer], scorer: str, surplus: Mapping[Setting, int] | None = None
) -> Scores:
    """Every reduction at once.

    History questions before the last session make curves (`history_curve`) and are left out here,
    of the scores and of the coverage. `surplus` counts the answers to no question, by setting.
    """
    asked = [answer for answer in answers if answer.is_last_checkpoint]
    dialogues = dialogue_scores(asked, scorer)
    columns = {column: _column(column, dialogues.values()) for column in COLUMNS}
    by_column: dict[Column, list[Answer]] = defaultdict(list)
    for answer in asked:
        by_column[answer.column].append(answer)
    extra = surplus or {}
    return Scores(
        by_dialogue={column: estimate(map(mean, rows)) for column, rows in columns.items()},
        by_question={
            column: estimate(_perfect_shares(by_column[column], scorer)) for column in COLUMNS
        },
        by_rule={column: _by_rule(by_column[column], scorer) for column in COLUMNS},
        by_position={column: _mean_of_positions(rows) for column, rows in columns.items()},
        by_sessions=_by_sessions(dialogues.values()),
        dialogues=dialogues,
        coverage=coverage(asked, scorer, sum(extra.values())),
        coverage_by_setting={
            setting: coverage(
                (answer for answer in asked if answer.setting == setting),
                scorer,
                extra.get(setting, 0),
            )
            for setting in SETTINGS
        },
    )


def dialogue_scores(answers: Iterable[Answer], scorer: str) -> dict[int, DialogueScores]:
    """The mean of the questions of each session, by dialogue number, in order."""
    scores: dict[tuple[int, Setting, int], list[float | None]] = defaultdict(list)
    lengths: dict[int, int] = {}
    for answer, score in _question_scores(answers, scorer):
        lengths[answer.dialogue] = answer.sessions
        scores[answer.dialogue, answer.setting, answer.session].append(score)
    return {
        number: DialogueScores.model_validate(
            {
                setting: [mean(scores.get((number, setting, at), ())) for at in range(length)]
                for setting in SETTINGS
            }
        )
        for number, length in sorted(lengths.items())
    }


def dialogue_counts(answers: Iterable[Answer], scorer: str) -> dict[int, DialogueCounts]:
    """The counts of each dialogue, by number, in order; `Scores` has their sums as shares."""
    asked: dict[int, list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.is_last_checkpoint:
            asked[answer.dialogue].append(answer)
    return {number: _counts(asked[number], scorer) for number in sorted(asked)}


def history_curve(answers: Iterable[Answer], scorer: str) -> dict[int, Estimate]:
    """The history score by checkpoint: the mean over the dialogues that were asked there."""
    scores: dict[int, dict[int, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for answer, score in _question_scores(answers, scorer):
        if answer.setting == "history":
            scores[answer.session][answer.dialogue].append(score)
    return {at: estimate(map(mean, rows.values())) for at, rows in sorted(scores.items())}


def coverage(answers: Iterable[Answer], scorer: str, surplus: int = 0) -> Coverage:
    """Counts of questions by outcome and of verdicts by kind."""
    outcomes: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for answer in answers:
        outcomes[answer.failure] += 1
        verdicts.update(answer.verdicts.get(scorer, ()))
    return Coverage(
        questions=outcomes.total(),
        answered=outcomes.pop("", 0),
        missing=outcomes.pop(MISSING, 0),
        failed=dict(sorted(outcomes.items())),
        surplus=surplus,
        **verdicts,
    )


def _question_scores(
    answers: Iterable[Answer], scorer: str
) -> Iterator[tuple[Answer, float | None]]:
    """Each question once, with the mean score of its repeats."""
    repeats: dict[Place, list[Answer]] = defaultdict(list)
    for answer in answers:
        repeats[answer.place].append(answer)
    for asked in repeats.values():
        yield asked[0], mean(answer.score(scorer) for answer in asked)


def _perfect_shares(answers: Iterable[Answer], scorer: str) -> list[float | None]:
    """Of each question, the share of its repeats that follow all rules; None without a score."""
    perfect: dict[Place, list[float | None]] = defaultdict(list)
    for answer in answers:
        perfect[answer.place].append(answer.is_perfect(scorer))
    return [mean(repeats) for repeats in perfect.values()]


def _by_rule(answers: Iterable[Answer], scorer: str) -> Estimate:
    counts = Counter(v for answer in answers for v in answer.verdicts.get(scorer, ()))
    followed, rest = counts["followed"], counts["violated"] + counts["unparsable"]
    return estimate([1.0] * followed + [0.0] * rest)


def _counts(answers: Sequence[Answer], scorer: str) -> DialogueCounts:
    perfect = [share for share in _perfect_shares(answers, scorer) if share is not None]
    verdicts = (verdict for answer in answers for verdict in answer.verdicts.get(scorer, ()))
    scores = [score for score in map(verdict_score, verdicts) if score is not None]
    return DialogueCounts(
        sessions=answers[0].sessions,
        questions=len(perfect),
        perfect=sum(perfect),
        rules=len(scores),
        followed=sum(scores),
    )


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
