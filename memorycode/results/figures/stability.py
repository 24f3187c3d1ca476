"""Stability over repeats: how good the best and how bad the worst tenth of the answers are."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from memorycode.errors import UsageError
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.grouping import (
    ESTIMATE,
    INTERVALS,
    by_dialogue,
    estimate_cells,
    length_of,
)
from memorycode.results.figures.series import Drawing, Layout, Series

_PARTS = ("best tenth", "mean", "worst tenth")


def stability(evidence: Evidence) -> Series:
    """The strict score of the best and of the worst tenth of each question's repeats.

    Of a question's repeats a tenth, rounded up, is taken from either end; the mean of a dialogue's
    questions comes first, then that of the dialogues. The gap between best and worst is what luck
    decides. Raises `UsageError` where each question was asked once.
    """
    if not any(row.repeat for row in evidence.answers):
        raise UsageError("stability wants questions asked several times: --repeats 10")
    found = by_dialogue(_parts(evidence))
    labels = evidence.label_order
    keys = sorted(
        found, key=lambda key: (key[1] == "long", labels.index(key[0]), _PARTS.index(key[2]))
    )
    return Series(
        name="stability",
        title="Best and worst tenth of the repeats",
        columns=("label", "group", "part", *ESTIMATE),
        rows=tuple((*key, *estimate_cells(found[key])) for key in keys),
        layout=Layout(
            index=("label", "group"), across="part", value="mean", low="low", high="high"
        ),
        drawing=Drawing(
            kind="dots",
            x="label",
            y="mean",
            low="low",
            high="high",
            by="part",
            panel="group",
            x_label="",
            y_label="strict score",
        ),
        notes=(
            "Strict scorer, after the last session. Best and worst tenth of each question's "
            "repeats, rounded up.",
            INTERVALS,
            *evidence.notes(),
        ),
    )


def _parts(evidence: Evidence) -> Iterator[tuple[tuple[str, str, str], int, float]]:
    repeats: dict[tuple[str, int, str, int], list[float]] = defaultdict(list)
    for row in evidence.answers:
        score = row.score("strict")
        if row.ends_history and score is not None:
            group = length_of(row)
            repeats[evidence.label(row), row.dialogue, group, row.number].append(score)
    for (label, dialogue, group, _), scores in repeats.items():
        for part, score in zip(_PARTS, _best_mean_worst(scores), strict=True):
            yield (label, group, part), dialogue, score


def _best_mean_worst(scores: Sequence[float]) -> tuple[float, float, float]:
    ordered = sorted(scores)
    tenth = math.ceil(len(ordered) / 10)
    best, worst = ordered[-tenth:], ordered[:tenth]
    return math.fsum(best) / tenth, math.fsum(ordered) / len(ordered), math.fsum(worst) / tenth
