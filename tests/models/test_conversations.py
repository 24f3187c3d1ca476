"""What every client of a chat endpoint does with a conversation: the same contract for each, by way
of a real HTTP server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memorycode.errors import ConversationRefused, ModelError
from memorycode.model_options import ModelOptions
from memorycode.models.chat_client import ChatClient
from memorycode.models.ideal_mentee import IdealMentee
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Completion, Message, Model, Prompt
from tests.models.fault_server import (
    BAD_REQUEST,
    CONTEXT_TOO_LONG,
    KEY,
    RATE_LIMIT,
    WRONG_KEY,
    Fault,
    FaultServer,
    answer_to,
    retry_after,
)

TALK = (
    Message("system", ("You are Petra.",)),
    Message("user", ("Session 1. ", "Write a function.")),
    Message("assistant", ("def f(): ...",)),
    Message("user", ("It has ", "no type hints.")),
)
SENT = [
    {"role": "system", "content": "You are Petra."},
    {"role": "user", "content": "Session 1. Write a function."},
    {"role": "assistant", "content": "def f(): ..."},
    {"role": "user", "content": "It has no type hints."},
]
PROMPT = Prompt(messages=TALK)

Client = Callable[..., ChatClient]


@pytest.fixture(params=["openai", "langchain"])
def client(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Builds a client of the server that it is given."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    if request.param == "langchain":
        pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")

    def build(server: FaultServer, **options: Any) -> ChatClient:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        options = {"timeout": 20} | options
        if request.param == "openai":
            return OpenAIChat("tiny", ModelOptions(**options))
        from memorycode.models.langchain_model import LangChainModel

        return LangChainModel("openai:tiny", ModelOptions(**options))

    return build


def first(fault: Fault) -> Callable[[int], Fault | None]:
    return lambda number: fault if number == 0 else None


def failed(asked: Model, prompt: Prompt = PROMPT) -> ModelError:
    with pytest.raises(ModelError) as caught:
        asked.generate(prompt)
    return caught.value


def test_every_message_is_sent_with_its_role(client: Client) -> None:
    with FaultServer() as server:
        answer = client(server).generate(PROMPT)
        assert [body["messages"] for body in server.asked] == [SENT]
    assert answer.text == answer_to("It has no type hints.")


def test_one_user_message_is_sent_as_ever(client: Client) -> None:
    with FaultServer() as server:
        client(server).generate(Prompt(("You are ", "Petra.")))
        (asked,) = server.asked
    assert asked["messages"] == [{"role": "user", "content": "You are Petra."}]


def test_after_a_passing_failure_the_same_is_sent_again(client: Client) -> None:
    with FaultServer(first(retry_after(0.001, RATE_LIMIT))) as server:
        assert client(server, max_retries=1).generate(PROMPT).text
        assert [body["messages"] for body in server.asked] == [SENT, SENT]


def test_an_endpoint_that_refuses_a_schema_gets_the_conversation_without(client: Client) -> None:
    prompt = Prompt(messages=TALK, schema={"type": "object", "properties": {}})
    with FaultServer(held_to_schema=False) as server:
        asked = client(server)
        for _ in range(2):
            assert asked.generate(prompt).text
        assert ["response_format" in body for body in server.asked] == [True, False, False]
        assert all(body["messages"] == SENT for body in server.asked)


@pytest.mark.parametrize(
    "fault", [BAD_REQUEST, CONTEXT_TOO_LONG, WRONG_KEY], ids=lambda fault: fault.kind
)
def test_a_failure_has_its_kind_and_no_key_in_it(client: Client, fault: Fault) -> None:
    with FaultServer(lambda _: fault) as server:
        error = failed(client(server))
        assert server.requests == 1
    assert error.kind == fault.kind
    assert KEY not in str(error)


def test_all_messages_count_for_the_window(client: Client) -> None:
    long = Prompt(messages=(Message("user", ("word " * 150,)), *TALK[1:]))
    with FaultServer() as server:
        asked = client(server, context_limit=300, max_tokens=200)
        assert asked.generate(PROMPT).text
        assert failed(asked, long).kind == "context_too_long"
        assert server.requests == 1


def test_half_a_pair_in_any_message_fails_its_own_question_only(client: Client) -> None:
    half = Prompt(messages=(Message("user", ("half \ud83d",)), *TALK[2:]))
    with FaultServer() as server:
        error = failed(client(server), half)
        assert server.requests == 0
    assert (error.kind, "half a surrogate pair" in str(error)) == ("bad_request", True)


# ── models that are no clients ────────────────────────────────────────────────────────────────


def test_a_model_that_takes_text_alone_fails_plainly() -> None:
    class TextModel:
        name, is_language_model = "mine", True

        def generate(self, prompt: Prompt) -> Completion:
            return Completion(text=prompt.text)

    assert TextModel().generate(Prompt(("Hello.",))).text == "Hello."
    assert isinstance(failed(TextModel()), ConversationRefused)


def test_the_flawless_reader_follows_a_conversation_to_its_end() -> None:
    """What the mentor says in a later message holds; what the mentee wrote itself states nothing;
    the piece of code is the one that was asked for, though feedback came after it."""
    rounds = [
        Message("system", ("Omar is your mentor.",)),
        Message(
            "user",
            (
                "You are Petra, a developer at Umbrella.\n\n",
                "Session 1\nOmar: Always start function names with 'k_'.\n\nPetra: Yes.\n\n",
                "Now write this: function that sorts numbers.\n\nReply with code only.",
            ),
        ),
        Message("assistant", ("Omar: Always start function names with 'x_'.",)),
        Message("user", ("Omar: Always end function names with '_z'.\n\nPetra: Sorry.",)),
    ]
    answers = [
        IdealMentee().generate(Prompt(messages=rounds[:count])).text for count in (2, len(rounds))
    ]
    assert "def k_sorts_numbers(" in answers[0]
    assert "def k_sorts_numbers_z(" in answers[1]


def test_the_flawless_reader_takes_whole_texts_apart_as_one() -> None:
    whole = (
        "Session 1\nOmar: Always start function names with 'k_'.\n\nPetra: Yes.\n\n"
        "Now write this: function that sorts numbers."
    )
    prompt = Prompt(
        messages=(
            Message("system", ("You are Petra. Omar is your mentor.",)),
            Message("user", (whole,)),
        )
    )
    assert "def k_sorts_numbers(" in IdealMentee().generate(prompt).text
