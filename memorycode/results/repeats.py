"""What asking every question several times tells: how far scores vary, how often all is right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from memorycode.frozen import Frozen
from memorycode.results.answers import COLUMNS, Answer, Column, Place
from memorycode.results.means import Estimate, estimate, standard_deviation
from memorycode.results.metrics import summarize


class RepeatScores(Frozen):
    """The scores of a set of questions, each asked `repeats` times.

    `standard_deviation` is that of the score by dialogue over the repeats: the first answers to all
    questions make one score, the second ones another, and so on. It says how far the model's chance
    moves the score, and nothing of the choice of dialogues or of what a memory would have been
    another time. `at_least`, by k, is the share of questions of which k or more repeats follow all
    rules: for 1 it is pass@n, for n it is pass^n. A question counts there if all of its repeats
    have a score.
    """

    repeats: int
    standard_deviation: Mapping[Column, float | None]
    at_least: Mapping[int, Mapping[Column, Estimate]]

    @property
    def pass_any(self) -> Mapping[Column, Estimate]:
        """pass@n: all rules followed in one of n repeats or more."""
        return self.at_least[1]

    @property
    def pass_all(self) -> Mapping[Column, Estimate]:
        """pass^n: all rules followed in each of n repeats."""
        return self.at_least[self.repeats]


def repeat_scores(answers: Iterable[Answer], scorer: str, repeats: int) -> RepeatScores:
    """The questions of the last checkpoint, as `summarize` has them."""
    asked = [answer for answer in answers if answer.is_last_checkpoint]
    perfect: dict[Column, dict[Place, list[bool | None]]] = defaultdict(lambda: defaultdict(list))
    for answer in asked:
        perfect[answer.column][answer.place].append(answer.is_perfect(scorer))
    counts = {column: _perfect_repeats(perfect[column].values(), repeats) for column in COLUMNS}
    return RepeatScores(
        repeats=repeats,
        standard_deviation=_deviations(asked, scorer, repeats),
        at_least={
            k: {
                column: estimate(float(count >= k) for count in counts[column])
                for column in COLUMNS
            }
            for k in range(1, repeats + 1)
        },
    )


def _perfect_repeats(questions: Iterable[list[bool | None]], repeats: int) -> list[int]:
    """How many repeats of each question are perfect, where all have a score."""
    return [
        sum(map(bool, perfect))
        for perfect in questions
        if len(perfect) == repeats and None not in perfect
    ]


def _deviations(asked: list[Answer], scorer: str, repeats: int) -> dict[Column, float | None]:
    runs = [
        summarize((a for a in asked if a.repeat == repeat), scorer).by_dialogue
        for repeat in range(repeats)
    ]
    return {column: standard_deviation(run[column].mean for run in runs) for column in COLUMNS}
