"""Every way in which an endpoint fails, by way of a real HTTP server: each has a kind of its own,
passing failures are asked again, and the key is in nothing that is left behind."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from memorycode.errors import ModelError, ModelUnavailable
from memorycode.model_options import ModelOptions
from memorycode.models.cached import CachedModel, ResponseCache
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Prompt
from tests.models.fault_server import (
    BAD_REQUEST,
    CONTEXT_TOO_LONG,
    DROP,
    FINAL,
    KEY,
    LASTING,
    OVERLOADED,
    PASSING,
    RATE_LIMIT,
    SERVER_ERROR,
    STALL,
    UNKNOWN_MODEL,
    WRONG_KEY,
    Fault,
    FaultServer,
    answer_to,
    completion,
    retry_after,
)

PROMPT = Prompt(("You are Petra. ", "Write a function."))
SCHEMA: dict[str, JsonValue] = {"type": "object", "properties": {"answer": {"type": "string"}}}
SOON = 0.001
"""Seconds that the server asks to wait, so that tests do not."""


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def model(server: FaultServer, **options: Any) -> OpenAIChat:
    return OpenAIChat(
        "tiny", ModelOptions(base_url=server.url, **{"timeout": 20} | options), api_key=KEY
    )


def first(*faults: Fault) -> Callable[[int], Fault | None]:
    """The schedule that fails the first requests and then answers."""
    return lambda number: faults[number] if number < len(faults) else None


def always(fault: Fault) -> Callable[[int], Fault | None]:
    return lambda number: fault


def failed(asked: OpenAIChat, prompt: Prompt = PROMPT) -> ModelError:
    with pytest.raises(ModelError) as caught:
        asked.generate(prompt)
    return caught.value


@pytest.mark.parametrize("fault", [*PASSING, *LASTING], ids=lambda f: f"{f.kind}-{f.status}")
def test_each_fault_has_its_kind_and_is_no_answer(fault: Fault) -> None:
    with FaultServer(always(fault)) as server:
        # Without retries: how a fault is told is one thing, how often it is asked another.
        error = failed(model(server, max_retries=0, timeout=0.5 if fault is STALL else 60))

    assert error.kind == fault.kind
    assert not isinstance(error, ModelUnavailable)
    assert f"openai/tiny at {server.url}" in str(error)


@pytest.mark.parametrize("fault", FINAL, ids=lambda f: f.kind)
def test_where_no_call_can_succeed_nothing_is_asked_again(fault: Fault) -> None:
    with FaultServer(always(fault)) as server:
        error = failed(model(server))
        assert server.requests == 1

    assert isinstance(error, ModelUnavailable)
    assert error.kind == fault.kind


@pytest.mark.parametrize("fault", LASTING, ids=lambda f: f.kind)
def test_what_asking_again_does_not_help_is_asked_once(fault: Fault) -> None:
    with FaultServer(always(fault)) as server:
        failed(model(server))
        assert server.requests == 1


def test_passing_faults_are_asked_again_until_there_is_an_answer() -> None:
    faults = (retry_after(SOON), retry_after(SOON, SERVER_ERROR), retry_after(SOON, OVERLOADED))
    with FaultServer(first(*faults)) as server:
        answer = model(server, max_retries=3).generate(PROMPT)
        assert server.requests == 4

    assert answer.text == answer_to(PROMPT.text)


@pytest.mark.parametrize("fault", [DROP, RATE_LIMIT], ids=lambda f: f.kind)
def test_without_word_of_when_to_come_back_it_is_asked_again_all_the_same(fault: Fault) -> None:
    with FaultServer(first(fault)) as server:
        assert model(server, max_retries=1).generate(PROMPT).text
        assert server.requests == 2


def test_a_limit_that_stays_is_a_failure_after_the_last_retry() -> None:
    with FaultServer(always(retry_after(SOON))) as server:
        error = failed(model(server, max_retries=2))
        assert server.requests == 3

    assert error.kind == "rate_limit"
    assert "asked 3 times" in str(error)


def test_waiting_for_the_endpoint_does_not_eat_the_deadline() -> None:
    """The wait asked for is longer than an attempt may take."""
    with FaultServer(first(retry_after(3.2))) as server:
        assert model(server, timeout=3.0).generate(PROMPT).text


def test_an_endpoint_that_wants_to_be_left_alone_for_hours_is_not_waited_for() -> None:
    with FaultServer(always(retry_after(86400))) as server:
        error = failed(model(server))
        assert server.requests == 1

    assert error.kind == "rate_limit"
    assert "86400 s" in str(error)


def test_what_has_had_its_time_is_not_asked_again() -> None:
    with FaultServer(always(STALL)) as server:
        assert failed(model(server, timeout=0.4)).kind == "timeout"
        assert server.requests == 1


def test_an_endpoint_that_takes_few_at_once_answers_many_in_the_end() -> None:
    with FaultServer(seconds=0.02, allowed_at_once=2) as server:
        asked = model(server, max_retries=12)
        prompts = [Prompt((f"question {number}",)) for number in range(40)]
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(asked.generate, prompts))

    assert [a.text for a in answers] == [answer_to(prompt.text) for prompt in prompts]


# ── context ───────────────────────────────────────────────────────────────────────────────────


def test_a_prompt_that_cannot_fit_is_not_sent() -> None:
    with FaultServer() as server:
        asked = model(server, context_limit=300, max_tokens=200)
        assert asked.generate(Prompt(("word " * 50,))).text
        error = failed(asked, Prompt(("word " * 150, "and more")))
        assert server.requests == 1

    assert error.kind == CONTEXT_TOO_LONG.kind
    assert "context of 300" in str(error)
    assert asked.context_limit == 300


@pytest.mark.parametrize(
    "problem",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 9000.",
        "request (3031 tokens) exceeds the available context size (2048 tokens)",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Please reduce the length of the messages or completion.",
        "The input token count (1200000) exceeds the maximum; input is too long for the model",
    ],
)
def test_endpoints_tell_in_their_own_words_that_the_prompt_is_too_long(problem: str) -> None:
    body = completion("").replace("choices", "none")
    fault = Fault("", 400, f'{{"error": {{"message": "{problem}"}}, "reply": {body}}}')
    with FaultServer(always(fault)) as server:
        assert failed(model(server)).kind == "context_too_long"


# ── structured output ─────────────────────────────────────────────────────────────────────────


def test_the_endpoint_is_told_of_the_schema() -> None:
    with FaultServer() as server:
        model(server).generate(Prompt(("Which?",), schema=SCHEMA))
        form = server.asked[0]["response_format"]

    assert (form["type"], form["json_schema"]["schema"]) == ("json_schema", SCHEMA)


def test_an_endpoint_that_refuses_a_schema_is_asked_without_from_then_on() -> None:
    with FaultServer(held_to_schema=False) as server:
        asked = model(server)
        for _ in range(3):
            assert asked.generate(Prompt(("Which?",), schema=SCHEMA)).text
        forms = ["response_format" in body for body in server.asked]

    assert forms == [True, False, False, False]


def test_a_request_that_is_refused_either_way_says_nothing_about_schemas() -> None:
    with FaultServer(first(BAD_REQUEST, BAD_REQUEST)) as server:
        asked = model(server)
        assert failed(asked, Prompt(("Which?",), schema=SCHEMA)).kind == "bad_request"
        asked.generate(Prompt(("Which?",), schema=SCHEMA))
        assert "response_format" in server.asked[-1]


# ── before a run ──────────────────────────────────────────────────────────────────────────────


def test_a_probe_asks_once_and_little() -> None:
    with FaultServer() as server:
        model(server).probe()
        assert server.requests == 1
        assert server.asked[0]["max_tokens"] <= 16
        assert len(server.prompts[0]) < 100


@pytest.mark.parametrize(
    ("fault", "says"),
    [(WRONG_KEY, "OPENAI_API_KEY"), (UNKNOWN_MODEL, "no such model"), (BAD_REQUEST, "range")],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_a_probe_tells_what_would_fail_every_question(fault: Fault, says: str) -> None:
    with FaultServer(always(fault)) as server, pytest.raises(ModelUnavailable, match=says) as told:
        model(server).probe()

    assert told.value.kind == fault.kind


def test_a_probe_tells_that_nothing_listens() -> None:
    with FaultServer() as server:
        pass
    with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
        model(server).probe()

    assert caught.value.kind == "connection"
    assert server.url in str(caught.value)


@pytest.mark.parametrize("fault", [RATE_LIMIT, SERVER_ERROR, *LASTING[:6]], ids=lambda f: f.kind)
def test_a_probe_passes_over_what_the_next_call_may_not_meet(fault: Fault) -> None:
    with FaultServer(always(fault)) as server:
        model(server).probe()


# ── what is sent, and what is told of it ──────────────────────────────────────────────────────


def test_all_options_are_sent() -> None:
    with FaultServer() as server:
        asked = model(
            server,
            top_p=0.9,
            model_seed=7,
            reasoning_effort="low",
            body={"top_k": 5},
            headers={"X-Project": "quay"},
        )
        asked.generate(PROMPT)
        sent = server.asked[0]

    assert (sent["top_p"], sent["seed"], sent["reasoning_effort"], sent["top_k"]) == (
        *(0.9, 7, "low", 5),
    )
    assert asked.options["address"] == server.url
    assert (asked.options["seed"], asked.options["body"]) == (7, {"top_k": 5})
    assert asked.options["headers"] == {"X-Project": "quay"}


@pytest.mark.parametrize("fault", [*PASSING, *LASTING, *FINAL], ids=lambda f: f"{f.kind}{f.status}")
def test_no_key_is_left_behind(
    fault: Fault, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither in errors, nor in logs, options or the cache: the endpoint repeats what it got."""
    planted = "hdr-planted-998877665544"
    caplog.set_level(logging.DEBUG)
    with (
        FaultServer(first(fault), answer=lambda _: f"{KEY} {planted}") as server,
        closing(ResponseCache(tmp_path / "r.sqlite")) as cache,
    ):
        asked = model(
            server,
            max_retries=0,
            timeout=3 if fault is STALL else 60,
            headers={"X-Api-Key": planted},
            body={"provider": {"token": planted}},
        )
        error = failed(asked)
        kept = CachedModel(asked, cache)
        answers = [kept.generate(PROMPT), kept.generate(PROMPT)]
        assert server.keys == [f"Bearer {KEY}"] * 2
    told = "".join(traceback.format_exception(error)) + repr(error) + repr(error.__context__)
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    everything = told + repr(asked.options) + caplog.text + repr(answers) + repr(written)

    assert [answer.cached for answer in answers] == [False, True]
    for secret in (KEY, planted):
        assert secret not in everything


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("", 403, '{"error": {"message": "Key limit exceeded"}}'), "quota"),
        (Fault("", 403, '{"error": "Key limit exceeded"}'), "quota"),
        (Fault("", 403, "Key limit exceeded", {"Content-Type": "text/plain"}), "quota"),
        (Fault("", 403, '{"detail": "not from this country"}'), "permission"),
        (Fault("", 402, '{"error": {"message": "add credits"}}'), "quota"),
        (Fault("", 401, '{"error": {"message": "no such user"}}'), "authentication"),
        (Fault("", 404, '{"error": {"message": "no such user"}}'), "not_found"),
    ],
)
def test_the_providers_own_reason_is_always_told(fault: Fault, kind: str) -> None:
    """Behind one status stand many reasons, and ours alone may be wrong."""
    reason = next(
        r for r in ("Key limit exceeded", "country", "credits", "user") if r in fault.body
    )
    with FaultServer(always(fault)) as server:
        error = failed(model(server))
    assert error.kind == kind
    assert reason in str(error)


def test_a_reason_is_bounded_and_shows_no_part_of_a_key() -> None:
    told = f"Incorrect API key provided: {KEY[:8]}****{KEY[-4:]}. {'x' * 5000}"
    fault = Fault("", 401, f'{{"error": {{"message": "{told}"}}}}')
    with FaultServer(always(fault)) as server:
        error = str(failed(model(server)))
    assert "provided: [key]" in error
    assert KEY[-4:] not in error
    assert len(error) < 600
