"""The chat client against a real HTTP server: what is sent, what is read, and every way to fail."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.model_options import ModelOptions
from memorycode.models.openai_chat import OpenAIChat
from memorycode.models.window import answer_limit
from memorycode.protocols import Model, Prompt, Usage

KEY = "sk-test-0123456789abcdef"
PROMPT = Prompt(("You are Petra. ", "Write a function."))


class Endpoint:
    """A chat endpoint on this machine; `status`, `body` and `before` say how it replies."""

    def __init__(self) -> None:
        self.status: int = 200
        self.body: str = reply()
        self.headers: dict[str, str] = {"Content-Type": "application/json"}
        self.before: Callable[[], None] = lambda: None
        self.requests: list[dict[str, Any]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.requests.append(
                    {
                        "path": self.path,
                        "key": self.headers["Authorization"],
                        **json.loads(body),
                    }
                )
                endpoint.before()
                payload = endpoint.body.encode()
                self.send_response(endpoint.status)
                for name, value in (
                    {"Content-Length": str(len(payload))} | endpoint.headers
                ).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, format: str, *args: object) -> None:
                """The test's output stays quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


def reply(content: str | None = "```python\npass\n```", reason: str = "stop", **more: Any) -> str:
    """The body of a reply; what `more` holds goes to the message or, `usage`, beside it."""
    usage = more.pop("usage", None)
    message = {"role": "assistant", "content": content, **more}
    choice = {"index": 0, "finish_reason": reason, "message": message}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def failure(endpoint: Endpoint, **options: Any) -> ModelError:
    """How a call fails, once it is certain that nothing about it shows the key."""
    model = OpenAIChat(
        "tiny", ModelOptions(base_url=endpoint.url, **{"max_retries": 0} | options), api_key=KEY
    )
    with pytest.raises(ModelError) as caught:
        model.generate(PROMPT)
    error = caught.value
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(model)
    assert KEY not in shown
    assert error.__context__ is None or isinstance(error.__context__, ModelError)
    return error


def test_one_user_message_is_sent_and_the_answer_read(endpoint: Endpoint) -> None:
    model = OpenAIChat(
        "tiny", ModelOptions(base_url=endpoint.url, temperature=0.3, max_tokens=77), api_key=KEY
    )
    completion = model.generate(PROMPT)

    assert endpoint.requests == [
        {
            "path": "/v1/chat/completions",
            "key": f"Bearer {KEY}",
            "model": "tiny",
            "messages": [{"role": "user", "content": "You are Petra. Write a function."}],
            "temperature": 0.3,
            "max_tokens": 77,
        }
    ]
    assert completion.text == "```python\npass\n```"
    assert (completion.finish_reason, completion.usage, completion.reasoning) == ("stop", None, "")
    assert 0 < completion.latency < 60


def test_it_is_a_language_model_named_after_its_endpoints_model(endpoint: Endpoint) -> None:
    model = OpenAIChat("org/tiny", ModelOptions(base_url=endpoint.url))

    assert isinstance(model, Model)
    assert (model.name, model.is_language_model) == ("openai/org/tiny", True)


def test_options_that_are_none_are_left_to_the_endpoint(endpoint: Endpoint) -> None:
    OpenAIChat(
        "tiny", ModelOptions(base_url=endpoint.url, temperature="none", max_tokens="none")
    ).generate(PROMPT)

    assert endpoint.requests[0].keys() == {"path", "key", "model", "messages"}


def test_null_in_the_body_takes_a_field_out_of_the_request(endpoint: Endpoint) -> None:
    body = {"max_tokens": None, "max_completion_tokens": 64, "stop": None}
    model = OpenAIChat("tiny", ModelOptions(base_url=endpoint.url, body=body))
    model.generate(PROMPT)
    model.probe()

    for asked in endpoint.requests:
        assert asked.keys() == {
            *("path", "key", "model", "messages"),
            *("temperature", "max_completion_tokens"),
        }
    assert model.options["body"] == body


def test_the_window_leaves_room_for_what_the_body_lets_an_answer_have(endpoint: Endpoint) -> None:
    body = {"max_tokens": None, "max_completion_tokens": 95}
    model = OpenAIChat("tiny", ModelOptions(base_url=endpoint.url, context_limit=100, body=body))
    with pytest.raises(ModelError, match="the answer leaves 5;"):
        model.generate(PROMPT)
    assert endpoint.requests == []


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({}, None),
        ({"max_tokens": None, "body": {}}, None),
        ({"max_tokens": 70}, 70),
        ({"max_tokens": 70, "body": {"max_tokens": None}}, None),
        ({"max_tokens": 70, "body": {"max_tokens": 50}}, 50),
        ({"max_tokens": None, "body": {"max_completion_tokens": 60}}, 60),
        ({"max_tokens": 70, "body": {"max_tokens": True}}, None),
    ],
)
def test_what_bounds_an_answer_is_read_from_all_options(
    options: dict[str, Any], limit: int | None
) -> None:
    assert answer_limit(options) == limit


