"""A chat endpoint on this machine that fails as told and else answers by the prompt alone.

``with FaultServer(schedule) as server`` listens on a free port of 127.0.0.1; ``schedule(n)`` says
how the request numbered `n`, from 0, is to fail: a `Fault`, or None for an answer. Everything about
an answer depends on the prompt, so that two runs can be compared byte by byte.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

KEY = "sk-planted-0f1e2d3c4b5a69788796"
"""The key that tests plant, to look for it afterwards in all that was written."""

LONGEST_STALL = 20.0
"""Seconds after which a stalled request ends at the latest, should its client never hang up."""


@dataclass(frozen=True)
class Fault:
    """One way to fail. `kind` is the failure's kind as tables count it, where retries do not help.

    `conduct` is what the server does: reply with `status`, `headers` and `body`; ``stall`` and
    never reply; ``drop`` the connection; send ``half`` of the body it has announced; or send the
    body again and again, without ``end``. `payload` are the bytes to send in place of `body`.
    """

    kind: str
    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    conduct: Literal["reply", "stall", "drop", "half", "end"] = "reply"
    payload: bytes = b""


def completion(
    content: str | Sequence[Mapping[str, Any]] | None,
    *,
    finish_reason: str | None = "stop",
    usage: Mapping[str, Any] | None = None,
    error: Mapping[str, Any] | None = None,
    **message: Any,
) -> str:
    """The body of a reply with one choice; `error` stands in it, and `message` holds further fields
    of its message."""
    said = {"role": "assistant", "content": content, **message}
    choice: dict[str, Any] = {"index": 0, "finish_reason": finish_reason, "message": said}
    choice |= {"error": error} if error else {}
    reply = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "tiny"}
    return json.dumps({**reply, "choices": [choice], "usage": usage})


def _error(message: str, **more: Any) -> str:
    """An error as endpoints report it; they like to repeat the key."""
    return json.dumps({"error": {"message": f"{message} (key {KEY})", **more}})


def escaped(text: str) -> str:
    """The text with all of it escaped as JSON may do it: decoding gives the text back."""
    return "".join(f"\\u{ord(character):04x}" for character in text)


def bomb(megabytes: int) -> bytes:
    """So much of nothing, as gzip: a thousandth of that in bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as archive:
        for _ in range(megabytes):
            archive.write(b" " * 2**20)
    return packed.getvalue()


def redirect(status: int, target: str) -> Fault:
    """Sends the client on to another address."""
    return Fault("redirect", status, headers={"Location": target})


RATE_LIMIT = Fault("rate_limit", 429, _error("slow down", code="rate_limit_exceeded"))
SERVER_ERROR = Fault("server_error", 500, _error("something broke"))
BAD_GATEWAY = Fault("server_error", 502, "<html>bad gateway</html>", {"Content-Type": "text/html"})
OVERLOADED = Fault("server_error", 503, _error("overloaded"))
STALL = Fault("timeout", conduct="stall")
DROP = Fault("connection", conduct="drop")
CUT_OFF = Fault("connection", body=completion("x = 1"), conduct="half")
HALF_JSON = Fault("bad_response", body=completion("x = 1")[:60])
EMPTY_CHOICES = Fault("empty", body=json.dumps({"choices": [], "usage": None}))
NULL_CONTENT = Fault("empty", body=completion(None))
REFUSAL = Fault("refused", body=completion(None, refusal="I will not."))
CONTENT_FILTER = Fault("content_filter", body=completion("x", finish_reason="content_filter"))
LENGTH = Fault("truncated", body=completion("def half(", finish_reason="length"))
CONTEXT_TOO_LONG = Fault(
    "context_too_long",
    400,
    _error("This model's maximum context length is 8 tokens.", code="context_length_exceeded"),
)
BAD_REQUEST = Fault("bad_request", 400, _error("temperature out of range"))
WRONG_KEY = Fault("authentication", 401, _error("Incorrect API key", code="invalid_api_key"))
NO_ACCESS = Fault("permission", 403, _error("no access"))
UNKNOWN_MODEL = Fault("not_found", 404, _error("no such model", code="model_not_found"))
QUOTA = Fault("quota", 429, _error("pay first", code="insufficient_quota"))

