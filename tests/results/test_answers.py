"""Rows for figures know of each rule when it was last told and how often it was updated."""

from __future__ import annotations

from pathlib import Path

from memorycode import evaluate
from memorycode.datasets.outputs import RecordedDialogue, RecordedSession
from memorycode.dialogue import Dialogue, Setting
from memorycode.results.answers import AskedRule, Source
from memorycode.results.asked_rules import RuleHistory
from memorycode.results.figures.evidence import from_runs
from memorycode.results.outputs import recorded_answers
from memorycode.running.plan import plan_episodes
from memorycode.scoring.official import OfficialScorer


def told(dialogue: Dialogue, setting: Setting, at: int) -> list[tuple[int, int, int]]:
    """Family, session and rank of the rules of the first question at a checkpoint."""
    history = RuleHistory(dialogue)
    for episode in plan_episodes(dialogue, setting, "every"):
        if at in episode.questions:
            rules = history.asked(episode.questions[at][0])
            return [(r.family, r.told, r.rank) for r in rules if r is not None]
    raise AssertionError("no such question")


def test_an_update_moves_the_session_and_the_rank(small_dialogue: Dialogue) -> None:
    assert told(small_dialogue, "history", 0) == [(6, 0, 0)]
    assert told(small_dialogue, "history", 1) == [(6, 0, 0)]
    assert told(small_dialogue, "history", 3) == [(6, 2, 1), (23, 2, 0)]
    assert told(small_dialogue, "session", 2) == [(6, 2, 1), (23, 2, 0)]
    assert told(small_dialogue, "instruction", 2) == [(6, 2, 1)]


def test_a_question_without_a_recorded_answer_is_missing(small_dialogue: Dialogue) -> None:
    empty = RecordedSession()
    recorded = RecordedDialogue(
        number=7, sessions=(empty, empty, empty, RecordedSession(history=("x = 1",)))
    )
    scorers = [OfficialScorer()]
    rows = list(
        recorded_answers(RuleHistory(small_dialogue), recorded, Source("m"), ["history"], scorers)
    )
    assert [row.failure for row in rows] == ["", "missing"]
    assert rows[0].verdicts == {"official": ("absent", "absent")}
    assert rows[1].verdicts == {}
    nothing = list(
        recorded_answers(RuleHistory(small_dialogue), None, Source("m"), ["history"], scorers)
    )
    assert [row.failure for row in nothing] == ["missing", "missing"]


def test_a_runs_rows_have_the_rules_of_their_questions(
    small_dialogue: Dialogue, tmp_path: Path
) -> None:
    strategies = ["no_memory", "full_history"]
    evaluate([small_dialogue], strategies=strategies, checkpoints="every", out=tmp_path / "run")
    evidence = from_runs([tmp_path / "run"])
    asked = [row.source.strategy for row in evidence.answers]
    assert asked == ["no_memory"] * 6 + ["full_history"] * 6
    last = [
        row
        for row in evidence.answers
        if row.is_last_checkpoint and row.source.strategy == "full_history"
    ]
    assert len(last) == 2
    for row in last:
        rules = [rule for rule in row.rules if isinstance(rule, AskedRule)]
        assert [(rule.told, rule.rank) for rule in rules] == [(2, 1), (2, 0)]
        assert [verdict.score for verdict in row.judged("strict")] == [1, 1]
    lost = [v for row in evidence.answers for v in row.judged("strict") if v.score == 0]
    assert lost
    assert {verdict.cause for verdict in lost} == {"not_recalled"}
