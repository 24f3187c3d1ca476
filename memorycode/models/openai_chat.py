"""Any endpoint that speaks OpenAI's chat protocol: OpenAI's own, vLLM, Ollama, llama.cpp …"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import JsonValue

from memorycode.errors import UsageError
from memorycode.models.chat_client import ChatClient
from memorycode.models.chat_reply import read_reply
from memorycode.models.chat_request import chat_request
from memorycode.models.endpoint import (
    KEY_VARIABLE,
    MAX_REPLY_BYTES,
    find_endpoint,
)
from memorycode.models.event_loop import BackgroundLoop
from memorycode.models.failures import Failure, read_failure
from memorycode.models.secrets import Secrets, environment_secrets, secrets_in, shown
from memorycode.protocols import Completion, Prompt, Tool

if TYPE_CHECKING:
    import openai


_PROBE_TOKENS = 16


@dataclass(eq=False, repr=False, kw_only=True)
class OpenAIChat(ChatClient):
    """openai/NAME: any endpoint that speaks OpenAI's chat protocol.

    The key and the address (`api_key`, `base_url`) come from the usual variables unless given; a
    local endpoint needs no key. `ChatClient` says what the other options mean.
    """

    base_url: str | None = None
    api_key: str | None = None

    kind: ClassVar[str] = "openai"

    def _connect(self) -> tuple[Mapping[str, JsonValue], Secrets]:
        """Raises `UsageError` where the key, the address or a header is missing or malformed."""
        import openai

        from memorycode.models.bounded_http import BoundedClient

        if not self._model.strip():
            raise UsageError("the model has no name: write openai/NAME")
        endpoint = find_endpoint(self.base_url, self.api_key, self.headers or {})
        body = dict(self.body or {})
        secrets = Secrets([*endpoint.secrets, *secrets_in(body), *environment_secrets()])
        self._address = secrets.removed_from(endpoint.shown)
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key_sent,
            base_url=endpoint.url,
            timeout=self.timeout,
            max_retries=0,  # it would wait within an attempt's time
            default_headers=endpoint.headers,
            http_client=BoundedClient(self.max_reply_bytes or MAX_REPLY_BYTES),
        )
        self._own_loop = BackgroundLoop(self._client.close)
        more = {"headers": shown(dict(endpoint.headers)), "body": shown(body)}
        told = {name: value for name, value in more.items() if value}
        return {"address": endpoint.shown, **self._sampling, **told}, secrets

    @property
    def _loop(self) -> BackgroundLoop:
        return self._own_loop

    @property
    def _where(self) -> str:
        return f"{self.name} at {self._address}"

    def _probe_options(self) -> Mapping[str, Any]:
        return {"max_tokens": min(_PROBE_TOKENS, self.max_tokens)} if self.max_tokens else {}

    def _send(self, prompt: Prompt, **options: Any) -> Coroutine[Any, Any, str]:
        request = {
            "model": self._model,
            **chat_request(prompt, self._sampling | options),
            **(self.body or {}),
        }
        # By `post`, for `create` spends as long on walking through the types of a message as the
        # whole of the rest of a call takes.
        return self._client.post(
            "/chat/completions",
            cast_to=str,
            body={name: value for name, value in request.items() if value is not None},
        )

    def _read(self, reply: str, latency: float, offered: Sequence[Tool]) -> Completion | Failure:
        return read_reply(reply, latency=latency, secrets=self.secrets, offered=offered)

    def _failure(self, error: BaseException) -> Failure | None:
        import openai

        match error:
            case openai.APITimeoutError():
                return self._late()
            case openai.APIConnectionError():
                cause = self._line(f"{error.__cause__ or 'no details'}")
                return Failure("connection", f"cannot be reached: {cause}", "passing")
            case openai.APIStatusError():
                return self._status_failure(error)
            case openai.OpenAIError():
                return Failure("bad_response", self._line(f"{error}"))
        return None

    def _status_failure(self, error: openai.APIStatusError) -> Failure:
        failure = read_failure(
            error.status_code,
            self._line(f"{error}"),
            codes=(error.code, error.type, error.param),
            headers=error.response.headers,
        )
        if failure.kind == "authentication":
            return Failure(failure.kind, f"{failure.problem}; check {KEY_VARIABLE}", "final")
        return failure
