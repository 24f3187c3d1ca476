"""The scores of recorded outputs: what ``memorycode score`` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import RecordedDialogue, load_outputs
from memorycode.dialogue import Dialogue, Setting
from memorycode.protocols import Scorer
from memorycode.results.answers import SETTINGS, Answer, Source
from memorycode.results.asked_rules import RuleHistory
from memorycode.results.garbage_collection import paused_collection
from memorycode.results.metrics import Scores, summarize
from memorycode.results.outputs import recorded_answers, surplus_answers


class RecordedScores(Scores):
    """The summary of one model's recorded outputs, and the name of the scorer."""

    scorer: str


def score_folders(
    dataset: Path, outputs: Path, scorers: Iterable[Scorer]
) -> dict[str, RecordedScores]:
    """Read a data set and the recorded outputs of one model, and score them by each scorer."""
    with paused_collection():
        dialogues, recorded = load_dataset(dataset), load_outputs(outputs)
        return {s.name: score_outputs(dialogues, recorded, s) for s in scorers}


def score_outputs(
    dialogues: Iterable[Dialogue], outputs: Mapping[int, RecordedDialogue], scorer: Scorer
) -> RecordedScores:
    """Score the outputs of one model, by dialogue number, on the settings that they have.

    A question without a recorded answer counts as missing, an answer without a question as
    surplus; neither is scored. The questions of a setting that is in no output are not counted:
    they were not asked. Outputs for other dialogues than these are not looked at.
    """
    recorded_settings = {setting for output in outputs.values() for setting in output.settings}
    settings = [setting for setting in SETTINGS if setting in (recorded_settings or SETTINGS)]
    answers: list[Answer] = []
    surplus: Counter[Setting] = Counter()
    for dialogue in dialogues:
        recorded = outputs.get(dialogue.number)
        history = RuleHistory(dialogue)
        asked = list(recorded_answers(history, recorded, Source(""), settings, [scorer]))
        if recorded is not None:
            surplus.update(surplus_answers(recorded, asked))
        answers += asked
    scores = summarize(answers, scorer.name, surplus)
    return RecordedScores(scorer=scorer.name, **dict(scores))
