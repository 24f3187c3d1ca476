"""Any endpoint that speaks OpenAI's chat protocol: OpenAI's own, vLLM, Ollama, llama.cpp …"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from memorycode.errors import UsageError
from memorycode.models.attempts import Attempts
from memorycode.models.chat_reply import read_reply
from memorycode.models.endpoint import (
    KEY_VARIABLE,
    MAX_REPLY_BYTES,
    Endpoint,
    find_endpoint,
)
from memorycode.models.event_loop import BackgroundLoop
from memorycode.models.failures import Failure, ReplyRefused, read_failure, refused_reply
from memorycode.models.secrets import Secrets, environment_secrets, secrets_in, shown
from memorycode.models.window import ContextWindow, answer_limit
from memorycode.protocols import Completion, Prompt

if TYPE_CHECKING:
    import openai


_PROBE = Prompt(("Reply with the word yes.",))
_PROBE_TOKENS = 16


class OpenAIChat:
    """openai/NAME: any endpoint that speaks OpenAI's chat protocol.

    Asked with one user message; may be shared between threads.

    `temperature`, `top_p`, `max_tokens` (of the answer), `model_seed` and `reasoning_effort` are
    left to the endpoint where they are None. `headers` are sent along, and `body` holds fields
    more for the request; one that is None is taken out of it. `timeout` is in seconds, for each
    attempt as a whole: a reply that never comes to an end is cut off as well as one that never
    begins. Up to `max_retries` more attempts follow where that can help; waiting for them is not
    counted. `context_limit` is the model's context in tokens, the answer's among them: a longer
    prompt is not sent. A reply is read up to `max_reply_bytes` (32 MB), decompressed. The key and
    the address come from the usual variables unless given; a local endpoint needs no key.
    """

    is_language_model = True

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.0,
        top_p: float | None = None,
        max_tokens: int | None = 2048,
        model_seed: int | None = None,
        reasoning_effort: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, JsonValue] | None = None,
        timeout: float = 120.0,
        max_retries: int = 5,
        context_limit: int | None = None,
        max_reply_bytes: int | None = None,
    ) -> None:
        """Raises `UsageError` where the key, the address or a header is missing or malformed."""
        import openai

        from memorycode.models.bounded_http import BoundedClient

        if not name.strip():
            raise UsageError("the model has no name: write openai/NAME")
        endpoint = find_endpoint(base_url, api_key, headers or {})
        self.name = f"openai/{name}"
        self._model, self._timeout = name, timeout
        sampling = {
            "temperature": temperature,
            "top_p": top_p,
            "max_tokens": max_tokens,
            "seed": model_seed,
            "reasoning_effort": reasoning_effort,
        }
        self._given = {key: value for key, value in sampling.items() if value is not None}
        self._body = dict(body or {})
        self.secrets = Secrets([*endpoint.secrets, *secrets_in(self._body), *environment_secrets()])
        self._address = self.secrets.removed_from(endpoint.shown)
        self.options = _options(endpoint, sampling, self._body, self.secrets)
        self.context_limit = context_limit
        self._window = ContextWindow(context_limit, for_answer=answer_limit(self.options))
        self._takes_schema = True
        self._attempts = Attempts(max_retries)
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key_sent,
            base_url=endpoint.url,
            timeout=timeout,
            max_retries=0,  # it would wait within an attempt's time
            default_headers=endpoint.headers,
            http_client=BoundedClient(max_reply_bytes or MAX_REPLY_BYTES),
        )
        self._loop = BackgroundLoop(self._client.close)

    def generate(self, prompt: Prompt) -> Completion:
        """Ask once, or more often where that can help.

        Raises `ModelUnavailable` where no further call can succeed, else `ModelError`.
        """
        if failure := self._window.overflow(prompt):
            raise failure.error(self._where)
        return self._attempts.call(lambda: self._attempt(prompt))

    def probe(self) -> None:
        """One small call. Raises `ModelUnavailable` where none will succeed: a wrong key, an
        unknown model, options that are refused, nothing that listens."""
        tokens = min(_PROBE_TOKENS, self._given.get("max_tokens", _PROBE_TOKENS))
        given = self._given | ({"max_tokens": tokens} if "max_tokens" in self._given else {})
        reply = self._reply(_PROBE.text, given)
        if isinstance(reply, Failure):
            reply.raise_if_hopeless(self._where)

    def close(self) -> None:
        """Wait for no endpoint any more: what would be asked again fails instead."""
        self._attempts.close()

    @property
    def _where(self) -> str:
        return f"{self.name} at {self._address}"

    def _attempt(self, prompt: Prompt) -> Completion:
        started = time.perf_counter()
        body = self._held_to_schema(prompt) if prompt.schema else self._reply(prompt.text)
        latency = time.perf_counter() - started
        read = body if isinstance(body, Failure) else self._read(body, latency)
        if isinstance(read, Failure):
            # Raised here and not where it was read, so that the client's own error, which holds
            # the request with the key, does not hang on to it.
            raise read.error(self._where)
        return read

    def _read(self, body: str, latency: float) -> Completion | Failure:
        return read_reply(body, latency=latency, secrets=self.secrets)

    def _held_to_schema(self, prompt: Prompt) -> str | Failure:
        """An endpoint that refuses a schema is asked without one, from then on."""
        if not self._takes_schema:
            return self._reply(prompt.text)
        form = {"name": "answer", "schema": dict(prompt.schema or {})}
        response_format = {"type": "json_schema", "json_schema": form}
        reply = self._reply(prompt.text, self._given | {"response_format": response_format})
        if not (isinstance(reply, Failure) and reply.kind == "bad_request"):
            return reply
        plain = self._reply(prompt.text)
        if not isinstance(plain, Failure):
            self._takes_schema = False
        return plain

    async def _ask(self, text: str, given: Mapping[str, Any]) -> str:
        request = {
            "model": self._model,
            "messages": [{"role": "user", "content": text}],
            **given,
            **self._body,
        }
        # By `post`, for `create` spends as long on walking through the types of a message as the
        # whole of the rest of a call takes.
        return await self._client.post(
            "/chat/completions",
            cast_to=str,
            body={name: value for name, value in request.items() if value is not None},
        )

    def _reply(self, text: str, given: Mapping[str, Any] | None = None) -> str | Failure:
        """The body of the reply as it came, or what went wrong, without the key."""
        import openai

        try:
            return self._loop.run(self._ask(text, given or self._given), self._timeout)
        except UnicodeEncodeError:
            return Failure("bad_request", "the prompt holds half a surrogate pair")
        except (TimeoutError, openai.APITimeoutError):
            # Not asked again: the endpoint has had its time.
            return Failure("timeout", f"no answer within {self._timeout:g} s")
        except (ReplyRefused, openai.APIConnectionError) as error:
            return self._unread(error)
        except openai.APIStatusError as error:
            return self._status_failure(error)
        except openai.OpenAIError as error:
            return Failure("bad_response", self._detail(error))

    def _unread(self, error: Exception) -> Failure:
        if refused := refused_reply(error):
            return replace(refused, problem=self._detail(refused.problem))
        cause = self._detail(error.__cause__)
        return Failure("connection", f"cannot be reached: {cause}", "passing")

    def _status_failure(self, error: openai.APIStatusError) -> Failure:
        failure = read_failure(
            error.status_code,
            self._detail(error),
            codes=(error.code, error.type, error.param),
            headers=error.response.headers,
        )
        if failure.kind == "authentication":
            return Failure(failure.kind, f"{failure.problem}; check {KEY_VARIABLE}", "final")
        return failure

    def _detail(self, error: BaseException | str | None) -> str:
        """An error's text on one line, without the key."""
        return " ".join(self.secrets.removed_from(f"{error or 'no details'}").split())[:300]


def _options(
    endpoint: Endpoint,
    sampling: Mapping[str, JsonValue],
    body: Mapping[str, JsonValue],
    secrets: Secrets,
) -> dict[str, JsonValue]:
    """All that decides the answers, without a key."""
    options: dict[str, JsonValue] = {"address": endpoint.shown, **sampling}
    more = {"headers": shown(dict(endpoint.headers)), "body": shown(dict(body))}
    told = options | {name: value for name, value in more.items() if value}
    return {name: secrets.removed_from_value(value) for name, value in told.items()}