_HALF = "```python\ndef half(value):\n    return value\n```"
"""Text beside word that it was broken off: it looks like an answer."""

BROKEN_OFF = Fault("server_error", body=completion(_HALF, finish_reason="error"))
ERROR_IN_CHOICE = Fault(
    "server_error",
    body=completion(
        _HALF, finish_reason="error", error={"code": 502, "message": f"upstream broke (key {KEY})"}
    ),
)
ERROR_BESIDE_CHOICES = Fault(
    "server_error",
    body=json.dumps(
        json.loads(completion(_HALF)) | {"error": {"code": 503, "message": f"overloaded, {KEY}"}}
    ),
)
SAFETY = Fault("content_filter", body=completion(_HALF, finish_reason="FinishReason.SAFETY"))
MAX_TOKENS = Fault("truncated", body=completion(_HALF, finish_reason="MAX_TOKENS"))
TOOL_CALLS = Fault("broken_off", body=completion(_HALF, finish_reason="tool_calls"))
UNKNOWN_ENDING = Fault("broken_off", body=completion(_HALF, finish_reason="OTHER"))
_THOUGHT = "They want a function.\n```python\ndef thought(): ...\n```\n"
THOUGHTS = Fault("empty", body=completion(f"<think>\n{_THOUGHT}</think>\n"))
OPEN_THOUGHTS = Fault("empty", body=completion(f"<thinking>{_THOUGHT}"))
THOUGHTS_APART = Fault("empty", body=completion("", reasoning_content=_THOUGHT))
PART_OF_THOUGHTS = Fault("empty", body=completion([{"type": "thinking", "thinking": _THOUGHT}]))

PASSING = (
    *(RATE_LIMIT, SERVER_ERROR, BAD_GATEWAY, OVERLOADED, STALL, DROP, CUT_OFF),
    *(BROKEN_OFF, ERROR_IN_CHOICE, ERROR_BESIDE_CHOICES),
)
"""Faults after which the same request may succeed: clients ask again."""

LASTING = (
    *(HALF_JSON, EMPTY_CHOICES, NULL_CONTENT, REFUSAL, CONTENT_FILTER, LENGTH),
    *(CONTEXT_TOO_LONG, BAD_REQUEST),
    *(SAFETY, MAX_TOKENS, TOOL_CALLS, UNKNOWN_ENDING),
    *(THOUGHTS, OPEN_THOUGHTS, THOUGHTS_APART, PART_OF_THOUGHTS),
)
"""Faults of one question: asking it again costs and does not help."""

FINAL = (WRONG_KEY, NO_ACCESS, UNKNOWN_MODEL, QUOTA)
"""Faults after which no question can be answered: a run stops."""


def retry_after(seconds: float, fault: Fault = RATE_LIMIT) -> Fault:
    """The fault with word of when to come back, in the header that HTTP has for it."""
    return replace(fault, headers={**fault.headers, "Retry-After": f"{seconds:g}"})


def never(number: int) -> Fault | None:
    """The schedule of a server that always answers."""
    return None


def answer_to(prompt: str) -> str:
    """What the server answers to a prompt: some code, whose names tell prompts apart."""
    mark = hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"```python\ndef answer_{mark}(value):\n    return value\n```\n"


