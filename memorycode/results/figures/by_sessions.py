"""Score by number of sessions: the paper's figures 4, 5 and 7."""

from __future__ import annotations

from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.grouping import ESTIMATE, INTERVALS, estimate_cells
from memorycode.results.figures.scores import history_scores
from memorycode.results.figures.series import Drawing, Layout, Series


def by_sessions(evidence: Evidence) -> Series:
    """The official history score after the last session by the dialogue's number of sessions.

    One curve per model, strategy or both: figure 4 has models, figure 5 the chain of instructions
    beside the whole history, figure 7 retrieval beside both.
    """
    rows = []
    for label, dialogues in history_scores(evidence, "official").items():
        lengths = sorted({sessions for sessions, _ in dialogues.values()})
        for length in lengths:
            scores = {n: score for n, (sessions, score) in dialogues.items() if sessions == length}
            rows.append((label, length, *estimate_cells(scores)))
    return Series(
        name="by_sessions",
        title="History score by number of sessions",
        columns=("label", "sessions", *ESTIMATE),
        rows=tuple(rows),
        layout=Layout(index=("label",), across="sessions", value="mean"),
        drawing=Drawing(
            kind="lines",
            x="sessions",
            y="mean",
            low="low",
            high="high",
            by="label",
            x_label="number of sessions",
            y_label="score",
            x_scale="log",
        ),
        notes=("Official scorer, after the last session.", INTERVALS, *evidence.notes()),
    )
