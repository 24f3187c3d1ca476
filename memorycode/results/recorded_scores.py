"""Scoring recorded outputs: what ``memorycode score`` prints."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import RecordedDialogue, read_outputs
from memorycode.dialogue import Dialogue, Setting
from memorycode.protocols import Scorer, Verdict
from memorycode.results.metrics import MISSING, SETTINGS, ScoredQuestion, Scores, summarize
from memorycode.running.plan import Question, plan_episodes


class RecordedScores(Scores):
    """The summary of one model's recorded outputs, and the name of the scorer."""

    scorer: str


def score_folders(
    dataset: Path, outputs: Path, scorers: Iterable[Scorer]
) -> dict[str, RecordedScores]:
    """Read a data set and the recorded outputs of one model, and score them by each scorer."""
    with no_cycle_search():
        dialogues, recorded = load_dataset(dataset), read_outputs(outputs)
        return {s.name: score_outputs(dialogues, recorded, s) for s in scorers}


def score_outputs(
    dialogues: Iterable[Dialogue], outputs: Mapping[int, RecordedDialogue], scorer: Scorer
) -> RecordedScores:
    """Score the outputs of one model, by dialogue number, on all three settings.

    A question without a recorded answer counts as missing, an answer without a question as
    surplus; neither is scored. Outputs for other dialogues than these are not looked at.
    """
    scored: list[ScoredQuestion] = []
    surplus: Counter[Setting] = Counter()
    for dialogue in dialogues:
        recorded = outputs.get(dialogue.number) or _nothing_recorded(dialogue)
        for setting in SETTINGS:
            asked = _score_setting(dialogue, setting, recorded, scorer)
            scored += asked
            used = sum(question.failure != MISSING for question in asked)
            surplus[setting] += _recorded_answers(recorded, setting) - used
    return RecordedScores(scorer=scorer.name, **dict(summarize(scored, surplus)))


@contextmanager
def no_cycle_search() -> Iterator[None]:
    """Pause the search for reference cycles. Dialogues and syntax trees have none, but so many
    objects that the interpreter would walk them again and again: a quarter of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _score_setting(
    dialogue: Dialogue, setting: Setting, recorded: RecordedDialogue, scorer: Scorer
) -> list[ScoredQuestion]:
    return [
        _score(question, dialogue, recorded, scorer)
        for episode in plan_episodes(dialogue, setting, "last")
        for question in episode.all_questions
    ]


def _score(
    question: Question, dialogue: Dialogue, recorded: RecordedDialogue, scorer: Scorer
) -> ScoredQuestion:
    answers = recorded.answers(question.setting, question.session)
    is_answered = question.number < len(answers)
    verdicts: Sequence[Verdict] = ()
    if is_answered:
        verdicts = scorer.judge(answers[question.number], question.rules, question.elicited)
    return ScoredQuestion(
        dialogue=dialogue.number,
        sessions=len(dialogue.sessions),
        setting=question.setting,
        session=question.session,
        number=question.number,
        verdicts=tuple(verdicts),
        failure="" if is_answered else MISSING,
    )


def _nothing_recorded(dialogue: Dialogue) -> RecordedDialogue:
    return RecordedDialogue(number=dialogue.number, sessions=())


def _recorded_answers(recorded: RecordedDialogue, setting: Setting) -> int:
    steps = range(len(recorded.sessions))
    return sum(len(recorded.answers(setting, session)) for session in steps)
