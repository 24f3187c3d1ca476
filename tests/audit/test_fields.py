"""Fields that contradict one another, and repetitions, are found; sound ones raise no alarm."""

from __future__ import annotations

from typing import Any

import pytest

from memorycode.audit import audit_dialogues
from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.rules import Check, ObjectKind, Rule


def told(
    family: int,
    version: int = 0,
    *,
    object_: ObjectKind = "method",
    check: Check = "^q_.*",
    text: str = "always start method names with 'q_'",
    query: str = "class with a method",
) -> Instruction:
    return Instruction(
        family=family,
        version=version,
        rule=Rule(object=object_, check=check),
        text=text,
        eval_query=query,
    )


Q_ = told(7)
W_ = told(7, 1, check="^w_.*", text="always start method names with 'w_'")
COMMENT = told(
    30,
    object_="comment",
    check=True,
    text="always put comments into your code",
    query="function that adds",
)


def session(index: int, instruction: Instruction, *types: str, filler: int = -1) -> Session:
    text = f"Ada: On day {index}, {instruction.text} from now on.\n\nBen: I will."
    kinds = types or ("instruction-add",)
    topics = tuple(instruction.text if kind[0] == "i" else "talk" for kind in kinds)
    return Session(
        index=index,
        text=text.replace("always", "please always"),
        instructions=(instruction,),
        types=kinds,
        topics=topics,
        filler=filler,
        length="short",
    )


def dialogue_of(*sessions: Session, number: int = 1, **fields: Any) -> Dialogue:
    told_last = {i.family: i for s in sessions for i in s.instructions}.values()
    history = {
        "history_rules": tuple(i.rule for i in told_last),
        "history_queries": tuple(dict.fromkeys(i.eval_query for i in told_last)),
    }
    return Dialogue(
        number=number,
        context=Context(mentor="Ada", mentee="Ben"),
        sessions=sessions,
        **history | fields,
    )


GOOD = dialogue_of(
    session(0, Q_, "filler-add", "instruction-add", filler=4),
    session(1, W_, "filler-update", "instruction-update", filler=4),
    session(2, COMMENT),
)


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
