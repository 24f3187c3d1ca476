"""What a dialogue adds to the shares of questions and of rules, so that it can be drawn again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memorycode.dialogue import SHORT_SESSIONS
from memorycode.frozen import Frozen
from memorycode.results.metrics import ScoredQuestion, mean
from memorycode.scoring.verdicts import verdict_score


class DialogueCounts(Frozen):
    """Of one dialogue at its last checkpoint: the questions that have a score and how many of them
    follow all rules, each the mean of its samples; the verdicts that have one and how many of them
    are followed. `sessions` is its length."""

    sessions: int
    questions: int
    perfect: float
    rules: int
    followed: float

    @property
    def is_short(self) -> bool:
        return self.sessions <= SHORT_SESSIONS


def dialogue_counts(questions: Iterable[ScoredQuestion]) -> dict[int, DialogueCounts]:
    """The counts of each dialogue, by number, in order; `Scores` has their sums as shares."""
    asked: dict[int, list[ScoredQuestion]] = defaultdict(list)
    for question in questions:
        if question.setting != "history" or question.session == question.sessions - 1:
            asked[question.dialogue].append(question)
    return {number: _count(asked[number]) for number in sorted(asked)}


def _count(questions: list[ScoredQuestion]) -> DialogueCounts:
    samples: dict[object, list[bool | None]] = defaultdict(list)
    for question in questions:
        samples[question.place].append(question.is_perfect)
    perfect = [share for share in map(mean, samples.values()) if share is not None]
    verdicts = (verdict_score(verdict) for question in questions for verdict in question.verdicts)
    scores = [score for score in verdicts if score is not None]
    return DialogueCounts(
        sessions=questions[0].sessions,
        questions=len(perfect),
        perfect=sum(perfect),
        rules=len(scores),
        followed=sum(scores),
    )
