"""Our model serves LangChain: messages, tools by calls or by text, failures seen."""

from __future__ import annotations

import importlib.util
import json
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from pydantic import BaseModel

from memorycode.errors import ModelError, ModelUnavailable
from memorycode.protocols import Completion, Prompt, Usage
from memorycode.protocols import ToolCall as Call

if importlib.util.find_spec("langchain_core") is None:
    pytest.skip("langchain-core is not installed", allow_module_level=True)

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

if TYPE_CHECKING:
    from memorycode.bridges.langchain_chat import LangChainChat


class Scripted:
    """A model that gives its answers one after the other and keeps the prompts."""

    name = "scripted"
    is_language_model = True

    def __init__(self, answers: Sequence[str | Exception]) -> None:
        self._answers = list(answers)
        self.prompts: list[Prompt] = []

    def generate(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Completion(text=answer, usage=Usage(prompt_tokens=3, completion_tokens=2))


class Weather(BaseModel):
    """Tells the weather."""

    town: str


def chat_of(model: Scripted) -> LangChainChat:
    from memorycode.bridges.langchain_chat import LangChainChat

    return LangChainChat(model)


def test_one_message_is_the_prompt_as_it_stands() -> None:
    model = Scripted(["fine"])
    answer = chat_of(model).invoke("How are you?")
    assert answer.content == "fine"
    assert answer.usage_metadata == {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    assert model.prompts[0].text == "How are you?"
    assert model.prompts[0].schema is None


def test_several_messages_are_told_with_their_roles() -> None:
    model = Scripted(["x"])
    talk = [("system", "Be brief."), ("human", "Hi"), ("ai", "Hello"), ("human", "Bye")]
    chat_of(model).invoke(talk)
    told = "System:\nBe brief.\n\nUser:\nHi\n\nAssistant:\nHello\n\nUser:\nBye"
    assert model.prompts[0].text == told


def test_tools_are_told_and_their_calls_read() -> None:
    model = Scripted(['Well: {"tool_calls": [{"name": "Weather", "args": {"town": "Ulm"}}]}'])
    answer = chat_of(model).bind_tools([Weather]).invoke("Rain?")
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == [
        ("Weather", {"town": "Ulm"})
    ]
    assert "Tells the weather." in model.prompts[0].text
    assert '"Weather"' in json.dumps(model.prompts[0].schema)


def test_an_answer_in_prose_calls_no_tool() -> None:
    answer = chat_of(Scripted(["It rains."])).bind_tools([Weather]).invoke("Rain?")
    assert answer.tool_calls == []
    assert answer.content == "It rains."


def test_structured_output_works_by_tools() -> None:
    model = Scripted(['{"tool_calls": [{"name": "Weather", "args": {"town": "Ulm"}}]}'])
    assert chat_of(model).with_structured_output(Weather).invoke("Rain?") == Weather(town="Ulm")


def test_the_same_talk_makes_the_same_prompt_and_calls() -> None:
    """Libraries put random identifiers into prompts, which no cache of answers could stand."""
    told = []
    args = {"town": str(uuid.UUID(int=2))}
    for _ in range(2):
        first, second = str(uuid.uuid4()), str(uuid.uuid4())
        model = Scripted([json.dumps({"name": "Weather", "args": args})])
        answer = chat_of(model).bind_tools([Weather]).invoke(f"{first} {second} {first}")
        told.append((model.prompts[0].text, answer.tool_calls[0]["id"]))
        assert answer.tool_calls[0]["args"] == {"town": second}
    assert told[0] == told[1]


def test_a_stop_mark_ends_the_answer() -> None:
    assert chat_of(Scripted(["one END two"])).invoke("x", stop=["END"]).content == "one "


def test_a_failure_is_raised_as_it_is() -> None:
    chat = chat_of(Scripted([ModelError("late", kind="timeout"), "again"]))
    with pytest.raises(ModelError, match="late"):
        chat.invoke("x")
    chat.raise_if_gone()
    assert chat.invoke("x").content == "again"


def test_a_model_that_is_gone_is_not_asked_again() -> None:
    """A library that swallows the error must not hide it from the runner."""
    model = Scripted([ModelUnavailable("wrong key", kind="auth")])
    chat = chat_of(model)
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="wrong key"):
            chat.invoke("x")
    with pytest.raises(ModelUnavailable, match="wrong key"):
        chat.raise_if_gone()
    assert len(model.prompts) == 1


class Calling(Scripted):
    """A model that takes tools, and answers with what it is given."""

    takes_tools = True

    def __init__(self, answers: Sequence[Completion | Exception]) -> None:
        super().__init__([])
        self._given = list(answers)

    def generate(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        answer = self._given.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def _called(arguments: str) -> Completion:
    return Completion(text="", tool_calls=(Call(id="c1", name="Weather", arguments=arguments),))


def test_a_model_that_takes_tools_is_given_messages_and_calls_them() -> None:
    model = Calling([_called('{"town": "Ulm"}'), Completion(text="It rains.")])
    chat = chat_of(model).bind_tools([Weather])
    talk: list[BaseMessage] = [SystemMessage("Be brief."), HumanMessage("Rain?")]
    answer = chat.invoke(talk)
    (call,) = answer.tool_calls
    assert (call["name"], call["args"], call["id"]) == ("Weather", {"town": "Ulm"}, "c1")
    result = ToolMessage("wet", tool_call_id="c1")
    assert chat.invoke([*talk, answer, result]).content == "It rains."

    first, second = model.prompts
    assert [tool.name for tool in first.tools] == ["Weather"]
    assert [(message.role, message.text) for message in first.messages] == [
        ("system", "Be brief."),
        ("user", "Rain?"),
    ]
    told = second.messages[2:]
    assert [(message.role, message.tool_call_id) for message in told] == [
        ("assistant", ""),
        ("tool", "c1"),
    ]
    assert told[0].tool_calls[0].values == {"town": "Ulm"}


def test_identifiers_are_counted_in_messages_and_calls_alike() -> None:
    name, counted = str(uuid.uuid4()), str(uuid.UUID(int=1))
    model = Calling([_called(json.dumps({"town": counted}))])
    answer = chat_of(model).bind_tools([Weather]).invoke(f"About {name}")
    assert model.prompts[0].messages[0].text == f"About {counted}"
    assert answer.tool_calls[0]["args"] == {"town": name}


def test_a_call_that_cannot_be_read_is_told_as_such() -> None:
    answer = chat_of(Calling([_called("{")])).bind_tools([Weather]).invoke("Rain?")
    assert answer.tool_calls == []
    assert [call["args"] for call in answer.invalid_tool_calls] == ["{"]


def test_an_endpoint_that_refuses_tools_is_told_them_in_words_from_then_on() -> None:
    told = Completion(text='{"tool_calls": [{"name": "Weather", "args": {"town": "Ulm"}}]}')
    model = Calling([ModelError("no tools here", kind="bad_request"), told, told])
    chat = chat_of(model).bind_tools([Weather])
    for _ in range(2):
        assert chat.invoke("Rain?").tool_calls[0]["args"] == {"town": "Ulm"}
    assert [bool(prompt.tools) for prompt in model.prompts] == [True, False, False]


def test_another_failure_of_a_model_that_takes_tools_is_raised() -> None:
    model = Calling([ModelError("late", kind="timeout")])
    with pytest.raises(ModelError, match="late"):
        chat_of(model).bind_tools([Weather]).invoke("Rain?")
