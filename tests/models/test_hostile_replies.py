"""Replies that are after something: the key, all of the memory, or to lead the client elsewhere.

Each is sent by a real HTTP server to both clients, ours and LangChain's.
"""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
import traceback
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from memorycode.errors import ModelError, ModelUnavailable
from memorycode.model_options import ModelOptions
from memorycode.models.openai_chat import OpenAIChat
from memorycode.models.secrets import HIDDEN
from memorycode.protocols import Completion, Model, Prompt
from tests.models.fault_server import (
    Fault,
    FaultServer,
    bomb,
    completion,
    escaped,
    redirect,
)

KEY = "sk-planted/0f1e+2d3c4b5a/69788796"
PLANTED = "env-planted-5544332211aa"
"""What a variable holds that no model is told of."""

PROMPT = Prompt(("Write a function.",))
Make = Callable[..., Any]


def _openai(url: str, **options: Any) -> Model:
    return OpenAIChat(
        "tiny", ModelOptions(base_url=url, **{"max_retries": 0} | options), api_key=KEY
    )


def _langchain(url: str, **options: Any) -> Model:
    pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
    from memorycode.models.langchain_model import LangChainModel

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_BASE", url)
        patch.setenv("OPENAI_API_KEY", KEY)
        return LangChainModel("openai:tiny", ModelOptions(**{"max_retries": 0} | options))


both = pytest.mark.parametrize("make", [_openai, _langchain], ids=["openai", "langchain"])


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("My_Memory_Api_Key", PLANTED)


def _failure(model: Model) -> ModelError:
    with pytest.raises(ModelError) as caught:
        model.generate(PROMPT)
    return caught.value


def _told(error: ModelError) -> str:
    return "".join(traceback.format_exception(error)) + repr(error) + repr(error.__context__)


# ── keys ──────────────────────────────────────────────────────────────────────────────────────

WRITINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda secret: json.dumps(secret)[1:-1],
    "slashes escaped": lambda secret: secret.replace("/", "\\/"),
    "plus escaped": lambda secret: secret.replace("+", "\\u002b"),
    "all escaped": escaped,
    "quoted JSON": lambda secret: json.dumps(escaped(secret))[1:-1],
    "in an address": lambda secret: secret.replace("/", "%2F").replace("+", "%2b"),
}
"""How a secret may stand in JSON, decoded once or twice."""

MARK = "PLACE-OF-THE-SECRET"
ANSWERS = {
    "text": completion(f"token = '{MARK}'"),
    "reasoning": completion("x = 1", reasoning_content=f"They sent {MARK}."),
}
FAILURES = {
    "refusal": Fault("refused", body=completion(None, refusal="x" * 190 + MARK)),
    "finish reason": Fault("broken_off", body=completion("", finish_reason="x" * 30 + MARK)),
    "400": Fault("bad_request", 400, json.dumps({"error": {"message": f"no {MARK}"}})),
    "500 without JSON": Fault("server_error", 500, f"<html>{MARK}</html>"),
}


@pytest.mark.parametrize("secret", [KEY, PLANTED], ids=["key", "environment"])
@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("place", ANSWERS)
@both
def test_no_writing_of_a_secret_is_left_in_an_answer(
    make: Make, place: str, writing: str, secret: str
) -> None:
    body = ANSWERS[place].replace(MARK, WRITINGS[writing](secret))
    with FaultServer(lambda _: Fault("", body=body)) as server:
        answer: Completion = make(server.url).generate(PROMPT)
    kept = answer.model_dump_json()

    if place == "text" or make is _openai:  # LangChain drops this kind of reasoning
        assert HIDDEN in kept
    for write in WRITINGS.values():
        assert write(secret) not in kept


@pytest.mark.parametrize("writing", WRITINGS)
@pytest.mark.parametrize("place", FAILURES)
@both
def test_no_writing_of_a_secret_is_left_in_an_error(make: Make, place: str, writing: str) -> None:
    """Nor half of one: errors are cut to a length, and that comes last."""
    fault = FAILURES[place]
    written = WRITINGS[writing](KEY)
    body = fault.body.replace(MARK, written)
    with FaultServer(lambda _: Fault("", fault.status, body)) as server:
        error = _failure(make(server.url))

    assert error.kind == fault.kind
    told = _told(error)
    for write in WRITINGS.values():
        assert write(KEY) not in told
    assert "planted" not in told


