"""Who says what in a session: nothing is lost, and names inside a turn open none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycode.dialogue import SessionView, Speakers
from memorycode.transcripts import sentences_of, turns_in, turns_of
from memorycode.transcripts.sentences import LONGEST_SENTENCE

LETTERS = str.maketrans("0123456789", "ghijklmnop")
SPEAKERS = Speakers(mentor="Ada", mentee="Ben", company="QUAY")


def session(text: str, speakers: Speakers = SPEAKERS) -> SessionView:
    return SessionView(index=0, speakers=speakers, text=text)


def read(text: str, speakers: Speakers = SPEAKERS) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.said) for turn in turns_of(session(text, speakers))]


def test_turns_keep_their_text_and_their_speaker() -> None:
    text = "Ada: Hello, Ben: sit down.\nIt is Monday.\n\nBen: Thank you.\n\n**Ada:** Right."
    assert read(text) == [
        ("Ada", "Hello, Ben: sit down.\nIt is Monday."),
        ("Ben", "Thank you."),
        ("Ada", "Right."),
    ]
    texts = [turn.text for turn in turns_of(session(text))]
    assert texts == [
        "Ada: Hello, Ben: sit down.\nIt is Monday.",
        "Ben: Thank you.",
        "**Ada:** Right.",
    ]


def test_what_stands_before_the_first_name_is_nobodys() -> None:
    assert read("Monday\n\nAda: Hi")[0] == ("", "Monday")


def test_a_label_that_is_like_neither_speaker_continues_the_turn() -> None:
    text = "Ada: Hi\nNina: I am another\nDeadline: Friday\n\nBen: Bye"
    assert read(text) == [("Ada", "Hi\nNina: I am another\nDeadline: Friday"), ("Ben", "Bye")]


def test_a_misspelt_label_is_the_speakers() -> None:
    assert read("Adda: Hi\n\nB: Bye") == [("Ada", "Hi"), ("Ben", "Bye")]
    assert read("Ada, smiling: Hi\n\nBen said: Bye") == [("Ada", "Hi"), ("Ben", "Bye")]


def test_a_paragraph_without_a_label_goes_on_with_the_mentor_and_ends_the_mentee() -> None:
    """The mentor's label may be missing: what nobody is named for counts as the mentor's word."""
    turns = turns_of(session("Ada: One.\n\nTwo.\n\nBen: Three.\nFour.\n\nFive."))
    assert [(turn.speaker, turn.by_mentor, turn.said) for turn in turns] == [
        ("Ada", True, "One.\n\nTwo."),
        ("Ben", False, "Three.\nFour."),
        ("", True, "Five."),
    ]


def test_a_session_without_text_has_no_turn() -> None:
    assert turns_of(session(" \n")) == []


def test_speakers_without_names_say_nothing() -> None:
    assert read(": hm", Speakers(mentor="", mentee="")) == [("", ": hm")]


def test_names_are_taken_literally_and_whole() -> None:
    speakers = Speakers(mentor="A.n", mentee="A.na")
    assert read("A.n: yes\nA.na: no\nXyx: nor I", speakers) == [
        ("A.n", "yes"),
        ("A.na", "no\nXyx: nor I"),
    ]


@given(st.text(alphabet="Ada: Ben\n*x", max_size=60))
def test_the_turns_together_are_the_text(text: str) -> None:
    assert "".join(t.transcript[t.start : t.end] for t in turns_in(text, "Ada", "Ben")) == text
    assert "".join("".join(t.text.split()) for t in turns_of(session(text))) == "".join(
        text.split()
    )


@given(st.text(max_size=200))
def test_any_text_is_cut_without_loss(text: str) -> None:
    assert "".join(t.transcript[t.start : t.end] for t in turns_in(text)) == text


HOSTILE = ["Ab:\n", "Ada: ", "Ben: a\n\n", " \n", "\n \r\n", "[" * 40 + "\n", "*", " ",
           "A b " * 20 + ":\n", "!", ". ", "1. ", "e.g. ", ".Aaaa", "\"'"]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_any_text_is_read_in_linear_time(piece: str) -> None:
    # 300 kB: a quadratic step anywhere would take minutes
    text = piece * (300_000 // len(piece))
    for turn in [*turns_in(text), *turns_in(text, "Ada", "Ben")]:
        for sentence in sentences_of(turn):
            assert len(sentence.text) <= LONGEST_SENTENCE


def test_many_speakers_are_told_apart_in_linear_time() -> None:
    """Only so many spellings are compared, however many a text has."""
    text = "".join(f"Aa{number:x}z: hi\n".translate(LETTERS) for number in range(30_000))
    assert "".join(t.transcript[t.start : t.end] for t in turns_in(text, "Aaron", "Ben")) == text
