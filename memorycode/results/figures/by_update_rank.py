"""Score by update rank at equal number of sessions: the paper's figure 6."""

from __future__ import annotations

from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.grouping import ESTIMATE, INTERVALS, by_dialogue, estimate_cells
from memorycode.results.figures.series import Drawing, Layout, Series


def by_update_rank(evidence: Evidence) -> Series:
    """How well rules are followed after the last session by how often they had been updated.

    The update rank of a rule is how often it was updated throughout the dialogue (section 6.3).
    Updates grow with the number of sessions, so that each number of sessions stands for itself. A
    rule's score is its official verdict on each question; of a dialogue's rules of one rank the
    mean is taken, then that of the dialogues.
    """
    found = by_dialogue(
        ((evidence.label(row), row.sessions, verdict.rule.rank), row.dialogue, verdict.score)
        for row in evidence.answers
        if row.ends_history
        for verdict in row.judged("official")
    )
    labels = evidence.label_order
    keys = sorted(found, key=lambda key: (labels.index(key[0]), *key[1:]))
    return Series(
        name="by_update_rank",
        title="History score by update rank, at equal number of sessions",
        columns=("label", "sessions", "update_rank", *ESTIMATE),
        rows=tuple((*key, *estimate_cells(found[key])) for key in keys),
        layout=Layout(index=("label", "sessions"), across="update_rank", value="mean"),
        drawing=Drawing(
            kind="lines",
            x="update_rank",
            y="mean",
            low="low",
            high="high",
            by="sessions",
            panel="label",
            x_label="update rank",
            y_label="score",
            x_scale="linear",
        ),
        notes=(
            "Official verdicts on each rule after the last session. Update rank: how often the "
            "rule was updated throughout the dialogue.",
            INTERVALS,
            *evidence.notes(),
        ),
    )
