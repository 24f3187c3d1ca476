"""A prompt is messages; one user message in parts is what it was before there were others."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from memorycode.errors import ConversationRefused, ModelError
from memorycode.protocols import Message, Prompt, QuestionRef

TALK = Prompt(
    messages=(
        Message("system", ("You are Petra.",)),
        Message("user", ("Two sessions. ", "Write a function.")),
        Message("assistant", ("def f(): ...",)),
        Message("user", ("Once more.",)),
    )
)


def test_parts_are_one_user_message() -> None:
    prompt = Prompt(("You are Petra. ", "Write a function."))

    assert prompt == Prompt(parts=("You are Petra. ", "Write a function."))
    assert prompt.messages == (Message("user", ("You are Petra. ", "Write a function.")),)
    assert prompt.parts == ("You are Petra. ", "Write a function.")
    assert prompt.text == "You are Petra. Write a function."
    assert not prompt.is_conversation


def test_a_conversation_has_the_parts_of_all_its_messages() -> None:
    """Tokens are counted of these."""
    assert TALK.is_conversation
    assert TALK.parts == (
        *("You are Petra.", "Two sessions. ", "Write a function.", "def f(): ...", "Once more."),
    )


def test_parts_are_shared_and_not_copied() -> None:
    history = "a long history"
    prompts = [Prompt(("opening", history, question)) for question in ("one", "two")]
    further = Prompt(messages=(*prompts[0].messages, Message("assistant", ("x = 1",))))

    assert all(prompt.parts[1] is history for prompt in (*prompts, further))


def test_who_reads_the_text_of_a_conversation_is_told_plainly() -> None:
    with pytest.raises(ConversationRefused, match=r"4 messages.*prompt\.messages") as caught:
        _ = TALK.text
    assert isinstance(caught.value, ModelError)
    assert caught.value.kind == "conversation"


def test_a_message_of_another_role_is_a_conversation_too() -> None:
    assert Prompt(messages=(Message("system", ("x",)),)).is_conversation
    assert Prompt(messages=(Message("user", ("x",)),)) == Prompt(("x",))


@pytest.mark.parametrize("parts", [None, ("x",)])
def test_there_are_either_parts_or_messages(parts: tuple[str, ...] | None) -> None:
    with pytest.raises(ValueError, match="either the parts of one user message, or messages"):
        Prompt(parts, messages=TALK.messages if parts else ())


def test_prompts_can_be_changed_compared_and_sent_to_another_process() -> None:
    ref = QuestionRef(dialogue=1, setting="history", session=2, number=0)
    placed = replace(TALK, ref=ref)

    assert (placed.ref, placed.messages) == (ref, TALK.messages)
    assert pickle.loads(pickle.dumps(placed)) == placed != TALK
