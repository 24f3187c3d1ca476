"""Answers made by hand, for numbers that can be worked out on paper."""

from __future__ import annotations

from collections.abc import Mapping

from memorycode.dialogue import Setting
from memorycode.protocols import Verdict
from memorycode.results.answers import Answer, AskedRule, Source
from memorycode.rules import ObjectKind, Rule
from memorycode.scoring.attribution import Cause, RulesFound

WORDS: Mapping[str, Verdict] = {
    "f": "followed",
    "v": "violated",
    "a": "absent",
    "u": "unparsable",
}

SOURCE = Source("model", "full_history")


def asked(object_: ObjectKind = "comment", *, told: int = 0, rank: int = 0) -> AskedRule:
    return AskedRule(Rule(object=object_, check=True), 1, rank, told, rank)


def make_answer(
    verdicts: str = "",
    *,
    dialogue: int = 1,
    sessions: int = 1,
    setting: Setting = "session",
    session: int | None = None,
    number: int = 0,
    repeat: int = 0,
    failure: str = "",
    rules: tuple[AskedRule | None, ...] = (),
    source: Source = SOURCE,
    causes: dict[int, Cause] | None = None,
    recalled: RulesFound | None = None,
    prompt_tokens: int = 0,
) -> Answer:
    """One letter per verdict, by both scorers; the last session unless another is said."""
    words = tuple(WORDS[letter] for letter in verdicts)
    at = sessions - 1 if session is None else session
    return Answer(
        id=f"{dialogue}/{at}/{number}/{source.strategy}/{source.model}#{repeat + 1}",
        source=source,
        dialogue=dialogue,
        sessions=sessions,
        setting=setting,
        session=at,
        number=number,
        rules=rules or tuple(asked() for _ in words),
        verdicts={} if failure else {"official": words, "strict": words},
        causes={"strict": causes} if causes else {},
        failure=failure,
        repeat=repeat,
        recalled=recalled,
        prompt_tokens=prompt_tokens,
    )
