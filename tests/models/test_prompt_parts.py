"""Taking prompts apart: the mentor's name, the memory and the question, whatever the pack."""

from __future__ import annotations

import pytest

from memorycode.models.prompt_parts import labels_of, mentor_of, query_of, read_prompt
from memorycode.protocols import Prompt

TALK = "Session 1\nOmar: Use tabs.\n\nPetra: I will.\n\n"


@pytest.mark.parametrize(
    "opening",
    [
        "You are Petra, a developer at Umbrella. Omar is your mentor and tells you how to write.",
        "Your mentor Omar has been training you, Petra.",
        "You are Petra. You are mentored by Omar.",
        "Petra's mentor is Omar.",
        "The mentor of Petra is called Omar.",
        "A conversation between Omar (mentor) and Petra (mentee) at Mentora.",
        "mentee: Petra\nmentor: Omar\n",
    ],
)
def test_the_mentor_is_the_speaker_named_nearest_to_the_word(opening: str) -> None:
    assert mentor_of(opening, labels_of(TALK)) == "Omar"


def test_without_labels_the_opening_alone_names_the_mentor() -> None:
    opening = "You are Petra, a developer. Omar is your mentor at Umbrella, Paris."

    assert mentor_of(opening, labels_of("Function names start with 'a_'.")) == "Omar"


def test_names_of_several_words_and_roles_as_labels() -> None:
    talk = "Dr. Ana Ruiz: Use tabs.\n\nPetra: I will."
    assert mentor_of("Petra listens to her mentor Dr. Ana Ruiz.", labels_of(talk)) == "Dr. Ana Ruiz"
    roles = "Mentor: Use tabs.\n\nMentee: I will."
    assert mentor_of("A talk between a mentor and a mentee.", labels_of(roles)) == "Mentor"


@pytest.mark.parametrize("opening", ["", "You are a developer.", "Omar tells Petra what to do."])
def test_no_mentor_is_made_up(opening: str) -> None:
    assert mentor_of(opening, labels_of(TALK)) is None


def test_the_first_part_and_the_last_are_not_memory() -> None:
    prompt = Prompt(("opening", "one", "two", "question"))

    assert read_prompt(prompt) == ("opening", ("one", "two"), "question")
    assert read_prompt(Prompt(("opening", "question"))).passages == ()


def test_a_prompt_in_one_part_is_taken_apart_by_its_turns() -> None:
    opening, question = (
        "You are Petra. Omar is your mentor.",
        "Write this: Stack class.\n\nCode only.",
    )
    reading = read_prompt(Prompt((f"{opening}\n\n{TALK}{question}",)))

    assert reading == (opening, (TALK.strip(),), question)


def test_a_prompt_in_one_part_without_turns() -> None:
    reading = read_prompt(
        Prompt(("You know this.\n\nUse tabs.\n\nUse try.\n\nfunction that sorts",))
    )

    assert reading == ("You know this.", ("Use tabs.\n\nUse try.",), "function that sorts")


@pytest.mark.parametrize("text", ["", "   ", "Use tabs. Write a function that sorts."])
def test_a_single_paragraph_is_all_there_is(text: str) -> None:
    assert read_prompt(Prompt((text,))) == ("", (text,), text)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Now write this: function that sorts.\n\nReply with code.", "function that sorts."),
        ("Follow the rules.\nHeap class with a push method", "Heap class with a push method"),
        ("Reply with code.\n\nmerge sort", "merge sort"),
        ("", ""),
    ],
)
def test_the_piece_of_code_asked_for(question: str, query: str) -> None:
    assert query_of(question) == query
