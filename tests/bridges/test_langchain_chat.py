"""Our model serves LangChain: messages, tools by calls or by text, failures seen."""

from __future__ import annotations

import importlib.util
import json
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from memorycode.errors import ModelError, ModelUnavailable
from memorycode.model_options import ModelOptions
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Completion, Model, Prompt, Usage
from memorycode.protocols import ToolCall as Call
from tests.models.fault_server import KEY, FaultServer, answer_to
from tests.models.test_tool_calls import calling

if importlib.util.find_spec("langchain_core") is None:
    pytest.skip("langchain-core is not installed", allow_module_level=True)

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    HumanMessageChunk,
    SystemMessage,
    ToolMessage,
)

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


def chat_of(model: Model) -> LangChainChat:
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


def test_the_result_of_a_call_that_cannot_be_read_follows_the_call() -> None:
    model = Calling([_called("{"), Completion(text="Sorry.")])
    chat = chat_of(model).bind_tools([Weather])
    answer = chat.invoke("Rain?")
    chat.invoke([HumanMessage("Rain?"), answer, ToolMessage("No JSON.", tool_call_id="c1")])
    _, said, result = model.prompts[1].messages
    assert [(call.id, call.arguments) for call in said.tool_calls] == [("c1", "{")]
    assert (result.role, result.tool_call_id) == ("tool", "c1")


def test_pieces_of_a_stream_have_the_roles_of_messages() -> None:
    model = Calling([Completion(text="x")])
    chat_of(model).invoke([HumanMessageChunk("a"), AIMessageChunk("b"), HumanMessage("c")])
    assert [message.role for message in model.prompts[0].messages] == ["user", "assistant", "user"]


def test_identifiers_of_calls_are_counted() -> None:
    """Libraries make up random ones, which no cache of answers could stand."""
    told = []
    for name in (str(uuid.uuid4()), str(uuid.uuid4())):
        model = Calling([Completion(text="x")])
        call = {"name": "Weather", "args": {}, "id": name}
        said = AIMessage("", tool_calls=[call])
        chat_of(model).invoke([HumanMessage("q"), said, ToolMessage("wet", tool_call_id=name)])
        told.append(model.prompts[0])
    assert told[0] == told[1]
    _, said_then, result = told[0].messages
    assert said_then.tool_calls[0].id == result.tool_call_id


@pytest.mark.parametrize(
    ("choice", "offered", "said"),
    [
        (None, ["Weather", "Note"], "auto"),
        ("auto", ["Weather", "Note"], "auto"),
        (False, ["Weather", "Note"], "auto"),
        ("any", ["Weather", "Note"], "required"),
        (True, ["Weather", "Note"], "required"),
        ("Note", ["Note"], "required"),
        ({"type": "function", "function": {"name": "Note"}}, ["Note"], "required"),
        ("none", [], "auto"),
    ],
)
def test_a_tool_is_chosen_as_langchain_has_it(choice: Any, offered: list[str], said: str) -> None:
    class Note(BaseModel):
        text: str

    model = Calling([Completion(text="x")])
    chat_of(model).bind_tools([Weather, Note], tool_choice=choice).invoke("Rain?")
    (prompt,) = model.prompts
    assert ([tool.name for tool in prompt.tools], prompt.tool_choice) == (offered, said)


def test_an_agent_of_langchain_calls_a_tool_at_an_endpoint() -> None:
    agents = pytest.importorskip("langchain.agents")

    def weather(town: str) -> str:
        """Tells the weather."""
        return f"wet in {town}"

    called = calling({"id": "c1", "function": {"name": "weather", "arguments": '{"town": "Ulm"}'}})
    with FaultServer({0: called}.get) as server:
        model = OpenAIChat("tiny", ModelOptions(base_url=server.url), api_key=KEY)
        agent = agents.create_agent(chat_of(model), [weather], system_prompt="Be brief.")
        said = agent.invoke({"messages": [HumanMessage("Rain?")]})["messages"]
        told = server.asked[1]["messages"]
    assert [message["role"] for message in told] == ["system", "user", "assistant", "tool"]
    assert told[-1] == {"role": "tool", "content": "wet in Ulm", "tool_call_id": "c1"}
    assert said[-1].content == answer_to("wet in Ulm")


def test_tools_are_offered_again_where_telling_them_in_words_fails_too() -> None:
    refused = ModelError("half a surrogate pair", kind="bad_request")
    model = Calling([refused, refused, _called("{}")])
    chat = chat_of(model).bind_tools([Weather])
    with pytest.raises(ModelError, match="half"):
        chat.invoke("Rain?")
    assert chat.invoke("Rain?").tool_calls
    assert [bool(prompt.tools) for prompt in model.prompts] == [True, False, True]


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
