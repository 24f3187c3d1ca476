"""The paper's Table 4 and figure 3: what each model scores in each setting."""

from __future__ import annotations

from collections.abc import Mapping

from memorycode.dialogue import Setting, is_short
from memorycode.results.answers import Column
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.grouping import ESTIMATE, INTERVALS, estimate_cells
from memorycode.results.figures.scores import setting_scores
from memorycode.results.figures.series import Drawing, Layout, Series, Value
from memorycode.results.means import estimate

_SETTINGS: tuple[Setting, ...] = ("instruction", "session", "history")
_TITLES: Mapping[Column, str] = {
    "instruction": "instruction",
    "session": "session",
    "short_history": "short history",
    "long_history": "long history",
}


def settings_table(evidence: Evidence) -> Series:
    """The official score by setting: mean over dialogues with its standard error, as Table 4 has
    it, and the 95 % interval, as figure 3 has it. *Short* are dialogues of up to 15 sessions."""
    rows: list[tuple[Value, ...]] = []
    cells: dict[tuple[str, str], tuple[Value, ...]] = {}
    for setting in _SETTINGS:
        for label, dialogues in setting_scores(evidence, "official", setting).items():
            for column, scores in _columns(setting, dialogues).items():
                if scores:
                    mean, low, high, n = estimate_cells(scores)
                    cells[label, column] = (mean, estimate(scores.values()).se, low, high, n)
    for label in evidence.label_order:
        rows += [
            (label, _TITLES[column], *cells[label, column])
            for column in _TITLES
            if (label, column) in cells
        ]
    return Series(
        name="settings",
        title="Official scores by setting",
        columns=("label", "setting", "mean", "se", *ESTIMATE[1:]),
        rows=tuple(rows),
        layout=Layout(index=("label",), across="setting", value="mean", error="se"),
        drawing=Drawing(
            kind="bars",
            x="setting",
            y="mean",
            low="low",
            high="high",
            by="label",
            x_label="",
            y_label="score",
        ),
        order=tuple(_TITLES.values()),
        notes=(
            "Official scorer, ± standard error. Short: up to 15 sessions.",
            INTERVALS,
            *evidence.notes(),
        ),
    )


def _columns(
    setting: Setting, dialogues: Mapping[int, tuple[int, float]]
) -> dict[Column, dict[int, float]]:
    if setting != "history":
        return {setting: {number: score for number, (_, score) in dialogues.items()}}
    short = {n: score for n, (length, score) in dialogues.items() if is_short(length)}
    long = {n: score for n, (_, score) in dialogues.items() if n not in short}
    return {"short_history": short, "long_history": long}
