"""Turns and sentences: who says what, however badly the transcript is labelled."""

from __future__ import annotations

import pytest

from memorycode.scoring.detection.turns import LONGEST_SENTENCE, sentences_of, turns_of


def said_by_mentor(text: str, mentor: str | None) -> list[str]:
    return [text[t.start : t.end].strip() for t in turns_of(text, mentor) if t.by_mentor]


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


def sentences(text: str) -> list[str]:
    (turn,) = turns_of(text, None)
    found = list(sentences_of(text, turn, 0))
    assert all(text[s.start : s.start + len(s.text)] == s.text for s in found)
    return [s.text.strip() for s in found if s.text.strip()]


def test_sentences_end_at_full_stops_but_not_within_values_or_abbreviations() -> None:
    assert sentences("End with '_y.' Use np.array, e.g. here. Is that 'it'?Yes!\nNext") == [
        "End with '_y.'",
        "Use np.array, e.g. here.",
        "Is that 'it'?",
        "Yes!",
        "Next",
    ]


def test_a_sentence_without_an_end_is_cut_and_nothing_of_it_is_lost() -> None:
    endless = "word " * 1000
    pieces = sentences(endless)
    assert " ".join(pieces) == endless.strip()
    assert max(map(len, pieces)) <= LONGEST_SENTENCE
