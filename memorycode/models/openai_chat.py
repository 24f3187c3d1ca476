"""Any endpoint that speaks OpenAI's chat protocol: OpenAI's own, vLLM, Ollama, llama.cpp …"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.models.chat_reply import read_reply
from memorycode.models.event_loop import BackgroundLoop
from memorycode.protocols import Completion, Prompt

if TYPE_CHECKING:
    import openai

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"

_OFFICIAL_URL = "https://api.openai.com/v1"
_NO_KEY = "no-key"
"""Sent to endpoints that ask for none: the client insists on one."""

_SHORTEST_SECRET = 8
"""Shorter keys are words such as EMPTY, given to endpoints that ask for none; answers may hold
such a word."""

_STATUS_KINDS = {401: "authentication", 403: "permission", 404: "not_found", 408: "timeout"}
_FINAL = {
    401: f"the key is not accepted; check {KEY_VARIABLE}",
    403: "the key does not give access to this model",
    404: "no such model, or no chat endpoint at this address",
}
"""Answers by status after which no further call can succeed."""


class OpenAIChat:
    """openai/NAME: any endpoint that speaks OpenAI's chat protocol.

    Asked with one user message; may be shared between threads.

    `temperature` and `max_tokens` (of the answer) are left to the endpoint where they are None.
    `timeout` is in seconds, for a call as a whole with its `max_retries`: a reply that never comes
    to an end is cut off as well as one that never begins. The key and the address come from the
    usual variables unless given; a local endpoint needs no key.
    """

    is_language_model = True

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.0,
        max_tokens: int | None = 2048,
        timeout: float = 120.0,
        max_retries: int = 2,
    ) -> None:
        """Raises `UsageError` where the key or the address is missing or malformed."""
        import openai

        if not name.strip():
            raise UsageError("the model has no name: write openai/NAME")
        url = base_url or os.environ.get(URL_VARIABLE, "").strip()
        self._key = _checked_key(api_key or os.environ.get(KEY_VARIABLE, ""), url)
        self._address = _checked_address(url or _OFFICIAL_URL)
        self.name = f"openai/{name}"
        self._model = name
        self._timeout = timeout
        self._options: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens}
        self.options = {"address": self._address, **self._options}
        self._client = openai.AsyncOpenAI(
            api_key=self._key or _NO_KEY,
            base_url=url or _OFFICIAL_URL,
            timeout=timeout,
            max_retries=max_retries,
        )
        self._loop = BackgroundLoop(self._client.close)

    def generate(self, prompt: Prompt) -> Completion:
        """Ask once, or as often as `max_retries` allows.

        Raises `ModelUnavailable` where no further call can succeed, else `ModelError`.
        """
        started = time.perf_counter()
        reply = self._reply(prompt.text)
        if isinstance(reply, ModelError):
            # Raised here and not where it was caught, so that the client's own error, which
            # holds the request with the key, does not hang on to it.
            raise reply
        try:
            return read_reply(self._without_key(reply), latency=time.perf_counter() - started)
        except ModelError as error:
            raise self._failure(str(error), kind=error.kind) from None

    async def _ask(self, text: str) -> str:
        given = {key: value for key, value in self._options.items() if value is not None}
        reply = await self._client.chat.completions.with_raw_response.create(
            model=self._model, messages=[{"role": "user", "content": text}], **given
        )
        return str(reply.text)

    def _reply(self, text: str) -> str | ModelError:
        """The body of the reply, or what went wrong."""
        import openai

        try:
            return self._loop.run(self._ask(text), self._timeout)
        except UnicodeEncodeError:
            return self._failure("the prompt holds half a surrogate pair", kind="bad_request")
        except (TimeoutError, openai.APITimeoutError):
            return self._failure(f"no answer within {self._timeout:g} s", kind="timeout")
        except openai.APIConnectionError as error:
            cause = self._detail(error.__cause__)
            return self._failure(f"cannot be reached: {cause}", kind="connection")
        except openai.APIStatusError as error:
            return self._status_failure(error)
        except openai.OpenAIError as error:
            return self._failure(self._detail(error), kind="bad_response")

    def _status_failure(self, error: openai.APIStatusError) -> ModelError:
        status = error.status_code
        if status in _FINAL:
            return ModelUnavailable(self._at(_FINAL[status]), kind=_STATUS_KINDS[status])
        if error.code == "insufficient_quota":
            return ModelUnavailable(self._at("the account's quota is used up"), kind="quota")
        return self._failure(self._detail(error), kind=_status_kind(status, error.code))

    def _failure(self, problem: str, *, kind: str) -> ModelError:
        return ModelError(self._at(problem), kind=kind)

    def _at(self, problem: str) -> str:
        return f"{self.name} at {self._address}: {problem}"

    def _detail(self, error: BaseException | None) -> str:
        """An error's text on one line, without the key: endpoints like to repeat it."""
        return " ".join(self._without_key(f"{error or 'no details'}").split())[:300]

    def _without_key(self, text: str) -> str:
        is_secret = len(self._key) >= _SHORTEST_SECRET
        return text.replace(self._key, "[key]") if is_secret else text


def _status_kind(status: int, code: str | None) -> str:
    if code == "content_filter":
        return "content_filter"
    if status == 429:
        return "rate_limit"
    if status >= 500:
        return "server_error"
    return _STATUS_KINDS.get(status, "bad_request")


def _checked_key(key: str, url: str) -> str:
    """The key without space around it; empty where an address of one's own asks for none."""
    key = key.strip()
    if not key and not url:
        raise UsageError(
            f"no key for OpenAI: set the variable {KEY_VARIABLE}, or {URL_VARIABLE} to the address "
            "of an endpoint of your own, such as http://localhost:8000/v1"
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(f"the key (variable {KEY_VARIABLE}) holds characters that no key has")
    return key


def _checked_address(url: str) -> str:
    """The address as it may be shown: without a name and password in it."""
    wrong = UsageError(
        f"the endpoint's address ({URL_VARIABLE}, base_url) is not of the form http://HOST/v1"
    )
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise wrong
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
