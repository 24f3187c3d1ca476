"""Where violated rules were lost, by strategy."""

from __future__ import annotations

from collections import Counter, defaultdict

from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.series import Drawing, Layout, Series, Value
from memorycode.scoring.attribution import CAUSES


def attribution(evidence: Evidence) -> Series:
    """By cause, how many of the rules asked for the strict scorer found violated.

    `share` is of all rules whose object is there, at the last checkpoint; the causes' shares add up
    to what was violated. Verdicts are counted, not averaged over dialogues: the long ones weigh
    most. Other settings than the history stand for themselves.
    """
    causes: dict[str, Counter[str]] = defaultdict(Counter)
    judged: Counter[str] = Counter()
    for row in evidence.answers:
        if row.is_last_checkpoint:
            label = evidence.label(row)
            if row.setting != "history":
                label = f"{label}, {row.setting} alone"
            verdicts = list(row.judged("strict"))
            judged[label] += len(verdicts)
            causes[label].update(v.cause for v in verdicts if v.cause is not None)
    rows: list[tuple[Value, ...]] = [
        (label, cause.replace("_", " "), counts[cause], _share(counts[cause], judged[label]))
        for label, counts in causes.items()
        for cause in CAUSES
    ]
    return Series(
        name="attribution",
        title="Where violated rules were lost",
        columns=("label", "cause", "rules", "share"),
        rows=tuple(rows),
        layout=Layout(index=("label",), across="cause", value="share"),
        drawing=Drawing(
            kind="stacked",
            x="label",
            y="share",
            by="cause",
            x_label="",
            y_label="share of rules violated",
        ),
        notes=(
            "Share of the rules whose object the code has; strict scorer; the first cause that "
            "fits (docs/scorers.md).",
            *evidence.notes(),
        ),
    )


def _share(count: int, judged: int) -> float | None:
    return count / judged if judged else None
