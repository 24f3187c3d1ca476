"""What asking every question several times tells: how far scores vary, how often all is right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from memorycode.frozen import Frozen
from memorycode.results.metrics import (
    COLUMNS,
    Column,
    Estimate,
    ScoredQuestion,
    estimate,
    summarize,
)
from memorycode.results.spread import spread


class SampleScores(Frozen):
    """The samples of a set of questions, each asked `samples` times.

    `spread` is the sample standard deviation of the score by dialogue over the samples: the first
    answers to all questions make one score, the second ones another, and so on. It says how far
    the model's chance moves the score, and nothing of the choice of dialogues or of what a memory
    would have been another time. `at_least`, by k, is the share of questions of which k or more
    samples follow all rules: for 1 it is pass@n, for n it is pass^n. A question counts there if
    all of its samples have a score.
    """

    samples: int
    spread: Mapping[Column, float | None]
    at_least: Mapping[int, Mapping[Column, Estimate]]

    @property
    def pass_any(self) -> Mapping[Column, Estimate]:
        """pass@n: all rules followed in one of n samples or more."""
        return self.at_least[1]

    @property
    def pass_all(self) -> Mapping[Column, Estimate]:
        """pass^n: all rules followed in each of n samples."""
        return self.at_least[self.samples]


def sample_scores(questions: Iterable[ScoredQuestion], samples: int) -> SampleScores:
    """The questions of the last checkpoint, as `summarize` has them."""
    asked = [q for q in questions if q.setting != "history" or q.session == q.sessions - 1]
    perfect: dict[Column, dict[object, list[bool | None]]] = defaultdict(lambda: defaultdict(list))
    for question in asked:
        perfect[question.column][question.place].append(question.is_perfect)
    counts = {column: _perfect_samples(perfect[column].values(), samples) for column in COLUMNS}
    return SampleScores(
        samples=samples,
        spread=_spread(asked, samples),
        at_least={
            k: {
                column: estimate(float(count >= k) for count in counts[column])
                for column in COLUMNS
            }
            for k in range(1, samples + 1)
        },
    )


def _perfect_samples(questions: Iterable[list[bool | None]], samples: int) -> list[int]:
    """How many samples of each question are perfect, where all have a score."""
    return [
        sum(map(bool, perfect))
        for perfect in questions
        if len(perfect) == samples and None not in perfect
    ]


def _spread(asked: list[ScoredQuestion], samples: int) -> dict[Column, float | None]:
    runs = [
        summarize(question for question in asked if question.sample == sample).by_dialogue
        for sample in range(samples)
    ]
    return {column: spread(run[column].mean for run in runs) for column in COLUMNS}