@pytest.mark.parametrize(
    ("told", "mends"),
    [
        (
            {
                "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                "param": "max_tokens",
            },
            "--max-tokens none --body '{\"max_completion_tokens\": 2048}'",
        ),
        ({"message": "Unsupported parameter", "param": "max_tokens"}, "--max-tokens none"),
        (
            {"message": "Unsupported value: 'temperature' does not support 0 with this model."},
            "--temperature none",
        ),
    ],
)
def test_a_refused_request_says_which_option_mends_it(
    endpoint: Endpoint, told: dict[str, str], mends: str
) -> None:
    endpoint.status = 400
    endpoint.body = json.dumps({"error": {**told, "type": "invalid_request_error"}})
    error = failure(endpoint)

    assert error.kind == "bad_request"
    assert mends in str(error)


def test_a_refused_request_that_names_neither_says_nothing_of_options(endpoint: Endpoint) -> None:
    endpoint.status = 400
    endpoint.body = json.dumps({"error": {"message": "top_k: unknown"}})

    assert "--" not in str(failure(endpoint))


def test_a_model_that_thinks_to_the_limit_is_truncated(endpoint: Endpoint) -> None:
    """OpenAI's own refuses what it cannot finish."""
    endpoint.status = 400
    problem = "Could not finish the message because max_tokens or model output limit was reached."
    endpoint.body = json.dumps({"error": {"message": problem}})

    assert failure(endpoint).kind == "truncated"


def test_usage_is_the_endpoints_with_cached_and_reasoning_tokens_apart(endpoint: Endpoint) -> None:
    endpoint.body = reply(
        usage={
            "prompt_tokens": 90,
            "completion_tokens": 40,
            "total_tokens": 130,
            "prompt_tokens_details": {"cached_tokens": 64},
            "completion_tokens_details": {"reasoning_tokens": 25},
        }
    )

    assert OpenAIChat("tiny", ModelOptions(base_url=endpoint.url)).generate(PROMPT).usage == Usage(
        prompt_tokens=90,
        completion_tokens=40,
        cached_tokens=64,
        reasoning_tokens=25,
        source="endpoint",
    )


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4}, (9, 4, 0, 0)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "prompt_tokens_details": None,
                "completion_tokens_details": {"reasoning_tokens": None},
            },
            (9, 4, 0, 0),
        ),
        ({"prompt_tokens": -9, "completion_tokens": 4}, None),
        ({"prompt_tokens": 9}, None),
        ("many", None),
    ],
)
def test_usage_without_details_or_without_sense(
    endpoint: Endpoint, usage: object, expected: tuple[int, int, int, int] | None
) -> None:
    endpoint.body = reply(usage=usage)
    usage_read = OpenAIChat("tiny", ModelOptions(base_url=endpoint.url)).generate(PROMPT).usage

    assert expected == (
        usage_read
        and (
            usage_read.prompt_tokens,
            usage_read.completion_tokens,
            usage_read.cached_tokens,
            usage_read.reasoning_tokens,
        )
    )


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(endpoint: Endpoint, field: str) -> None:
    endpoint.body = reply("x = 1", **{field: "First I think."})
    completion = OpenAIChat("tiny", ModelOptions(base_url=endpoint.url)).generate(PROMPT)

    assert (completion.text, completion.reasoning) == ("x = 1", "First I think.")


def test_the_address_and_the_key_come_from_the_usual_variables(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    OpenAIChat("tiny").generate(PROMPT)

    assert endpoint.requests[0]["key"] == f"Bearer {KEY}"


def test_an_endpoint_of_ones_own_needs_no_key(endpoint: Endpoint) -> None:
    assert OpenAIChat("tiny", ModelOptions(base_url=endpoint.url)).generate(PROMPT).text


def test_without_key_and_address_the_variables_are_named() -> None:
    with pytest.raises(UsageError, match=r"OPENAI_API_KEY.*OPENAI_BASE_URL"):
        OpenAIChat("tiny")


@pytest.mark.parametrize("key", ["sk-two words", "sk-pasted…", "sk-\x00-null"])
def test_a_key_that_is_none_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(UsageError) as caught:
        OpenAIChat("tiny", api_key=key)

    assert key not in str(caught.value)


@pytest.mark.parametrize("url", ["127.0.0.1:80/v1", "ftp://host/v1", "http://", "http://h:port/"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="http://HOST/v1"):
        OpenAIChat("tiny", ModelOptions(base_url=url))


def test_a_model_without_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match="openai/NAME"):
        OpenAIChat("", api_key=KEY)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (408, "timeout"),
        (409, "server_error"),
        (413, "context_too_long"),
        (422, "bad_request"),
        (429, "rate_limit"),
        (500, "server_error"),
        (503, "server_error"),
    ],
)
def test_a_status_of_failure_fails_the_call(endpoint: Endpoint, status: int, kind: str) -> None:
    endpoint.status = status
    endpoint.body = json.dumps({"error": {"message": f"no luck with {KEY}\n today"}})
    error = failure(endpoint)

    assert (error.kind, isinstance(error, ModelUnavailable)) == (kind, False)
    assert "no luck with [key] today" in str(error)
    assert f"openai/tiny at {endpoint.url}" in str(error)


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (401, "authentication", "OPENAI_API_KEY"),
        (403, "permission", "refuses the key"),
        (404, "not_found", "no such model"),
    ],
)
def test_where_no_call_can_succeed_the_model_is_unavailable(
    endpoint: Endpoint, status: int, kind: str, says: str
) -> None:
    endpoint.status = status
    endpoint.body = json.dumps({"error": {"message": f"Incorrect key: {KEY}"}})
    error = failure(endpoint)

    assert isinstance(error, ModelUnavailable)
    assert error.kind == kind
    assert says in str(error)


