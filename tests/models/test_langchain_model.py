"""LangChain's chat models as models here: with fakes, and with a real package against HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.model_options import ModelOptions
from memorycode.protocols import Model, Prompt, Usage
from tests.models.fault_server import (
    FINAL,
    KEY,
    LASTING,
    PASSING,
    STALL,
    Fault,
    FaultServer,
    answer_to,
    retry_after,
)

langchain = pytest.importorskip("langchain", reason="the extra `langchain-models` is not installed")

from langchain_core.language_models import GenericFakeChatModel  # noqa: E402
from langchain_core.messages import AIMessage  # noqa: E402

from memorycode.models.langchain_model import LangChainModel  # noqa: E402

PROMPT = Prompt(("You are Petra. ", "Write a function."))


class Told(GenericFakeChatModel):
    """Answers by `say`, whatever is asked."""

    say: Callable[[], AIMessage]
    temperature: float | None = None
    messages: Any = iter(())

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        self.messages = iter([self.say()])
        return super()._generate(*args, **kwargs)


class StatusError(Exception):
    """What packages raise that were generated from an API's description."""

    def __init__(self, status_code: int, problem: str) -> None:
        self.status_code = status_code
        super().__init__(problem)


def model(
    monkeypatch: pytest.MonkeyPatch, say: Callable[[], Any], **options: Any
) -> LangChainModel:
    def build(name: str, *, model_provider: str, **given: Any) -> Told:
        known = {key: value for key, value in given.items() if key in Told.model_fields}
        return Told(say=say, **known)

    monkeypatch.setattr("langchain.chat_models.init_chat_model", build)
    return LangChainModel("fake:tiny", ModelOptions(**{"max_retries": 0} | options))


