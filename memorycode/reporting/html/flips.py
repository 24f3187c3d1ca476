"""Questions whose verdicts differ between the first run of a page and another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

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
    sample: int
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


def flips(data: Mapping[str, Any], settings: Sequence[RunSettings | None]) -> Iterator[Flip]:
    """Those of one dialogue's data. `settings` are those of the runs, None where a run has not
    this dialogue."""
    first = settings[0]
    if first is None:
        return
    for run, second in enumerate(settings[1:], start=1):
        if second is not None:
            yield from _between(data, run, paired_rows(first, second))


def _between(data: Mapping[str, Any], run: int, rows: Mapping[Row, Row]) -> Iterator[Flip]:
    there = {_key(entry): entry for entry in data["questions"] if entry["run"] == run}
    for entry in data["questions"]:
        row = entry["strategy"], entry["model"]
        if entry["run"] or row not in rows:
            continue
        other = there.get((*rows[row], *_key(entry)[2:]))
        if other is None:
            continue
        before, after = (_followed(one) for one in (entry, other))
        lost = sum(b and not a for b, a in zip(before, after, strict=False))
        gained = sum(a and not b for b, a in zip(before, after, strict=False))
        if lost or gained:
            asked = data["asked"][entry["asked"]]
            yield Flip(
                dialogue=data["number"],
                session=asked["session"],
                number=asked["number"],
                sample=entry.get("sample", 0),
                first=row,
                run=run,
                second=rows[row],
                lost=lost,
                gained=gained,
                whole=int(all(after)) - int(all(before)),
            )


def _key(entry: Mapping[str, Any]) -> tuple[int, int, int, int]:
    return entry["strategy"], entry["model"], entry["asked"], entry.get("sample", 0)


def _followed(entry: Mapping[str, Any]) -> list[bool]:
    return [letter == "f" for letter in entry.get("verdicts", {}).get("strict", "")]


def in_order(found: Iterable[Flip]) -> list[Flip]:
    """Those that went from right to wrong first, then those from wrong to right; of these the
    greatest changes first."""
    return sorted(found, key=lambda f: (abs(f.whole) != 1, f.whole, -max(f.lost, f.gained), f))
