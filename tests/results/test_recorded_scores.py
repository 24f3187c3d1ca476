"""Recorded outputs: the reference scores of three models, and what is missing stays in sight."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import RecordedDialogue, RecordedSession, load_outputs
from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.protocols import Verdict
from memorycode.results.recorded_scores import RecordedScores, score_outputs
from memorycode.rules import ObjectKind, Rule
from memorycode.scoring.official import OfficialScorer

GOLDEN: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "official_scores.json").read_text(encoding="utf-8")
)
VERDICTS = ("followed", "violated", "absent", "unparsable")
RELEASE = os.environ.get("MEMORYCODE_RELEASE", "")
needs_release = pytest.mark.skipif(not RELEASE, reason="MEMORYCODE_RELEASE names no folder")


@lru_cache(maxsize=1)
def release_dialogues() -> tuple[Dialogue, ...]:
    return load_dataset(Path(RELEASE) / "dataset")


@lru_cache(maxsize=3)
def release_scores(model: str) -> Mapping[str, Any]:
    """What the command prints, read back."""
    outputs = load_outputs(Path(RELEASE) / "outputs" / model)
    scores = score_outputs(release_dialogues(), outputs, OfficialScorer())
    decoded: dict[str, Any] = json.loads(scores.model_dump_json())
    return decoded


def close(wanted: Any) -> Any:
    return pytest.approx(wanted, abs=1e-12, rel=0)


@needs_release
@pytest.mark.parametrize("model", GOLDEN)
def test_reference_table(model: str) -> None:
    scores = release_scores(model)
    assert scores["scorer"] == "official"
    assert scores["by_position"] == close(GOLDEN[model]["by_position"])
    assert scores["by_dialogue"].keys() == GOLDEN[model]["by_dialogue"].keys()
    for column, wanted in GOLDEN[model]["by_dialogue"].items():
        assert scores["by_dialogue"][column] == close(wanted)


@needs_release
@pytest.mark.parametrize("model", GOLDEN)
def test_reference_score_of_every_session(model: str) -> None:
    scores = release_scores(model)["dialogues"]
    assert list(scores) == list(GOLDEN[model]["dialogues"])
    for number, wanted in GOLDEN[model]["dialogues"].items():
        for setting, values in wanted.items():
            assert scores[number][setting] == [
                None if value is None else close(value) for value in values
            ], f"dialogue {number}, {setting}"


@needs_release
@pytest.mark.parametrize("model", GOLDEN)
def test_every_recorded_answer_is_covered(model: str) -> None:
    scores = release_scores(model)
    whole = scores["coverage"]
    assert whole["questions"] == whole["answered"] == 15_760
    assert (whole["missing"], whole["failed"], whole["surplus"]) == (0, {}, 0)
    parts = scores["coverage_by_setting"].values()
    for count in ("questions", *VERDICTS):
        assert whole[count] == sum(part[count] for part in parts)
    assert sum(whole[verdict] for verdict in VERDICTS) == 113_681


@needs_release
@pytest.mark.parametrize("model", GOLDEN)
def test_history_by_number_of_sessions(model: str) -> None:
    by_sessions = release_scores(model)["by_sessions"]
    assert list(by_sessions) == "1 2 3 4 5 10 15 20 30 40 50 100".split()
    # The release has equally many dialogues of each length.
    short = [by_sessions[length] for length in ("1", "2", "3", "4", "5", "10", "15")]
    assert sum(short) / 7 == close(GOLDEN[model]["by_dialogue"]["short_history"]["mean"])


FUNCTION_A = Rule(object="function", check="^a_.*")
FUNCTION_B = Rule(object="function", check="^b_.*")
COMMENT = Rule(object="comment", check=True)


def instruction(rule: Rule, family: int, query: str) -> Instruction:
    return Instruction(family=family, version=0, rule=rule, text="a rule", eval_query=query)


def dialogue(number: int = 1) -> Dialogue:
    """Three sessions: two rules, none, and one that replaces the first."""
    told = [
        (instruction(FUNCTION_A, 1, "sort"), instruction(COMMENT, 2, "merge")),
        (),
        (instruction(FUNCTION_B, 1, "sort"),),
    ]
    return Dialogue(
        number=number,
        context=Context(mentor="Ada", mentee="Ben"),
        sessions=tuple(
            Session(index=index, text="Ada: hello", instructions=instructions)
            for index, instructions in enumerate(told)
        ),
        history_queries=("merge", "sort"),
    )


def recorded(
    *sessions: tuple[Sequence[str], Sequence[str], Sequence[str]], number: int = 1
) -> dict[int, RecordedDialogue]:
    """The answers of each session: history, session, instruction."""
    made = tuple(
        RecordedSession(history=tuple(h), session=tuple(s), instruction=tuple(i))
        for h, s, i in sessions
    )
    return {number: RecordedDialogue(number=number, sessions=made)}


def score(outputs: Mapping[int, RecordedDialogue], *dialogues: Dialogue) -> RecordedScores:
    return score_outputs(dialogues or (dialogue(),), outputs, OfficialScorer())


A, B = "def a_f(): pass", "def b_f(): pass"
A_COMMENTED, B_COMMENTED = f"{A}  # a", f"{B}  # b"
COMPLETE = (
    ((), (A_COMMENTED, A), (A, A_COMMENTED)),
    ((), (), ()),
    ((B_COMMENTED, A), (B,), (A,)),
)


def test_scores_of_a_complete_recording() -> None:
    scores = score(recorded(*COMPLETE))
    assert scores.dialogues[1].session == (0.75, None, 1.0)  # each answer against both rules
    assert scores.dialogues[1].instruction == (1.0, None, 0.0)  # each against its own
    assert scores.dialogues[1].history == (None, None, 0.5)  # against the rules that hold now
    assert scores.by_dialogue["session"].mean == 0.875
    assert scores.by_dialogue["short_history"].model_dump() == {"mean": 0.5, "se": None, "n": 1}
    assert scores.by_dialogue["long_history"].model_dump() == {"mean": None, "se": None, "n": 0}
    assert scores.by_sessions == {3: 0.5}


def test_what_was_not_answered_is_missing_and_not_zero() -> None:
    scores = score(recorded(((), (A_COMMENTED,), ()), ((), (), ())))
    assert scores.dialogues[1].session == (1.0, None, None)
    assert scores.dialogues[1].history == (None, None, None)
    coverage = scores.coverage
    assert (coverage.questions, coverage.answered, coverage.missing) == (8, 1, 7)
    assert scores.coverage_by_setting["history"].missing == 2
    assert coverage.followed == 2


def test_a_dialogue_without_a_recording_is_all_missing() -> None:
    scores = score(recorded(*COMPLETE), dialogue(1), dialogue(2))
    assert scores.by_dialogue["session"].n == 1
    assert scores.dialogues[2].session == (None, None, None)
    assert scores.coverage.missing == 8
    assert score({}).coverage.missing == 8


def test_answers_to_no_question_are_counted_and_not_scored() -> None:
    extra = (
        ((A,), (A_COMMENTED, A, B), (A, A_COMMENTED)),  # history is asked at the last session only
        ((), (), (B,)),
        ((B_COMMENTED, A), (B,), (A,)),
        ((), (B,), ()),  # a session that the dialogue does not have
    )
    scores = score(recorded(*extra))
    assert scores.dialogues == score(recorded(*COMPLETE)).dialogues
    assert scores.coverage.surplus == 4
    assert scores.coverage.answered == 8
    assert scores.coverage_by_setting["session"].surplus == 2


def test_recordings_of_other_dialogues_are_not_looked_at() -> None:
    outputs = recorded(*COMPLETE) | recorded(*COMPLETE, number=7)
    assert score(outputs) == score(recorded(*COMPLETE))


def test_hostile_answers_score_nothing_and_stop_nothing() -> None:
    hostile = ("x = '\ud800'", "x\0", "(" * 10_000, "")
    answers = (((), hostile[:2], hostile[:2]), ((), (), ()), (hostile[2:], (B,), (A,)))
    scores = score(recorded(*answers))
    assert scores.dialogues[1].session == (0.0, None, 1.0)
    assert scores.coverage.unparsable == 8


class Noting:
    """A scorer that notes what it was asked."""

    name = "noting"
    revision = 1

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[ObjectKind], list[bool]]] = []

    def judge(self, answer: str, rules: Sequence[Rule], elicited: Sequence[bool]) -> list[Verdict]:
        self.asked.append((answer, [rule.object for rule in rules], list(elicited)))
        return ["followed"] * len(rules)


def test_any_scorer_is_told_which_rules_a_question_calls_for() -> None:
    scorer = Noting()
    assert score_outputs([dialogue()], recorded(*COMPLETE), scorer).scorer == "noting"
    both: list[ObjectKind] = ["function", "comment"]
    assert scorer.asked[:2] == [(B_COMMENTED, both, [False, True]), (A, both, [True, False])]
    assert ([kinds for _, kinds, _ in scorer.asked[5:]]) == [
        ["function"],
        ["comment"],
        ["function"],
    ]


def test_the_search_for_cycles_goes_on_afterwards() -> None:
    assert gc.isenabled()
    score(recorded(*COMPLETE))
    assert gc.isenabled()
    gc.disable()
    try:
        score(recorded(*COMPLETE))
        assert not gc.isenabled()
    finally:
        gc.enable()