def failed(asked: LangChainModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        asked.generate(PROMPT)
    return caught.value


# ── with fakes ────────────────────────────────────────────────────────────────────────────────


def test_answer_usage_and_reasoning_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    message = AIMessage(
        content=[
            {"type": "reasoning", "reasoning": "First I think."},
            {"type": "text", "text": "x = 1"},
        ],
        usage_metadata={
            "input_tokens": 90,
            "output_tokens": 40,
            "total_tokens": 130,
            "input_token_details": {"cache_read": 64},
            "output_token_details": {"reasoning": 25},
        },
        response_metadata={"stop_reason": "end_turn"},
    )
    asked = model(monkeypatch, lambda: message)
    answer = asked.generate(PROMPT)

    assert isinstance(asked, Model)
    assert asked.name == "langchain/fake:tiny"
    assert (answer.text, answer.reasoning, answer.finish_reason) == (
        *("x = 1", "First I think.", "stop"),
    )
    assert answer.usage == Usage(
        prompt_tokens=90,
        completion_tokens=40,
        cached_tokens=64,
        reasoning_tokens=25,
        source="endpoint",
    )


def test_a_model_that_does_not_count_has_no_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model(monkeypatch, lambda: AIMessage("x")).generate(PROMPT).usage is None


def test_only_the_options_that_it_has_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = model(monkeypatch, lambda: AIMessage("x"), temperature=0.5, top_p=0.9, model_seed=1)
    assert asked.options == {"temperature": 0.5}


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (AIMessage("x", response_metadata={"finish_reason": "length"}), "truncated"),
        (AIMessage("x", response_metadata={"stop_reason": "max_tokens"}), "truncated"),
        (AIMessage("x", response_metadata={"finish_reason": "MAX_TOKENS"}), "truncated"),
        (AIMessage("x", response_metadata={"finish_reason": "SAFETY"}), "content_filter"),
        (AIMessage("x", response_metadata={"finish_reason": "RECITATION"}), "content_filter"),
        (AIMessage("x", response_metadata={"stopReason": "content_filtered"}), "content_filter"),
        (AIMessage("x", response_metadata={"is_blocked": True}), "content_filter"),
        (AIMessage("x", response_metadata={"finish_reason": "error"}), "server_error"),
        (AIMessage("x", response_metadata={"stop_reason": "pause_turn"}), "broken_off"),
        (AIMessage("x", response_metadata={"finish_reason": "OTHER"}), "broken_off"),
        (AIMessage("x", response_metadata={"finish_reason": 5}), "broken_off"),
        (
            AIMessage(
                "x",
                response_metadata={
                    "object": "response",
                    "status": "incomplete",
                    "incomplete_details": {"reason": "max_output_tokens"},
                },
            ),
            "truncated",
        ),
        (AIMessage("<think>Well.</think>"), "empty"),
        (AIMessage([{"type": "thinking", "thinking": "Well."}]), "empty"),
        (AIMessage([{"type": "refusal", "refusal": "No."}]), "refused"),
        (
            AIMessage(
                "",
                tool_calls=[{"name": "f", "args": {}, "id": "1"}],
                response_metadata={"finish_reason": "tool_calls"},
            ),
            "broken_off",
        ),
        (AIMessage("", response_metadata={"stop_reason": "refusal"}), "refused"),
        (AIMessage("", additional_kwargs={"refusal": "I will not."}), "refused"),
        (AIMessage(""), "empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_message_that_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, message: AIMessage, kind: str
) -> None:
    assert failed(model(monkeypatch, lambda: message)).kind == kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StatusError(429, "slow down"), "rate_limit"),
        (StatusError(529, "overloaded"), "server_error"),
        (
            StatusError(400, "prompt is too long: 210000 tokens > 200000 maximum"),
            "context_too_long",
        ),
        (StatusError(400, "Your credit balance is too low to go on"), "quota"),
        (StatusError(401, "who are you?"), "authentication"),
        (type("APIConnectionError", (Exception,), {})("gone"), "connection"),
        (type("ReadTimeout", (Exception,), {})("late"), "timeout"),
        (type("ThrottlingException", (Exception,), {})("slow"), "rate_limit"),
        (type("ContextOverflowError", (Exception,), {})("long"), "context_too_long"),
        (KeyError("choices"), "bad_response"),
        (IndexError("list index out of range"), "empty"),
        (RuntimeError("who knows"), "model_error"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_exceptions_of_any_package_have_a_kind(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, kind: str
) -> None:
    def say() -> AIMessage:
        raise error

    assert failed(model(monkeypatch, say)).kind == kind


def test_a_package_that_ends_the_program_ends_its_own_call_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    messages = iter([None, AIMessage("x = 1")])

    def say() -> AIMessage:
        message = next(messages)
        if message is None:
            raise SystemExit(3)
        return message

    asked = model(monkeypatch, say)
    assert not isinstance(failed(asked), ModelUnavailable)
    assert asked.generate(PROMPT).text == "x = 1"


def test_a_call_that_takes_too_long_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = model(monkeypatch, lambda: AIMessage("x"), timeout=0.05)
    monkeypatch.setattr(Told, "ainvoke", lambda *args, **kwargs: asyncio.sleep(60))
    assert failed(asked).kind == "timeout"


def test_a_prompt_that_cannot_fit_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def say() -> AIMessage:
        raise AssertionError("it was sent")

    asked = model(monkeypatch, say, context_limit=100, max_tokens=95)
    assert failed(asked).kind == "context_too_long"


def test_a_model_that_knows_no_schemas_is_asked_without(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = model(monkeypatch, lambda: AIMessage("x"))
    assert asked.generate(Prompt(("q",), schema={"type": "object"})).text == "x"


@pytest.mark.parametrize(
    ("name", "says"), [("tiny", "PROVIDER:NAME"), ("groq:tiny", "langchain-groq"), ("no:x", "no")]
)
def test_what_is_missing_is_named(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        LangChainModel(name)


# ── a real package against HTTP ───────────────────────────────────────────────────────────────


@pytest.fixture
def _openai(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def at(server: FaultServer, monkeypatch: pytest.MonkeyPatch, **options: Any) -> LangChainModel:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return LangChainModel("openai:tiny", ModelOptions(**{"timeout": 20} | options))


@pytest.mark.usefixtures("_openai")
def test_it_answers_and_retries_as_the_endpoint_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer(lambda n: retry_after(0.001) if n == 0 else None) as server:
        asked = at(server, monkeypatch, temperature=0.3, model_seed=7)
        answer = asked.generate(PROMPT)
        sent = server.asked[-1]
        assert server.requests == 2

    assert answer.text == answer_to(PROMPT.text)
    assert answer.usage is not None
    assert (answer.usage.source, answer.usage.cached_tokens) == ("endpoint", 3)
    assert (sent["temperature"], sent["seed"]) == (0.3, 7)
    assert str(asked.options["address"]).startswith(server.url)


@pytest.mark.usefixtures("_openai")
def test_null_in_the_body_takes_an_option_out(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"max_tokens": None, "temperature": None, "top_k": 5, "stop": None}
    with FaultServer() as server:
        asked = at(server, monkeypatch, body=body)
        asked.generate(PROMPT)
        (sent,) = server.asked
    assert sent["top_k"] == 5
    assert sent.keys().isdisjoint(("max_tokens", "max_completion_tokens", "temperature", "stop"))
    assert asked.options["body"] == body


@pytest.mark.usefixtures("_openai")
@pytest.mark.parametrize("fault", [*PASSING, *LASTING, *FINAL], ids=lambda f: f"{f.kind}{f.status}")
def test_each_fault_has_its_kind_and_no_key_in_it(
    monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    with FaultServer(lambda number: fault) as server:
        timeout = 0.5 if fault is STALL else 20
        asked = at(server, monkeypatch, max_retries=0, timeout=timeout)
        error = failed(asked)

    assert error.kind == fault.kind
    assert isinstance(error, ModelUnavailable) == (fault in FINAL)
    assert KEY not in str(error) + repr(asked.options)


@pytest.mark.usefixtures("_openai")
def test_it_is_held_to_a_schema_where_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = Prompt(("q",), schema={"type": "object", "properties": {}})
    with FaultServer(held_to_schema=False) as server:
        asked = at(server, monkeypatch)
        for _ in range(2):
            assert asked.generate(prompt).text
        assert ["response_format" in body for body in server.asked] == [True, False, False]


@pytest.mark.usefixtures("_openai")
def test_a_probe_tells_that_nothing_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    with FaultServer() as server:
        pass
    with pytest.raises(ModelUnavailable) as caught:
        at(server, monkeypatch).probe()
    assert caught.value.kind == "connection"
