"""Who says what in a session: nothing is lost, and names inside a turn open none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memorycode.dialogue import SessionView, Speakers
from memorycode.turns import Turn, turns_of

SPEAKERS = Speakers(mentor="Ada", mentee="Ben", company="QUAY")


def session(text: str) -> SessionView:
    return SessionView(index=0, speakers=SPEAKERS, text=text)


def test_turns_keep_their_text_and_their_speaker() -> None:
    text = "Ada: Hello, Ben: sit down.\nIt is Monday.\n\nBen: Thank you.\n\n**Ada:** Right."
    assert turns_of(session(text)) == [
        Turn(
            "Ada",
            "Ada: Hello, Ben: sit down.\nIt is Monday.",
            "Hello, Ben: sit down.\nIt is Monday.",
        ),
        Turn("Ben", "Ben: Thank you.", "Thank you."),
        Turn("Ada", "**Ada:** Right.", "Right."),
    ]


def test_what_stands_before_the_first_name_is_nobodys() -> None:
    assert turns_of(session("Monday\n\nAda: Hi"))[0] == Turn("", "Monday", "Monday")


def test_another_speaker_continues_the_turn() -> None:
    assert [turn.speaker for turn in turns_of(session("Ada: Hi\nAdam: I am another"))] == ["Ada"]


def test_a_session_without_text_has_no_turn() -> None:
    assert turns_of(session(" \n")) == []


def test_speakers_without_names_say_nothing() -> None:
    nobody = SessionView(index=0, speakers=Speakers(mentor="", mentee=""), text=": hm")
    assert [turn.speaker for turn in turns_of(nobody)] == [""]


def test_names_are_taken_literally_and_whole() -> None:
    speakers = Speakers(mentor="A.n", mentee="A.na")
    view = SessionView(index=0, speakers=speakers, text="A.n: yes\nA.na: no\nAxn: nor I")
    assert [(turn.speaker, turn.said) for turn in turns_of(view)] == [
        ("A.n", "yes"),
        ("A.na", "no\nAxn: nor I"),
    ]


@given(st.text(alphabet="Ada: Ben\n*x", max_size=60))
def test_no_word_is_lost(text: str) -> None:
    assert "".join("".join(t.text.split()) for t in turns_of(session(text))) == "".join(
        text.split()
    )
