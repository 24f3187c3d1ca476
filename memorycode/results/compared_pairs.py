"""Two rows against each other: on the same dialogues, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.results.compared_rows import ComparedRow, Place, shared_dialogues
from memorycode.results.intervals import Group, group_scores
from memorycode.results.metrics import ScoredQuestion, dialogue_scores, mean
from memorycode.results.statistics import Comparison, compare_paired, generator
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName


class RowName(Frozen):
    """Whose row: one strategy with one model in one run."""

    run: str
    model: str
    strategy: str
    label: str
    oracle: bool


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
    times counts as followed if each of its samples is.
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
    scores: Mapping[ScorerName, Mapping[Group, GroupComparison]]
    flips: Flips


def compare_pair(
    first: ComparedRow, second: ComparedRow, groups: Sequence[Group]
) -> PairComparison:
    """Compare on the dialogues of both runs and the questions answered in both rows.

    Without failures each mean is the one of the run's report, over the shared dialogues. Raises
    `UsageError` where the runs share no dialogue.
    """
    shared = shared_dialogues(first, second)
    if not shared:
        raise UsageError(
            f"nothing shared: no dialogue of {first.run} is in {second.run} with the same number "
            "and the same text; compare runs on the same data"
        )
    asked = {place for place in _places(first) | _places(second) if place[0] in shared}
    both = sorted(
        place for place in asked if _is_answered(first, place) and _is_answered(second, place)
    )
    return PairComparison(
        first=_name(first),
        second=_name(second),
        dialogues=len(shared),
        left_out=len(asked) - len(both),
        scores={
            scorer: _compare_groups(first.questions[scorer], second.questions[scorer], both, groups)
            for scorer in SCORER_NAMES
        },
        flips=_flips(first.questions["strict"], second.questions["strict"], both),
    )


_Questions = Mapping[Place, Sequence[ScoredQuestion]]


def _name(row: ComparedRow) -> RowName:
    return RowName(
        run=row.run, model=row.model, strategy=row.strategy, label=row.label, oracle=row.oracle
    )


def _places(row: ComparedRow) -> set[Place]:
    return set(row.questions["strict"])


def _is_answered(row: ComparedRow, place: Place) -> bool:
    """Whether a sample of the question has an answer: a failure is no score."""
    samples = row.questions["strict"].get(place, ())
    return any(not sample.failure for sample in samples)


def _compare_groups(
    first: _Questions, second: _Questions, both: Sequence[Place], groups: Sequence[Group]
) -> dict[Group, GroupComparison]:
    sides = [
        dialogue_scores(sample for place in both for sample in questions[place])
        for questions in (first, second)
    ]
    return {group: _compare_scores(*(group_scores(s, group) for s in sides)) for group in groups}


def _compare_scores(first: Mapping[int, float], second: Mapping[int, float]) -> GroupComparison:
    shared = [number for number in first if number in second]
    return GroupComparison(
        first=mean(first[number] for number in shared),
        second=mean(second[number] for number in shared),
        comparison=compare_paired(first, second, generator()),
    )


def _flips(first: _Questions, second: _Questions, both: Sequence[Place]) -> Flips:
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


def _is_followed(samples: Sequence[ScoredQuestion]) -> bool | None:
    """Whether every sample follows all rules; None where no sample has a score."""
    followed = [sample.is_perfect for sample in samples if sample.is_perfect is not None]
    return all(followed) if followed else None


def _id(place: Place) -> str:
    dialogue, _, session, number = place
    return f"{dialogue}/{session}/{number}"