def test_what_an_address_opens_with_is_in_nothing_that_comes_back() -> None:
    sent = base64.b64encode(b"petra-9:secret/word%9").decode()
    with FaultServer(answer=lambda _: f"petra-9 secret/word%9 {sent}") as server:
        url = server.url.replace("//", "//petra-9:secret%2Fword%259@")
        asked = OpenAIChat("tiny", ModelOptions(base_url=url))
        answer = asked.generate(PROMPT)

    assert answer.text == f"petra-9 {HIDDEN} {HIDDEN}"
    assert "word" not in f"{asked.options}"


def test_a_key_in_the_path_of_an_address_and_in_the_body_is_not_told() -> None:
    asked = OpenAIChat(
        "tiny",
        ModelOptions(base_url=f"http://h/{PLANTED}/v1", body={"more": [f"as {PLANTED}"]}),
        api_key=KEY,
    )

    assert asked.options["address"] == f"http://h/{HIDDEN}/v1"
    assert asked.options["body"] == {"more": [f"as {HIDDEN}"]}


# ── redirects ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@both
def test_a_redirect_to_another_origin_is_refused(make: Make, status: int) -> None:
    with FaultServer() as other:
        target = other.url.replace("//", "//user:pass-word-77@") + f"/x?key={KEY}"
        with FaultServer(lambda _: redirect(status, target)) as server:
            error = _failure(make(server.url))
        assert (other.requests, other.gets) == (0, 0)
        assert f"{other.url}/x" in str(error)

    assert error.kind == "redirect"
    assert isinstance(error, ModelUnavailable)
    assert "pass-word-77" not in _told(error)
    assert KEY not in _told(error)


@pytest.mark.parametrize("status", [301, 302, 303])
@both
def test_a_redirect_that_would_drop_the_question_is_refused(make: Make, status: int) -> None:
    with FaultServer(lambda _: redirect(status, "/v1/elsewhere")) as server:
        assert _failure(make(server.url)).kind == "redirect"
        assert server.gets == 0


@pytest.mark.parametrize("status", [307, 308])
@both
def test_a_redirect_within_the_origin_that_keeps_the_question_is_followed(
    make: Make, status: int
) -> None:
    once = redirect(status, "/v1/chat/completions/")
    with FaultServer(lambda number: once if number == 0 else None) as server:
        assert make(server.url).generate(PROMPT).text
        first, second = server.asked
        assert first == second
        assert server.keys == [f"Bearer {KEY}"] * 2


@pytest.mark.parametrize("target", ["/v1/chat/completions", "http://[", "", "ftp://h/"])
@both
def test_a_redirect_that_leads_nowhere_is_a_failure(make: Make, target: str) -> None:
    with FaultServer(lambda _: redirect(307, target)) as server:
        assert _failure(make(server.url)).kind == "redirect"
        assert server.requests <= 3


# ── bounds ────────────────────────────────────────────────────────────────────────────────────

GZIP = {"Content-Encoding": "gzip"}
TOO_LONG = {
    "long": Fault("bad_response", body=completion("x" * 200_000)),
    "endless": Fault("bad_response", body="x" * 10_000, conduct="end"),
    "bomb": Fault("bad_response", payload=bomb(20), headers=GZIP),
}


@pytest.mark.parametrize("what", TOO_LONG)
@both
def test_a_reply_is_read_up_to_its_limit(make: Make, what: str) -> None:
    with FaultServer(lambda _: TOO_LONG[what]) as server:
        error = _failure(make(server.url, max_reply_bytes=100_000))

    assert error.kind == "bad_response"
    assert "longer than 100,000 bytes" in str(error)


@pytest.mark.parametrize(
    "fault",
    [
        Fault("rate_limit", 429, "slow down " * 999, conduct="end"),
        Fault("server_error", 500, payload=bomb(20), headers=GZIP),
    ],
    ids=lambda fault: str(fault.kind),
)
@both
def test_an_error_without_end_keeps_its_kind(make: Make, fault: Fault) -> None:
    with FaultServer(lambda _: fault) as server:
        assert _failure(make(server.url)).kind == fault.kind


