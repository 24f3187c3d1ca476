"""Rows know where they stand and where they count, and of each rule when it was last told and how
often it was updated."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from memorycode import evaluate
from memorycode.datasets.outputs import RecordedDialogue, RecordedSession
from memorycode.dialogue import Dialogue, Setting
from memorycode.results.answers import Answer, AskedRule, RuleVerdict, Source
from memorycode.results.asked_rules import RuleHistory
from memorycode.results.figures.evidence import from_runs
from memorycode.results.outputs import recorded_answers
from memorycode.running.plan import plan_episodes
from memorycode.scoring.official import OfficialScorer
from tests.results.making import asked, make_answer


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
    evaluate([small_dialogue], strategies=strategies, ask_after="every", out=tmp_path / "run")
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


# ── by hand ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [("f", 1), ("v", 0), ("u", 0), ("a", None), ("", None), ("fva", 0.5), ("ffu", 2 / 3)],
)
def test_a_question_is_the_mean_of_the_rules_whose_object_is_there(
    verdicts: str, score: float | None
) -> None:
    assert make_answer(verdicts).score("strict") == score


@pytest.mark.parametrize(
    ("verdicts", "perfect"),
    [("f", True), ("ffa", True), ("fffv", False), ("fffu", False), ("v", False), ("a", None)],
)
def test_an_answer_is_perfect_if_each_of_its_rules_is_followed(
    verdicts: str, perfect: bool | None
) -> None:
    """Three of four are not enough."""
    assert make_answer(verdicts).is_perfect("strict") is perfect


@pytest.mark.parametrize(
    ("sessions", "is_short"), [(1, True), (15, True), (16, False), (30, False)]
)
def test_a_dialogue_is_short_up_to_15_sessions(sessions: int, is_short: bool) -> None:
    row = make_answer(sessions=sessions, setting="history")
    assert row.is_short is is_short
    assert row.column == ("short_history" if is_short else "long_history")
    assert make_answer(sessions=sessions, setting="session").column == "session"
    assert make_answer(sessions=sessions, setting="instruction").column == "instruction"


@pytest.mark.parametrize(
    ("setting", "session", "is_last", "ends"),
    [
        ("history", 3, True, True),
        ("history", 2, False, False),
        ("history", 0, False, False),
        ("session", 3, True, False),
        ("session", 0, True, False),
        ("instruction", 3, True, False),
        ("instruction", 1, True, False),
    ],
)
def test_only_a_history_has_checkpoints_before_its_last(
    setting: Setting, session: int, is_last: bool, ends: bool
) -> None:
    row = make_answer(sessions=4, session=session, setting=setting)
    assert row.is_last_checkpoint is is_last
    assert row.ends_history is ends


def test_a_history_of_any_length_has_a_last_checkpoint() -> None:
    assert make_answer(sessions=1, setting="history").is_last_checkpoint
    assert make_answer(sessions=999, setting="history").is_last_checkpoint
    assert not make_answer(sessions=999, session=997, setting="history").is_last_checkpoint


def test_repeats_share_a_place() -> None:
    rows = [
        make_answer(dialogue=3, sessions=4, session=2, setting="session", number=1, repeat=repeat)
        for repeat in (0, 1)
    ]
    assert rows[0].place == rows[1].place == (3, "session", 2, 1)


def test_what_is_judged_leaves_out_absent_objects_and_rules_that_nobody_told() -> None:
    first, last = asked("function"), asked("class")
    row = make_answer(
        "fvav",
        rules=(first, None, asked(), last),
        causes={3: "not_recalled"},
    )
    assert list(row.judged("strict")) == [
        RuleVerdict(first, 1, None),
        RuleVerdict(last, 0, "not_recalled"),
    ]
    assert [verdict.cause for verdict in row.judged("official")] == [None, None]
    assert list(row.judged("another")) == []


def test_a_source_is_named_by_its_strategy_and_what_is_special_about_it() -> None:
    assert Source("m") == ("m", "recorded", False, "", "")
    assert Source("m", "rag").label == "rag"
    assert Source("m", "rolling_summary", variant="extractive").label == (
        "rolling_summary (extractive)"
    )


def test_a_row_that_says_no_more_is_the_first_answer_and_took_nothing() -> None:
    row = Answer("1/0/0", Source("m"), 1, 1, "history", 0, 0, (), {}, {})
    assert (row.failure, row.error, row.repeat, row.round) == ("", "", 0, 0)
    assert (row.context_tokens, row.prompt_tokens, row.truncated) == (0, 0, False)
    assert row.recalled is None


def test_rows_do_not_change_and_are_small() -> None:
    """There are as many as a run has questions."""
    row = make_answer("f")
    with pytest.raises(FrozenInstanceError):
        row.dialogue = 2  # type: ignore[misc]
    assert not hasattr(row, "__dict__")
