"""Tools are offered, called and answered as the protocol has it, by both clients alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memorycode.errors import ConversationRefused, ModelError
from memorycode.messages import MOST_CALLS
from memorycode.model_options import ModelOptions
from memorycode.models.cached import CachedModel, ResponseCache
from memorycode.models.ideal_mentee import IdealMentee
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Completion, Message, Model, Prompt, TakesTools, Tool, ToolCall
from memorycode.running.checks import checked_completion, rebuilt_completion
from memorycode.running.counted_model import CountedModel, usage_of
from tests.models.fault_server import KEY, Fault, FaultServer, completion, escaped

LOOK = Tool(
    name="look",
    description="Looks a word up.",
    parameters={"type": "object", "properties": {"word": {"type": "string"}}},
)
ASKED = Prompt(("What is a mole?",), tools=(LOOK,))

Build = Callable[..., Model]


def _openai(server: FaultServer, **options: Any) -> Model:
    return OpenAIChat(
        "tiny", ModelOptions(base_url=server.url, max_retries=0, **options), api_key=KEY
    )


def _langchain(server: FaultServer, **options: Any) -> Model:
    pytest.importorskip("langchain_openai")
    from memorycode.models.langchain_model import LangChainModel

    return LangChainModel("openai:tiny", ModelOptions(max_retries=0, **options))


@pytest.fixture(params=[_openai, _langchain], ids=["openai", "langchain"])
def build(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Build:
    def build_at(server: FaultServer, **options: Any) -> Model:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model: Model = request.param(server, **options)
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


NO_OBJECT = {
    "prose": "no JSON",
    "not_a_number": '{"word": NaN}',
    "infinite": '{"word": 1e999}',
    "half_a_pair": '{"word": "\\ud800"}',
    "deep": '{"a":' * 5000,
    "broken_off": '{"word": "mo',
    "10_MB": "[" * 10_000_000,
}


@pytest.mark.parametrize("arguments", NO_OBJECT.values(), ids=NO_OBJECT)
def test_arguments_that_cannot_be_read_are_kept_and_can_be_sent_back(
    build: Build, arguments: str
) -> None:
    """Providers of LangChain are sent the call without them."""
    with FaultServer(replying(calling(call(arguments)))) as server:
        model = build(server)
        (made,) = model.generate(ASKED).tool_calls
        assert model.generate(_with_result(made)).text
        (sent,) = server.asked[1]["messages"][1]["tool_calls"]
    assert (made.name, made.values) == ("look", None)
    assert made.arguments.startswith(arguments[:9])
    assert sent["function"]["arguments"] in ("{}", arguments)
    made.model_dump_json().encode()


def _with_result(made: ToolCall) -> Prompt:
    said = Message("assistant", ("",), tool_calls=(made,))
    result = Message("tool", ("Say that again.",), tool_call_id=made.id)
    return Prompt(messages=(*ASKED.messages, said, result), tools=(LOOK,))


@pytest.mark.parametrize("arguments", [*NO_OBJECT.values(), "[1]", '"x"', "null", '{"a": "\ud800'])
def test_only_an_object_has_values(arguments: str) -> None:
    made = ToolCall(id="", name="look", arguments=arguments)
    assert made.values is None
    made.model_dump_json().encode()


@pytest.mark.parametrize("arguments", ["", None, "{}"])
def test_a_call_without_arguments_has_none(build: Build, arguments: str | None) -> None:
    with FaultServer(replying(calling(call(arguments)))) as server:
        (made,) = build(server).generate(ASKED).tool_calls
    assert made.values == {}


def test_ten_megabytes_of_arguments_are_read(build: Build) -> None:
    word = "x" * 10_000_000
    with FaultServer(replying(calling(call(json.dumps({"word": word}))))) as server:
        (made,) = build(server).generate(ASKED).tool_calls
    assert made.values == {"word": word}


def test_a_call_without_an_identifier_gets_one() -> None:
    with FaultServer(replying(calling(call(id=None), call({"word": "x"}, id=None)))) as server:
        answer = _openai(server).generate(ASKED)
    assert [made.id for made in answer.tool_calls] == ["call_0", "call_1"]
    assert answer.tool_calls[1].values == {"word": "x"}


_NAMELESS = {"id": "c1", "type": "function", "function": {"name": None, "arguments": "{}"}}
MISSHAPEN = {
    "empty": [{"function": {}}],
    "nameless": [_NAMELESS],
    "lists": [[]],
    "nothing": [None],
    "an_object": {"a": 1},
    "a_text": "look",
    "too_many": [call()] * (MOST_CALLS + 1),
}


@pytest.mark.parametrize("calls", MISSHAPEN.values(), ids=MISSHAPEN)
def test_calls_of_another_shape_are_a_bad_response(build: Build, calls: Any) -> None:
    fault = Fault("", body=completion(None, finish_reason="tool_calls", tool_calls=calls))
    with FaultServer(replying(fault)) as server, pytest.raises(ModelError) as caught:
        build(server).generate(ASKED)
    assert caught.value.kind == "bad_response"


def test_half_a_pair_in_a_tool_fails_its_own_call_only(build: Build) -> None:
    tool = Tool(name="look", parameters={"description": "half \ud83d"})
    with FaultServer() as server, pytest.raises(ModelError) as caught:
        build(server).generate(Prompt(("q",), tools=(tool,)))
    assert (caught.value.kind, server.requests) == ("bad_request", 0)


@pytest.mark.parametrize("key", [KEY, escaped(KEY)], ids=["plain", "escaped"])
def test_no_key_stays_in_a_call(build: Build, key: str) -> None:
    arguments = f'{{"word": "{key}"}}'
    with FaultServer(replying(calling(call(arguments)))) as server:
        answer = build(server).generate(ASKED)
    assert KEY not in answer.model_dump_json()
    assert answer.tool_calls[0].values == {"word": "[key]"}


def test_calls_are_kept_and_tools_decide_the_answer(tmp_path: Path) -> None:
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


def test_calls_and_their_results_decide_the_answer(tmp_path: Path) -> None:
    first = _with_result(ToolCall(id="c1", name="look", arguments='{"word": "mole"}'))
    other_call = _with_result(ToolCall(id="c1", name="look", arguments='{"word": "vole"}'))
    *before, result = first.messages
    other_result = Message("tool", result.parts, tool_call_id="c2")
    with FaultServer() as server:
        cache = ResponseCache(tmp_path / "answers.sqlite")
        model = CachedModel(_openai(server), cache)
        for prompt in (first, other_call, Prompt(messages=(*before, other_result), tools=(LOOK,))):
            assert not model.generate(prompt).cached
            assert model.generate(prompt).cached
        cache.close()


def test_a_call_of_what_nobody_offered_is_not_kept(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "answers.sqlite")
    model = CachedModel(Calling(), cache)
    assert [model.generate(Prompt(("q",))).cached for _ in range(2)] == [False, False]
    assert [model.generate(ASKED).cached for _ in range(2)] == [False, True]
    cache.close()


def test_tools_and_calls_count_as_tokens() -> None:
    made = Completion(text="", tool_calls=(ToolCall(id="c", name="look", arguments="{}"),))
    counted = usage_of(made, ASKED, len)
    assert counted.prompt_tokens == len(ASKED.messages[0].text) + len(LOOK.model_dump_json())
    assert counted.completion_tokens == len("look{}")


def test_tools_count_for_the_window(build: Build) -> None:
    long = LOOK.model_copy(update={"description": "word " * 5000})
    with FaultServer(replying(calling(call()))) as server:
        model = build(server, context_limit=4000, max_tokens=200)
        assert model.generate(ASKED).tool_calls
        with pytest.raises(ModelError) as caught:
            model.generate(Prompt(("q",), tools=(long,)))
        assert (caught.value.kind, server.requests) == ("context_too_long", 1)


class Reading:
    """A language model that reads messages and takes no notice of tools."""

    name, is_language_model = "reading", True

    def generate(self, prompt: Prompt) -> Completion:
        return Completion(text=prompt.messages[0].text)


class Calling:
    name, is_language_model, takes_tools = "calling", True, True

    def generate(self, prompt: Prompt) -> Completion:
        made = ToolCall(id="c", name="look", arguments="{}")
        return Completion(text="", finish_reason="tool_calls", tool_calls=(made,))


def test_a_model_that_takes_no_tools_says_so() -> None:
    counted = CountedModel(Reading(), len)
    with pytest.raises(ConversationRefused, match=r"reads prompt\.text cannot call"):
        _ = ASKED.text
    for model in (counted, IdealMentee()):
        with pytest.raises(ConversationRefused, match=f"{model.name} cannot call"):
            model.generate(ASKED)
    assert counted.failures == {"conversation": 1}
    assert counted.generate(Prompt(("q",))).text == "q"


def test_a_memory_s_calls_of_tools_are_counted_as_its_own() -> None:
    counted = CountedModel(Calling(), len)
    assert counted.takes_tools
    assert counted.generate(ASKED).tool_calls
    assert (counted.calls, counted.completion_tokens) == (1, len("look{}"))
    assert counted.prompt_tokens == sum(map(len, ASKED.parts))


def test_calls_belong_to_an_assistant_and_results_to_a_tool() -> None:
    made = ToolCall(id="c", name="look", arguments="{}")
    with pytest.raises(ValueError, match="a message of role user has no tool_calls"):
        Message("user", ("q",), tool_calls=(made,))
    with pytest.raises(ValueError, match="a message of role assistant has no tool_call_id"):
        Message("assistant", ("q",), tool_call_id="c")


def test_a_question_is_not_answered_by_a_call() -> None:
    """The benchmark offers no tools; what calls one has answered nothing."""
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
