"""Score by instruction, as first told and as updated: figures 8 and 9 in the paper's appendix E."""

from __future__ import annotations

from collections.abc import Callable

from memorycode.results.answers import AskedRule
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.family_names import family_name
from memorycode.results.figures.grouping import ESTIMATE, INTERVALS, by_dialogue, estimate_cells
from memorycode.results.figures.series import Drawing, Layout, Series


def by_instruction(evidence: Evidence) -> Series:
    """How well each instruction is followed after the last session where it was told once.

    Official verdicts; the mean of a dialogue's questions, then of the dialogues (figure 8).
    """
    return _series(
        evidence,
        lambda rule: rule.rank == 0,
        name="by_instruction",
        title="History score by instruction, never updated",
    )


def by_update(evidence: Evidence) -> Series:
    """How well each instruction is followed after the last session where an update holds.

    Official verdicts; the mean of a dialogue's questions, then of the dialogues (figure 9).
    """
    return _series(
        evidence,
        lambda rule: rule.rank > 0,
        name="by_update",
        title="History score by instruction, updated",
    )


def _series(
    evidence: Evidence, wanted: Callable[[AskedRule], bool], *, name: str, title: str
) -> Series:
    found = by_dialogue(
        ((evidence.label(row), family_name(verdict.rule.rule)), row.dialogue, verdict.score)
        for row in evidence.answers
        if row.ends_history
        for verdict in row.judged("official")
        if wanted(verdict.rule)
    )
    cells = {key: estimate_cells(scores) for key, scores in found.items()}
    labels = evidence.label_order
    instructions = {instruction for _, instruction in cells}
    # The best followed first, by the mean over all that is compared.
    ordered = sorted(instructions, key=lambda one: (-_overall(cells, labels, one), one))
    rows = [
        (label, instruction, *cells[label, instruction])
        for instruction in ordered
        for label in labels
        if (label, instruction) in cells
    ]
    return Series(
        name=name,
        title=title,
        columns=("label", "instruction", *ESTIMATE),
        rows=tuple(rows),
        layout=Layout(index=("instruction",), across="label", value="mean", low="low", high="high"),
        drawing=Drawing(
            kind="dots",
            x="instruction",
            y="mean",
            low="low",
            high="high",
            by="label",
            x_label="",
            y_label="score",
        ),
        notes=("Official verdicts after the last session.", INTERVALS, *evidence.notes()),
    )


def _overall(
    cells: dict[tuple[str, str], tuple[float | None, float | None, float | None, int]],
    labels: list[str],
    instruction: str,
) -> float:
    means = [
        cells[label, instruction][0] or 0.0 for label in labels if (label, instruction) in cells
    ]
    return sum(means) / len(means)
