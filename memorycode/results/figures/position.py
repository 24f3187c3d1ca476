"""Position of the rule in the history: recency, and what is lost in the middle."""

from __future__ import annotations

from memorycode.dialogue import SHORT_SESSIONS
from memorycode.errors import UsageError
from memorycode.results.answers import Answer, RuleVerdict
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.grouping import ESTIMATE, INTERVALS, strict_by_group
from memorycode.results.figures.series import Drawing, Layout, Series

_PARTS = 10
_FEWEST = 10
"""Sessions that a dialogue must have for its parts to mean something."""


def position(evidence: Evidence) -> Series:
    """How well rules are followed after the last session by where in the history they were told.

    The history is cut into tenths by session; dialogues of fewer than 10 sessions are left out. A
    rule that was told again counts where it was told last, and apart from those told once: what is
    told late is more often an update. Strict scorer. Raises `UsageError` where no dialogue is long
    enough.
    """
    asked = (row for row in evidence.answers if row.ends_history and row.sessions >= _FEWEST)
    rows = strict_by_group(evidence, asked, _part)
    if not rows:
        raise UsageError(f"position wants dialogues of {_FEWEST} sessions or more")
    return Series(
        name="position",
        title="Rules followed by where in the history they were told",
        columns=("label", "group", "told_at", *ESTIMATE),
        rows=tuple(rows),
        layout=Layout(index=("label", "group"), across="told_at", value="mean"),
        drawing=Drawing(
            kind="lines",
            x="told_at",
            y="mean",
            low="low",
            high="high",
            by="label",
            panel="group",
            x_label="told in this tenth of the history",
            y_label="strict score",
            x_scale="linear",
        ),
        notes=(
            "Strict verdicts after the last session, in dialogues of 10 sessions or more. Short: "
            f"up to {SHORT_SESSIONS}. Tenth 1 is the oldest part of the history.",
            INTERVALS,
            *evidence.notes(),
        ),
    )


def _part(row: Answer, verdict: RuleVerdict) -> int:
    """1 to 10; the oldest sessions first."""
    return 1 + verdict.rule.told * _PARTS // row.sessions
