"""Tools are offered, called and answered as the protocol has it, by both clients alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from memorycode.errors import ModelError
from memorycode.model_options import ModelOptions
from memorycode.models.cached import CachedModel, ResponseCache
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Completion, Message, Model, Prompt, TakesTools, Tool, ToolCall
from memorycode.running.checks import checked_completion, rebuilt_completion
from memorycode.running.counted_model import usage_of
from tests.models.fault_server import KEY, Fault, FaultServer, completion

LOOK = Tool(
    name="look",
    description="Looks a word up.",
    parameters={"type": "object", "properties": {"word": {"type": "string"}}},
)
ASKED = Prompt(("What is a mole?",), tools=(LOOK,))

Build = Callable[[FaultServer], Model]


def _openai(server: FaultServer) -> Model:
    return OpenAIChat("tiny", ModelOptions(base_url=server.url, max_retries=0), api_key=KEY)


def _langchain(server: FaultServer) -> Model:
    pytest.importorskip("langchain_openai")
    from memorycode.models.langchain_model import LangChainModel

    return LangChainModel("openai:tiny", ModelOptions(max_retries=0))


@pytest.fixture(params=[_openai, _langchain], ids=["openai", "langchain"])
def build(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Build:
    def build_at(server: FaultServer) -> Model:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model: Model = request.param(server)
        return model

    return build_at


def calling(
    *calls: Mapping[str, Any], ending: str = "tool_calls", text: str | None = None
) -> Fault:
    """A reply that calls tools."""
    return Fault("", body=completion(text, finish_reason=ending, tool_calls=list(calls)))


def call(arguments: object = '{"word": "mole"}', **more: Any) -> dict[str, Any]:
    made = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": arguments}}
    return made | more


def replying(*faults: Fault) -> Callable[[int], Fault | None]:
    return dict(enumerate(faults)).get


def test_a_tool_is_offered_called_and_its_result_told(build: Build) -> None:
    with FaultServer(replying(calling(call()))) as server:
        model = build(server)
        assert isinstance(model, TakesTools)
        first = model.generate(ASKED)
        said = Message("assistant", (first.text,), tool_calls=first.tool_calls)
        result = Message("tool", ("An animal.",), tool_call_id=first.tool_calls[0].id)
        second = model.generate(Prompt(messages=(*ASKED.messages, said, result), tools=(LOOK,)))
        offered, told = server.asked

    assert first.tool_calls == (ToolCall(id="c1", name="look", arguments='{"word": "mole"}'),)
    assert first.tool_calls[0].values == {"word": "mole"}
    assert first.text == ""
    assert second.text
    assert second.tool_calls == ()
    (tool,) = offered["tools"]
    assert (tool["function"]["name"], tool["function"]["description"]) == (
        "look",
        "Looks a word up.",
    )
    assert offered["tool_choice"] == "auto"
    assert [message["role"] for message in told["messages"]] == ["user", "assistant", "tool"]
    assert told["messages"][2]["tool_call_id"] == "c1"
    (echoed,) = told["messages"][1]["tool_calls"]
    assert json.loads(echoed["function"]["arguments"]) == {"word": "mole"}


def test_a_call_may_be_required(build: Build) -> None:
    with FaultServer(replying(calling(call()))) as server:
        build(server).generate(Prompt(("q",), tools=(LOOK,), tool_choice="required"))
        assert server.asked[0]["tool_choice"] == "required"


@pytest.mark.parametrize("ending", ["tool_calls", "stop", "function_call"])
def test_calls_are_an_answer_however_the_vendor_calls_the_end(build: Build, ending: str) -> None:
    with FaultServer(replying(calling(call(), ending=ending))) as server:
        assert build(server).generate(ASKED).tool_calls


@pytest.mark.parametrize("ending", ["length", "content_filter"])
def test_calls_that_were_cut_off_are_none(build: Build, ending: str) -> None:
    fault = calling(call(), ending=ending)
    with FaultServer(replying(fault)) as server, pytest.raises(ModelError) as caught:
        build(server).generate(ASKED)
    assert caught.value.kind == {"length": "truncated"}.get(ending, ending)


def test_without_tools_calls_are_a_failure(build: Build) -> None:
    with FaultServer(replying(calling(call()))) as server, pytest.raises(ModelError) as caught:
        build(server).generate(Prompt(("q",)))
    assert caught.value.kind == "broken_off"


@pytest.mark.parametrize("arguments", ["", "no JSON", '{"word": NaN}', '{"a":' * 5000])
def test_arguments_that_are_no_object_are_kept_as_they_were_written(
    build: Build, arguments: str
) -> None:
    with FaultServer(replying(calling(call(arguments)))) as server:
        answer = build(server).generate(ASKED)
    assert [made.name for made in answer.tool_calls] == ["look"]


@pytest.mark.parametrize(
    "arguments", ["", "no JSON", "[1]", '{"word": NaN}', '{"a":' * 5000, '{"word": "\ud800']
)
def test_only_an_object_has_values(arguments: str) -> None:
    made = ToolCall(id="", name="look", arguments=arguments)
    assert made.values is None
    made.model_dump_json().encode()


def test_a_call_without_an_identifier_gets_one() -> None:
    with FaultServer(replying(calling(call(id=None), call({"word": "x"}, id=None)))) as server:
        answer = _openai(server).generate(ASKED)
    assert [made.id for made in answer.tool_calls] == ["call_0", "call_1"]
    assert answer.tool_calls[1].values == {"word": "x"}


@pytest.mark.parametrize("calls", [[{"function": {}}], [[]], [None], {"a": 1}, "look"])
def test_calls_of_another_shape_are_a_bad_response(calls: Sequence[Any]) -> None:
    body = completion(None, finish_reason="tool_calls", tool_calls=calls)
    fault = Fault("", body=body)
    with FaultServer(replying(fault)) as server, pytest.raises(ModelError) as caught:
        _openai(server).generate(ASKED)
    assert caught.value.kind == "bad_response"


def test_no_key_stays_in_a_call(build: Build) -> None:
    arguments = json.dumps({"word": KEY})
    with FaultServer(replying(calling(call(arguments)))) as server:
        answer = build(server).generate(ASKED)
    assert KEY not in answer.model_dump_json()
    assert "[key]" in answer.tool_calls[0].arguments


def test_calls_are_kept_and_tools_decide_the_answer(tmp_path: Any) -> None:
    other = Prompt(ASKED.parts[:1], tools=(LOOK.model_copy(update={"name": "seek"}),))
    with FaultServer(lambda number: calling(call())) as server:
        cache = ResponseCache(tmp_path / "answers.sqlite")
        model = CachedModel(_openai(server), cache)
        first, second = model.generate(ASKED), model.generate(ASKED)
        model.generate(other)
        assert server.requests == 2
        cache.close()
    assert (first.cached, second.cached) == (False, True)
    assert second.tool_calls == first.tool_calls
    assert model.takes_tools


def test_tools_and_calls_count_as_tokens() -> None:
    made = Completion(text="", tool_calls=(ToolCall(id="c", name="look", arguments="{}"),))
    counted = usage_of(made, ASKED, len)
    assert counted.prompt_tokens == len(ASKED.messages[0].text) + len(LOOK.model_dump_json())
    assert counted.completion_tokens == len("look{}")


def test_a_model_that_reads_one_text_refuses_tools() -> None:
    with pytest.raises(ModelError, match="offers tools"):
        _ = ASKED.text


def test_a_question_is_not_answered_by_a_call() -> None:
    """The benchmark offers no tools; what calls one has answered nothing."""

    class Calling:
        name, is_language_model = "calling", True

        def generate(self, prompt: Prompt) -> Completion:
            made = ToolCall(id="c", name="look", arguments="{}")
            return Completion(text="", finish_reason="tool_calls", tool_calls=(made,))

    question = Prompt(("q",))
    with pytest.raises(ModelError) as caught:
        checked_completion(Calling().generate(question), Calling(), question)
    assert caught.value.kind == "broken_off"
    assert checked_completion(Calling().generate(ASKED), Calling(), ASKED).tool_calls


def test_calls_of_a_plug_in_s_own_class_are_rebuilt() -> None:
    class Own(ToolCall):
        pass

    given = Completion.model_construct(
        text="", tool_calls=(Own(id="c", name="look", arguments="{}"),)
    )
    assert type(rebuilt_completion(given).tool_calls[0]) is ToolCall
