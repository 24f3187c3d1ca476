"""Questions whose verdicts differ between the first run of a page and another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memorycode.results.answers import Answer
from memorycode.running.manifest import RunSettings

Row = tuple[int, int]
"""A strategy and a model, by their numbers in the manifest."""


class Flip(NamedTuple):
    """A question that both runs answered, with other verdicts by the strict scorer.

    `lost` and `gained` count its rules, from the first run's point of view to the other's. `whole`
    is -1 where all were followed before and no longer are, 1 the other way round, else 0.
    """

    dialogue: int
    session: int
    number: int
    repeat: int
    first: Row
    run: int
    second: Row
    lost: int
    gained: int
    whole: int


def paired_rows(first: RunSettings, second: RunSettings) -> dict[Row, Row]:
    """Which row of a run is which of another: same strategy and model; where each has one model
    only, same strategy; where each has one row only, that one."""
    names = [
        {
            (s, m): (strategy.spec, model.name)
            for s, strategy in enumerate(settings.strategies)
            for m, model in enumerate(settings.models)
        }
        for settings in (first, second)
    ]
    if len(names[0]) == len(names[1]) == 1:
        return {(0, 0): (0, 0)}
    if len(first.models) == len(second.models) == 1:
        names = [{row: (spec, "") for row, (spec, _) in rows.items()} for rows in names]
    there = {name: row for row, name in names[1].items()}
    return {row: there[name] for row, name in names[0].items() if name in there}


def flips(runs: Mapping[int, tuple[RunSettings, Sequence[Answer]]]) -> Iterator[Flip]:
    """Those of one dialogue: what the runs that have it, by their numbers, were asked and
    answered."""
    if 0 not in runs:
        return
    settings, answers = runs[0]
    for run, (other_settings, other_answers) in runs.items():
        if run:
            there = {
                (answer.source.strategy, answer.source.model, answer.place, answer.repeat): answer
                for answer in other_answers
            }
            pairs = _paired_names(settings, other_settings)
            for answer in answers:
                row = answer.source.strategy, answer.source.model
                other = row in pairs and there.get((*pairs[row], answer.place, answer.repeat))
                if other:
                    yield from _between(answer, settings, run, other, other_settings)


def _paired_names(
    first: RunSettings, second: RunSettings
) -> dict[tuple[str, str], tuple[str, str]]:
    """`paired_rows`, each by its names."""
    return {
        (first.strategies[s].spec, first.models[m].name): (
            second.strategies[other_s].spec,
            second.models[other_m].name,
        )
        for (s, m), (other_s, other_m) in paired_rows(first, second).items()
    }


def _between(
    answer: Answer, settings: RunSettings, run: int, other: Answer, other_settings: RunSettings
) -> Iterator[Flip]:
    before, after = (_followed(one) for one in (answer, other))
    lost = sum(b and not a for b, a in zip(before, after, strict=False))
    gained = sum(a and not b for b, a in zip(before, after, strict=False))
    if lost or gained:
        yield Flip(
            dialogue=answer.dialogue,
            session=answer.session,
            number=answer.number,
            repeat=answer.repeat,
            first=_row(answer, settings),
            run=run,
            second=_row(other, other_settings),
            lost=lost,
            gained=gained,
            whole=int(all(after)) - int(all(before)),
        )


def _row(answer: Answer, settings: RunSettings) -> Row:
    """By its numbers in the manifest."""
    specs = [entry.spec for entry in settings.strategies]
    names = [entry.name for entry in settings.models]
    return specs.index(answer.source.strategy), names.index(answer.source.model)


def _followed(answer: Answer) -> list[bool]:
    return [verdict == "followed" for verdict in answer.verdicts.get("strict", ())]


def in_order(found: Iterable[Flip]) -> list[Flip]:
    """Those that went from right to wrong first, then those from wrong to right; of these the
    greatest changes first."""
    return sorted(found, key=lambda f: (abs(f.whole) != 1, f.whole, -max(f.lost, f.gained), f))
