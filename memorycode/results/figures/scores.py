"""The paper's scores by dialogue, for each label of a figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from memorycode.dialogue import Setting
from memorycode.results.answers import Answer
from memorycode.results.figures.evidence import Evidence
from memorycode.results.means import mean
from memorycode.results.metrics import DialogueScores, dialogue_scores
from memorycode.scoring.scorers import ScorerName


def scores_by_label(
    evidence: Evidence, scorer: ScorerName, wanted: Callable[[Answer], bool]
) -> dict[str, dict[int, DialogueScores]]:
    """Every dialogue's scores at each of its sessions, by label, of the rows that are wanted."""
    answers: dict[str, list[Answer]] = defaultdict(list)
    for row in evidence.answers:
        if wanted(row):
            answers[evidence.label(row)].append(row)
    return {label: dialogue_scores(asked, scorer) for label, asked in answers.items()}


def history_scores(
    evidence: Evidence, scorer: ScorerName
) -> dict[str, dict[int, tuple[int, float]]]:
    """By label and dialogue, the number of sessions and the score after the last of them.

    Dialogues without a score are left out: all of their rules' objects are absent, or no question
    was answered.
    """
    found = scores_by_label(evidence, scorer, lambda row: row.ends_history)
    return {
        label: {
            number: (len(scores.history), last)
            for number, scores in dialogues.items()
            if (last := scores.history[-1]) is not None
        }
        for label, dialogues in found.items()
    }


def setting_scores(
    evidence: Evidence, scorer: ScorerName, setting: Setting
) -> dict[str, dict[int, tuple[int, float]]]:
    """By label and dialogue, the number of sessions and the mean score of all of them in the
    settings of one session or one instruction alone; in ``history`` that after the last one."""
    if setting == "history":
        return history_scores(evidence, scorer)
    found = scores_by_label(evidence, scorer, lambda row: row.setting == setting)
    return {
        label: {
            number: (len(scores.history), score)
            for number, scores in dialogues.items()
            if (score := mean(scores.of(setting))) is not None
        }
        for label, dialogues in found.items()
    }