@both
def test_a_compressed_reply_is_read(make: Make) -> None:
    body = completion("x = 1\n" * 50_000)
    for encoding, payload in (
        ("gzip", gzip.compress(body.encode())),
        ("deflate", zlib.compress(body.encode())),
    ):
        fault = Fault("", payload=payload, headers={"Content-Encoding": encoding})
        with FaultServer(lambda _, fault=fault: fault) as server:  # type: ignore[misc]
            assert make(server.url).generate(PROMPT).text == "x = 1\n" * 50_000


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip"])
@both
def test_what_cannot_be_decompressed_is_a_bad_response(make: Make, encoding: str) -> None:
    fault = Fault("", payload=b"\x1f\x8bnone", headers={"Content-Encoding": encoding})
    with FaultServer(lambda _: fault) as server:
        assert _failure(make(server.url)).kind == "bad_response"


_CHILD = """
import resource, sys
from memorycode.errors import ModelError
from memorycode.model_options import ModelOptions
from memorycode.models.openai_chat import OpenAIChat
from memorycode.protocols import Prompt

options = ModelOptions(base_url=sys.argv[1], max_retries=0, timeout=60)
model = OpenAIChat("tiny", options)
model.generate(Prompt(("warm up",)))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    model.generate(Prompt(("now",)))
    kind = "answered"
except ModelError as error:
    kind = error.kind
print(kind, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""

HUGE: dict[str, Callable[[], Fault]] = {
    "bomb": lambda: Fault("", payload=bomb(300), headers=GZIP),
    "endless": lambda: Fault("", body="x" * 2**16, conduct="end"),
    "brackets": lambda: Fault("", payload=b'{"usage":[' + b"[]," * 10**7 + b"1]}"),
}


@pytest.mark.parametrize("what", HUGE)
def test_no_reply_takes_all_of_the_memory(what: str) -> None:
    """In a process of its own, whose peak is its own; megabytes beyond what one small call took."""
    fault = HUGE[what]()
    with FaultServer(lambda number: fault if number else None) as server:
        command = [sys.executable, "-c", _CHILD, server.url]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    kind, megabytes = done.stdout.split()

    assert kind == "bad_response"
    assert int(megabytes) < 250


# ── what no client should go by ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("charset", ["zlib", "rot13", "undefined", "idna", "utf-16", "no-such"])
@both
def test_no_name_of_an_encoding_is_believed(make: Make, charset: str, status: int) -> None:
    """Python has codecs by such names that are of no text, raise, or inflate it."""
    headers = {"Content-Type": f"application/json; charset={charset}"}
    fault = Fault("", status, completion("x = 1"), headers)
    with FaultServer(lambda _: fault) as server:
        if status == 200:
            assert make(server.url).generate(PROMPT).text == "x = 1"
        else:
            assert _failure(make(server.url)).kind == "bad_request"


@pytest.mark.parametrize(
    "fault",
    [
        Fault("", headers={"Content-Encoding": "Sk-Planted-0f1e2D3c"}),
        redirect(307, "http://Sk-Planted-0f1e2D3c.example/"),
        redirect(307, "/Sk-Planted-0f1e2D3c/a b\x7f"),
    ],
)
def test_no_key_is_told_in_other_letters(fault: Fault) -> None:
    with FaultServer(lambda _: fault) as server:
        error = _failure(
            OpenAIChat(
                "tiny",
                ModelOptions(base_url=server.url, max_retries=0),
                api_key="Sk-Planted-0f1e2D3c",
            )
        )
    assert error.kind in ("bad_response", "redirect")
    assert HIDDEN in str(error)
    assert "planted-0f1e" not in str(error).lower()


@pytest.mark.parametrize("count", [10**400, -1])
@both
def test_what_is_no_count_of_tokens_is_none(make: Make, count: int) -> None:
    """A number of hundreds of digits would end each reckoning of the run's costs."""
    usage = {"prompt_tokens": count, "completion_tokens": 1, "total_tokens": 1}
    fault = Fault("", body=completion("x = 1", usage=usage))
    with FaultServer(lambda _: fault) as server:
        assert make(server.url).generate(PROMPT).usage is None
