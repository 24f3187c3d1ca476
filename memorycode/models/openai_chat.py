"""Any endpoint that speaks OpenAI's chat protocol: OpenAI's own, vLLM, Ollama, llama.cpp …"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import JsonValue

from memorycode.errors import UsageError
from memorycode.model_options import NONE_GIVEN, ModelOptions
from memorycode.models.chat_client import ChatClient
from memorycode.models.chat_reply import read_reply
from memorycode.models.chat_request import chat_request
from memorycode.models.endpoint import MAX_REPLY_BYTES, find_endpoint
from memorycode.models.event_loop import BackgroundLoop
from memorycode.models.failures import Failure, read_failure, told_by
from memorycode.models.secrets import Secrets, environment_secrets, secrets_in, shown
from memorycode.protocols import ADDRESS, Completion, Prompt, Tool

if TYPE_CHECKING:
    import openai


_PROBE_TOKENS = 16


class OpenAIChat(ChatClient):
    """openai/NAME: any endpoint that speaks OpenAI's chat protocol.

    The address and the key come from the usual variables unless given; a local endpoint needs no
    key.
    """

    kind: ClassVar[str] = "openai"

    def __init__(
        self, name: str, options: ModelOptions = NONE_GIVEN, *, api_key: str | None = None
    ) -> None:
        """`api_key` goes before the variable that holds one. Raises `UsageError` where the key, the
        address or a header is missing or malformed."""
        self._api_key = api_key
        super().__init__(name, options)

    def _connect(self) -> tuple[Mapping[str, JsonValue], Secrets]:
        import openai

        from memorycode.models.bounded_http import BoundedClient

        if not self._model.strip():
            raise UsageError("the model has no name: write openai/NAME")
        endpoint = find_endpoint(self._given, self._api_key)
        body = dict(self._given.body)
        secrets = Secrets([*endpoint.secrets, *secrets_in(body), *environment_secrets()])
        self._key_from, self._address = endpoint.variable, secrets.removed_from(endpoint.shown)
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key_sent,
            base_url=endpoint.url,
            timeout=self.timeout,
            max_retries=0,  # it would wait within an attempt's time
            default_headers=endpoint.headers,
            http_client=BoundedClient(self._given.max_reply_bytes or MAX_REPLY_BYTES),
        )
        self._own_loop = BackgroundLoop(self._client.close)
        more = {"headers": shown(dict(endpoint.headers)), "body": shown(body)}
        told = {name: value for name, value in more.items() if value}
        return {ADDRESS: endpoint.shown, **self._sampling, **told}, secrets

    @property
    def _loop(self) -> BackgroundLoop:
        return self._own_loop

    @property
    def _where(self) -> str:
        return f"{self.name} at {self._address}"

    def _probe_options(self) -> Mapping[str, Any]:
        most = self._sampling["max_tokens"]
        return {"max_tokens": min(_PROBE_TOKENS, most)} if isinstance(most, int) else {}

    def _send(self, prompt: Prompt, **options: Any) -> Coroutine[Any, Any, str]:
        request = {
            "model": self._model,
            **chat_request(prompt, self._sampling | options),
            **self._given.body,
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
            self._line(told_by(error)),
            codes=(error.code, error.type, error.param),
            headers=error.response.headers,
        )
        if failure.kind == "authentication":
            return Failure(failure.kind, f"{failure.problem}; check {self._key_from}", "final")
        return failure
