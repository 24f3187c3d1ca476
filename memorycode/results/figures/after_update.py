"""Learning and forgetting: how long after it was told, or changed, is a rule followed?"""

from __future__ import annotations

from memorycode.errors import UsageError
from memorycode.results.answers import Answer, RuleVerdict
from memorycode.results.figures.evidence import Evidence
from memorycode.results.figures.grouping import ESTIMATE, INTERVALS, strict_by_group
from memorycode.results.figures.series import Drawing, Layout, Series

_FROM = (0, 1, 2, 3, 5, 9, 17, 33)
"""Where each group of numbers of sessions begins; it ends before the next."""


def after_update(evidence: Evidence) -> Series:
    """How well rules are followed by the number of sessions since they were told.

    Every checkpoint counts, so it takes a run that was asked after every session (`--ask-after
    every`). *New* rules were told once, *updated* ones have replaced a version; 0 is the session in
    which the rule was told. Strict scorer. Long intervals occur in long dialogues only, hence short
    and long ones apart. Raises `UsageError` for runs that were asked at the end alone.
    """
    asked = [row for row in evidence.answers if row.setting == "history"]
    if all(row.ends_history for row in asked):
        raise UsageError("after_update wants a run with --ask-after every, such as forgetting")
    rows = strict_by_group(evidence, asked, _since)
    return Series(
        name="after_update",
        title="Rules followed by sessions since they were told",
        columns=("label", "group", "sessions_since", *ESTIMATE),
        rows=tuple((*row[:2], _title(row[2]), *row[3:]) for row in rows),
        layout=Layout(index=("label", "group"), across="sessions_since", value="mean"),
        drawing=Drawing(
            kind="lines",
            x="sessions_since",
            y="mean",
            low="low",
            high="high",
            by="label",
            panel="group",
            x_label="sessions since told",
            y_label="strict score",
        ),
        order=tuple(map(_title, range(len(_FROM)))),
        notes=(
            "Strict verdicts at all checkpoints. Updated: the rule replaced another version.",
            INTERVALS,
            *evidence.notes(),
        ),
    )


def _since(row: Answer, verdict: RuleVerdict) -> int:
    """Which group of numbers of sessions it belongs to."""
    since = row.session - verdict.rule.told
    return max(place for place, first in enumerate(_FROM) if first <= since)


def _title(place: int) -> str:
    first = _FROM[place]
    if place == len(_FROM) - 1:
        return f"{first}+"
    last = _FROM[place + 1] - 1
    return str(first) if first == last else f"{first}–{last}"
