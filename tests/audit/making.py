"""Dialogues made by hand for the audit: sound ones, to be changed."""

from __future__ import annotations

from typing import Any

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
