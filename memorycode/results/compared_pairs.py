"""Two rows against each other: on the same dialogues, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.results.answers import Answer, Place
from memorycode.results.intervals import Group, group_scores
from memorycode.results.means import mean
from memorycode.results.memory_loss import MemoryLoss
from memorycode.results.metrics import dialogue_scores
from memorycode.results.run_row import RunRow
from memorycode.results.statistics import Comparison, compare_paired, generator
from memorycode.scoring.scorers import SCORER_NAMES


class RowName(Frozen):
    """Whose row: one strategy with one model in one run; what one has to know of it before its
    scores mean anything: what its memory lost, and how many of its recalls were cut."""

    run: str
    model: str
    strategy: str
    label: str
    oracle: bool
    memory: MemoryLoss = MemoryLoss()
    recalls: int = 0
    truncated: int = 0


class GroupComparison(Frozen):
    """Two rows on one group of dialogues by one scorer.

    `first` and `second` are the mean scores over the dialogues of the pair. `p_holm` is the p-value
    with Holm's correction over the comparisons of the same scorer and group.
    """

    first: float | None
    second: float | None
    comparison: Comparison
    p_holm: float | None = None


class Flips(Frozen):
    """The questions that all rules are followed in by one of two rows, by the strict scorer.

    `gained` are those that the second alone answers so, `lost` those that the first alone does, as
    ``dialogue/session/number``; of `questions` both have a score. A question that was asked several
    times counts as followed if each of its repeats is.
    """

    gained: tuple[str, ...]
    lost: tuple[str, ...]
    questions: int


class PairComparison(Frozen):
    """The second row against the first one.

    `dialogues` counts those that both runs have, word for word; `left_out` the questions on them
    that failed or were never asked in either row, and hence are compared in neither.
    """

    first: RowName
    second: RowName
    dialogues: int
    left_out: int
    scores: Mapping[str, Mapping[Group, GroupComparison]]
    flips: Flips


def compare_pair(
    first: RunRow,
    second: RunRow,
    groups: Sequence[Group],
    scorers: Sequence[str] = SCORER_NAMES,
) -> PairComparison:
    """Compare on the dialogues of both runs and the questions answered in both rows.

    Without failures each mean is the one of the run's report, over the shared dialogues. Raises
    `UsageError` where the runs share no dialogue.
    """
    shared = shared_dialogues(first, second)
    if not shared:
        raise UsageError(
            f"nothing shared: no dialogue of {first.source.run} is in {second.source.run} with the "
            "same number and the same text; compare runs on the same data"
        )
    here, there = first.last_answers, second.last_answers
    asked = {place for place in here.keys() | there.keys() if place[0] in shared}
    both = sorted(
        place for place in asked if _is_answered(here, place) and _is_answered(there, place)
    )
    return PairComparison(
        first=_name(first),
        second=_name(second),
        dialogues=len(shared),
        left_out=len(asked) - len(both),
        scores={name: _compare_groups(here, there, both, groups, name) for name in scorers},
        flips=_flips(here, there, both),
    )


def shared_dialogues(first: RunRow, second: RunRow) -> set[int]:
    """The numbers of the dialogues that both have, word for word, with all they are asked."""
    if first.dialogues is second.dialogues:
        return set(first.dialogues)
    return {
        number
        for number, dialogue in first.dialogues.items()
        if second.dialogues.get(number) == dialogue
    }


_Answers = Mapping[Place, Sequence[Answer]]
"""The repeats of each question."""


def _name(row: RunRow) -> RowName:
    source = row.source
    recalls = [a for repeats in row.last_answers.values() for a in repeats if not a.failure]
    return RowName(
        run=source.run,
        model=source.model,
        strategy=source.strategy,
        label=source.label,
        oracle=source.oracle,
        memory=row.loss,
        recalls=len(recalls),
        truncated=sum(answer.truncated for answer in recalls),
    )


def _is_answered(answers: _Answers, place: Place) -> bool:
    """Whether a repeat of the question has an answer: a failure is no score."""
    return any(not answer.failure for answer in answers.get(place, ()))


def _compare_groups(
    first: _Answers,
    second: _Answers,
    both: Sequence[Place],
    groups: Sequence[Group],
    scorer: str,
) -> dict[Group, GroupComparison]:
    sides = [
        dialogue_scores((repeat for place in both for repeat in answers[place]), scorer)
        for answers in (first, second)
    ]
    return {group: _compare_scores(*(group_scores(s, group) for s in sides)) for group in groups}


def _compare_scores(first: Mapping[int, float], second: Mapping[int, float]) -> GroupComparison:
    shared = [number for number in first if number in second]
    return GroupComparison(
        first=mean(first[number] for number in shared),
        second=mean(second[number] for number in shared),
        comparison=compare_paired(first, second, generator()),
    )


def _flips(first: _Answers, second: _Answers, both: Sequence[Place]) -> Flips:
    gained, lost, questions = [], [], 0
    for place in both:
        before, after = _is_followed(first[place]), _is_followed(second[place])
        if before is None or after is None:
            continue
        questions += 1
        if after and not before:
            gained.append(_id(place))
        elif before and not after:
            lost.append(_id(place))
    return Flips(gained=tuple(gained), lost=tuple(lost), questions=questions)


def _is_followed(repeats: Sequence[Answer]) -> bool | None:
    """Whether every repeat follows all rules; None where no repeat has a score."""
    perfect = [repeat.is_perfect("strict") for repeat in repeats]
    followed = [one for one in perfect if one is not None]
    return all(followed) if followed else None


def _id(place: Place) -> str:
    dialogue, _, session, number = place
    return f"{dialogue}/{session}/{number}"