class FaultServer:
    """See the module. `asked` holds the bodies of the requests, `keys` what they carried as key,
    in the order of their numbers; `busiest` is how many were being answered at once at most, `gets`
    how many came by GET.

    `seconds` is how long an answer takes. `answer` makes its text. `held_to_schema` is False for
    a server that refuses a request for structured output. `allowed_at_once` is how many requests
    it takes at a time: one more gets `RATE_LIMIT`.
    """

    def __init__(
        self,
        schedule: Callable[[int], Fault | None] = never,
        *,
        seconds: float = 0.0,
        answer: Callable[[str], str] = answer_to,
        held_to_schema: bool = True,
        allowed_at_once: int | None = None,
    ) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.busiest = self.gets = 0
        self._busy = 0
        self._schedule, self._seconds, self._answer = schedule, seconds, answer
        self._held_to_schema, self._allowed = held_to_schema, allowed_at_once
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}
        )

    @property
    def requests(self) -> int:
        """How many requests have come, those that failed among them."""
        with self._lock:
            return len(self.asked)

    @property
    def prompts(self) -> list[str]:
        """The text of each request's last message."""
        with self._lock:
            return [_prompt(body) for body in self.asked]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request, or fail it."""
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            number = len(self.asked)
            self.asked.append(body)
            self.keys.append(handler.headers["Authorization"])
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
            crowded = self._allowed is not None and self._busy > self._allowed
        try:
            fault = RATE_LIMIT if crowded else self._fault(number, body)
            # A client that has hung up gets no reply, and that is its own affair.
            with suppress(OSError):
                self._act(handler, fault, body)
        finally:
            with self._lock:
                self._busy -= 1

    def _fault(self, number: int, body: Mapping[str, Any]) -> Fault | None:
        if "response_format" in body and not self._held_to_schema:
            problem = _error("response_format is not supported by this server")
            return replace(BAD_REQUEST, body=problem)
        return self._schedule(number)

    def _act(
        self, handler: BaseHTTPRequestHandler, fault: Fault | None, body: Mapping[str, Any]
    ) -> None:
        if fault is None:
            self._over.wait(self._seconds)
            _reply(handler, 200, self._answered(_prompt(body)), {})
        elif fault.conduct == "drop":
            _drop(handler.connection)
        elif fault.conduct == "stall":
            self._stall(handler.connection)
        elif fault.conduct == "end":
            self._go_on(handler, fault)
        elif fault.conduct == "half":
            _reply(handler, fault.status, fault.body, {"Content-Length": str(2 * len(fault.body))})
        else:
            _reply(handler, fault.status, fault.payload or fault.body, fault.headers)

    def _answered(self, prompt: str) -> str:
        text = self._answer(prompt)
        read, written = len(prompt.split()), len(text.split())
        usage = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": read // 2},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
        return completion(text, usage=usage)

    def _go_on(self, handler: BaseHTTPRequestHandler, fault: Fault) -> None:
        """Send until the client hangs up or the server ends."""
        handler.send_response(fault.status)
        for name, value in fault.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        while not self._over.is_set():
            handler.wfile.write(fault.payload or fault.body.encode())

    def _stall(self, connection: socket.socket) -> None:
        """Say nothing until the client hangs up, the server ends or time is up."""
        connection.settimeout(0.05)
        for _ in range(int(LONGEST_STALL / 0.05)):
            if self._over.is_set():
                return
            with suppress(TimeoutError):
                if not connection.recv(1):
                    return


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, owner: FaultServer) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                owner.serve(self)

            def do_GET(self) -> None:
                """What a request becomes that follows a redirect without its body."""
                owner.gets += 1
                _reply(self, 200, completion("an answer to nothing"), {})

            def log_message(self, format: str, *args: object) -> None:
                """The test's output stays quiet."""

        super().__init__(("127.0.0.1", 0), Handler)

    def shutdown_request(self, request: Any) -> None:
        with suppress(OSError):  # dropped already
            super().shutdown_request(request)


def _prompt(body: Mapping[str, Any]) -> str:
    """The last message's text; LangChain may send it in blocks."""
    content = body["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content)


def _reply(
    handler: BaseHTTPRequestHandler, status: int, body: str | bytes, headers: Mapping[str, str]
) -> None:
    payload = body.encode() if isinstance(body, str) else body
    handler.send_response(status)
    standing = {"Content-Type": "application/json", "Content-Length": str(len(payload))}
    for name, value in (standing | dict(headers)).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(payload)


def _drop(connection: socket.socket) -> None:
    """Close at once and without a goodbye: the client sees a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
