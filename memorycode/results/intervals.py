"""The 95 % bootstrap intervals of a row's means, for tables, figures and machines.

Reports show the paper's mean ± standard error; these stand beside it::

    row.scores["strict"].by_dialogue["long_history"]                          # mean, se, n
    score_intervals(row.scores["strict"], ["long_history"])["long_history"]   # mean, low, high, n
    session_intervals(row.scores["official"])[15]    # dialogues of 15 sessions
    curve_intervals(row)[3]                          # checkpoint 3
    question_intervals(row, "strict", ["long_history"])   # of the share of questions
    rule_intervals(row, "strict", ["long_history"])       # of the share of rules

Each is worked out when asked for, in about a hundredth of a second; the same row gives the same
intervals every time and whatever else is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from memorycode.dialogue import Setting
from memorycode.results.answers import Column
from memorycode.results.means import mean
from memorycode.results.metrics import DialogueCounts, DialogueScores, Scores
from memorycode.results.statistics import (
    Interval,
    bootstrap_mean,
    bootstrap_share,
    generator,
)
from memorycode.results.strategy_row import StrategyRow
from memorycode.scoring.scorers import ScorerName

Group = Column | Literal["history"]
"""A column of the paper's Table 4, or all histories, short and long."""


def setting_of(group: Group) -> Setting:
    """The setting whose questions a group is made of."""
    return group if group in ("instruction", "session") else "history"


def group_scores(dialogues: Mapping[int, DialogueScores], group: Group) -> dict[int, float]:
    """The score of each dialogue of a group, by number: the mean of its sessions'. A dialogue with
    nothing to average is not there."""
    setting = setting_of(group)
    found = {
        number: mean(scores.of(setting))
        for number, scores in dialogues.items()
        if _is_in(scores, group)
    }
    return {number: score for number, score in found.items() if score is not None}


def _is_in(dialogue: DialogueScores | DialogueCounts, group: Group) -> bool:
    match group:
        case "short_history":
            return dialogue.is_short
        case "long_history":
            return not dialogue.is_short
    return True


def score_intervals(scores: Scores, groups: Iterable[Group]) -> dict[Group, Interval]:
    """The mean over dialogues with its interval, for each of the groups."""
    return {group: _interval(group_scores(scores.dialogues, group).values()) for group in groups}


def question_intervals(
    row: StrategyRow, scorer: ScorerName, groups: Iterable[Group]
) -> dict[Group, Interval]:
    """The share of questions that follow all rules. The row's own setting must fill the groups."""
    return {
        group: _share((d.perfect, d.questions) for d in _counts(row, scorer, group))
        for group in groups
    }


def rule_intervals(
    row: StrategyRow, scorer: ScorerName, groups: Iterable[Group]
) -> dict[Group, Interval]:
    """The share of rules followed. The row's own setting must fill the groups."""
    return {
        group: _share((d.followed, d.rules) for d in _counts(row, scorer, group))
        for group in groups
    }


def _counts(row: StrategyRow, scorer: ScorerName, group: Group) -> list[DialogueCounts]:
    return [dialogue for dialogue in row.counts[scorer].values() if _is_in(dialogue, group)]


def _share(counted: Iterable[tuple[float, int]]) -> Interval:
    present = [(part, whole) for part, whole in counted if whole]
    return bootstrap_share([part for part, _ in present], [w for _, w in present], generator())


def session_intervals(scores: Scores) -> dict[int, Interval]:
    """The history score at the last session by the dialogues' number of sessions."""
    values: dict[int, list[float]] = defaultdict(list)
    for dialogue in scores.dialogues.values():
        if dialogue.history[-1] is not None:
            values[len(dialogue.history)].append(dialogue.history[-1])
    return {length: _interval(values[length]) for length in sorted(values)}


def curve_intervals(row: StrategyRow) -> dict[int, Interval]:
    """The official history score by checkpoint, where the strategy was asked at several."""
    return {at: _interval(scores.values()) for at, scores in row.curve_scores.items()}


def _interval(values: Iterable[float]) -> Interval:
    return bootstrap_mean(list(values), generator())
