"""Labels that are missing, misspelt or shortened are found, and unusual ones that are sound not."""

from __future__ import annotations

import pytest

from memorycode.audit.speaker_labels import label_problems
from memorycode.dialogue import Context, Dialogue, Session


def dialogue_of(text: str) -> Dialogue:
    return Dialogue(
        number=3,
        context=Context(mentor="Ada", mentee="Ben", company="QUAY"),
        sessions=(Session(index=0, text=text),),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ada: Hello.\n\nBen: Hello.\n\nStill here?\n\nAda: Yes.", None),
        ("Ada: Three things.\nNote: the lift.\nToday: cake.\n\nBen: a: int is fine.", None),
        ('**Ada:** Hello.\n\n"Ben: Hello."', None),
        ("Hello there.\n\nHello to you.", "no turn is labelled"),
        ("", "the text is empty"),
        ("A talk in the kitchen\n\nAda: Hello.", "opens without a label"),
        ("Ada: Hello.\n\nBenn: Hello.", "misspelt: 'Benn'"),
        ("Ada: Hello.\n\nBe n: Hello.", "misspelt: 'Be n'"),
        ("Ada: Hello.\n\nBen, laughing: Hello.", "misspelt: 'Ben, laughing'"),
        ("Ada: Hello.\n\nB: Hello.", "initials for the name: 'B'"),
        ("Ada: Look.\n\n```\nx = 1\n```\n\nBen: Fine.", "code fence"),
    ],
)
def test_labels(text: str, found: str | None) -> None:
    details = [problem.detail for problem in label_problems(dialogue_of(text))]
    if found is None:
        assert details == []
    else:
        assert len(details) == 1
        assert found in details[0]


def test_initials_of_a_name_in_parts() -> None:
    plain = dialogue_of("Y.S.: Hello.\n\nBen: Hello.")
    context = plain.context.model_copy(update={"mentor": "Yoon-Seo"})
    (problem,) = label_problems(plain.model_copy(update={"context": context}))
    assert "initials" in problem.detail
