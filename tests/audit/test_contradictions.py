"""Fields that contradict one another, and repetitions, are found; sound ones raise no alarm."""

from __future__ import annotations

import pytest

from memorycode.audit import audit_dialogues
from memorycode.dialogue import Dialogue
from tests.audit.making import COMMENT, GOOD, Q_, W_, dialogue_of, session


def found(*dialogues: Dialogue) -> list[tuple[int, int | None, str]]:
    return [(p.dialogue, p.session, p.kind) for p in audit_dialogues(dialogues).problems]


def test_a_sound_dialogue_has_no_problem() -> None:
    assert audit_dialogues([GOOD]).problems == ()


@pytest.mark.parametrize(
    ("dialogue", "place", "words"),
    [
        (dialogue_of(session(0, Q_, "instruction-update")), 0, "not told before"),
        (dialogue_of(session(0, Q_), session(1, W_)), 1, "told before"),
        (
            dialogue_of(session(0, Q_), session(1, Q_, "instruction-update")),
            1,
            "to the version that holds",
        ),
        (dialogue_of(session(0, Q_, filler=3)), 0, "its types are none"),
        (dialogue_of(session(0, Q_, "filler-add", "instruction-add")), 0, "filler -1"),
        (
            dialogue_of(session(0, Q_, "filler-update", "instruction-add", filler=3)),
            0,
            "filler 3, which was not told before",
        ),
        (
            dialogue_of(
                session(0, Q_, "filler-add", "instruction-add", filler=3),
                session(1, COMMENT, "filler-add", "instruction-add", filler=3),
            ),
            1,
            "filler 3, which was told before",
        ),
        (dialogue_of(session(0, Q_), history_rules=()), None, ""),
        (
            dialogue_of(session(0, Q_), session(1, COMMENT), history_rules=(Q_.rule,)),
            1,
            "lack the active comment",
        ),
        (
            dialogue_of(session(0, Q_), history_rules=(Q_.rule, COMMENT.rule)),
            0,
            "hold comment, which is not active",
        ),
        (dialogue_of(session(0, Q_), history_queries=()), 0, "lack 'class with a method'"),
        (
            dialogue_of(session(0, Q_), history_queries=(Q_.eval_query, "a poem")),
            0,
            "hold 'a poem' of no active rule",
        ),
        (dialogue_of(session(0, Q_), history_queries=(Q_.eval_query,) * 2), 0, "more than once"),
    ],
)
def test_fields_that_contradict_one_another(
    dialogue: Dialogue, place: int | None, words: str
) -> None:
    problems = audit_dialogues([dialogue]).problems
    if not words:
        assert problems == ()  # no history rules: they follow from the instructions
        return
    (problem,) = problems
    assert (problem.kind, problem.session) == ("contradiction", place)
    assert words in problem.detail


def test_a_line_that_asks_for_another_check() -> None:
    odd = Q_.model_copy(update={"text": W_.text})
    problems = audit_dialogues([dialogue_of(session(0, odd))]).problems
    assert [p.kind for p in problems if "the check for another" in p.detail] == ["contradiction"]


def test_a_question_that_two_families_share() -> None:
    shared = COMMENT.model_copy(update={"eval_query": Q_.eval_query})
    assert found(dialogue_of(session(0, Q_), session(1, shared))) == [(1, None, "shared_question")]


def test_a_version_with_another_check_elsewhere() -> None:
    other = W_.model_copy(update={"version": Q_.version})
    first, second = dialogue_of(session(0, Q_)), dialogue_of(session(0, other), number=2)
    assert found(first, second) == [(2, 0, "contradiction")]


def test_repetitions() -> None:
    again = GOOD.model_copy(update={"number": 2})
    assert found(GOOD, again) == [(2, None, "duplicate")]
    longer = dialogue_of(*GOOD.sessions[:2], number=2)
    assert found(GOOD, longer) == [(2, 0, "duplicate"), (2, 1, "duplicate")]