def test_a_used_up_quota_is_not_a_passing_limit(endpoint: Endpoint) -> None:
    endpoint.status = 429
    endpoint.body = json.dumps({"error": {"message": "pay", "code": "insufficient_quota"}})

    assert isinstance(failure(endpoint), ModelUnavailable)


def test_a_request_that_the_filter_stops(endpoint: Endpoint) -> None:
    endpoint.status = 400
    endpoint.body = json.dumps({"error": {"message": "no", "code": "content_filter"}})

    assert failure(endpoint).kind == "content_filter"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (reply()[:40], "bad_response"),
        ("", "bad_response"),
        ("<html>welcome</html>", "bad_response"),
        ("[]", "bad_response"),
        ('{"choices": "none"}', "bad_response"),
        ('{"choices": [{"finish_reason": "stop"}]}', "bad_response"),
        ("[" * 100_000, "bad_response"),
        ("{}", "empty"),
        ('{"choices": []}', "empty"),
        ('{"choices": null, "error": {"message": "overloaded"}}', "server_error"),
        (reply(None), "empty"),
        (reply(""), "empty"),
        (reply(" \n"), "empty"),
        (reply("x", reason="length"), "truncated"),
        (reply(None, reason="length"), "truncated"),
        (reply("x", reason="content_filter"), "content_filter"),
        (reply(None, refusal="I will not."), "refused"),
    ],
)
@pytest.mark.parametrize("content_type", ["application/json", "text/html"])
def test_a_reply_that_holds_no_answer(
    endpoint: Endpoint, body: str, kind: str, content_type: str
) -> None:
    endpoint.body = body
    endpoint.headers["Content-Type"] = content_type

    assert failure(endpoint).kind == kind


def test_a_server_that_does_not_reply_in_time(endpoint: Endpoint) -> None:
    endpoint.before = lambda: time.sleep(0.5)
    error = failure(endpoint, timeout=0.1)

    assert error.kind == "timeout"
    assert "0.1 s" in str(error)


def test_a_server_that_hangs_up(endpoint: Endpoint) -> None:
    endpoint.headers["Content-Length"] = "5000"

    assert failure(endpoint).kind == "connection"


def test_no_server_at_all(endpoint: Endpoint) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint.url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    error = failure(endpoint)

    assert error.kind == "connection"
    assert endpoint.url in str(error)


def test_a_password_in_the_address_is_not_shown(endpoint: Endpoint) -> None:
    endpoint.url = endpoint.url.replace("//", "//petra:secret@")
    endpoint.status = 500

    assert "secret" not in str(failure(endpoint))


def test_a_prompt_that_cannot_be_sent_fails_its_own_question_only(endpoint: Endpoint) -> None:
    with pytest.raises(ModelError) as caught:
        OpenAIChat("tiny", ModelOptions(base_url=endpoint.url)).generate(Prompt(("half \ud83d",)))

    assert caught.value.kind == "bad_request"


def test_a_passing_failure_is_tried_again(endpoint: Endpoint) -> None:
    endpoint.status, endpoint.headers["Retry-After-Ms"] = 503, "1"

    def recover() -> None:
        endpoint.status = 503 if len(endpoint.requests) < 2 else 200

    endpoint.before = recover
    model = OpenAIChat("tiny", ModelOptions(base_url=endpoint.url, max_retries=1))

    assert model.generate(PROMPT).text
    assert len(endpoint.requests) == 2


def test_an_answer_that_holds_a_placeholder_for_a_key_is_left_alone(endpoint: Endpoint) -> None:
    endpoint.body = reply("EMPTY = []")
    model = OpenAIChat("tiny", ModelOptions(base_url=endpoint.url), api_key="EMPTY")

    assert model.generate(PROMPT).text == "EMPTY = []"


def test_an_answer_that_repeats_the_key_is_recorded_without_it(endpoint: Endpoint) -> None:
    endpoint.body = reply(f"token = '{KEY}'")
    completion = OpenAIChat("tiny", ModelOptions(base_url=endpoint.url), api_key=KEY).generate(
        PROMPT
    )

    assert KEY not in completion.model_dump_json()


def test_the_client_is_loaded_only_when_a_model_is_built() -> None:
    check = "import memorycode.models.openai_chat, sys; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
