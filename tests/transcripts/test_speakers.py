"""Who is the mentor, however badly the transcript is labelled."""

from __future__ import annotations

import pytest

from memorycode.transcripts import turns_in


def said_by_mentor(text: str, mentor: str | None) -> list[str]:
    return [turn.said for turn in turns_in(text, mentor) if turn.by_mentor]


TALK = "Ada: I want one.\n\nBen: I'll see, thank you.\n\nAda: Please make sure of two."


@pytest.mark.parametrize("mentor", ["Ada", None])
def test_the_mentor_is_known_or_guessed(mentor: str | None) -> None:
    assert said_by_mentor(TALK, mentor) == ["I want one.", "Please make sure of two."]


@pytest.mark.parametrize(
    ("first", "second"), [("Ade", "Ada"), ("Adam", "Ada"), ("A", "Ada"), ("**Ada**", '"Ada')]
)
def test_misspelt_short_and_decorated_labels_are_understood(first: str, second: str) -> None:
    text = TALK.replace("Ada:", f"{first}:", 1).replace("Ada:", f"{second}:") + "\n\nAda: Three."
    assert len(said_by_mentor(text, "Ada")) == 3


def test_labels_by_role_need_no_name() -> None:
    text = "Mentee: I'll do that.\n\nMentor: Good.\n\nMentee: Please.\n\nMentee: Always."
    assert said_by_mentor(text, "Ada") == ["Good."]


def test_the_mentee_alone_is_not_taken_for_the_mentor() -> None:
    assert said_by_mentor("Ben: I'll see.\n\nBen: Always.", "Ada") == []


def test_a_paragraph_that_lost_its_label_after_the_mentee_is_the_mentors() -> None:
    assert said_by_mentor("Ada: One.\n\nBen: Two.\n\nThree.\n\nBen: Four.", "Ada") == [
        "One.",
        "Three.",
    ]


@pytest.mark.parametrize(
    "text", ["Functions: start with 'a_'", "Note: be kind.\nRules: none.", "x"]
)
def test_headings_are_no_speakers(text: str) -> None:
    assert said_by_mentor(text, "Ada") == [text]
