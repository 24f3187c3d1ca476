"""Any chat model that LangChain can build, as a model here."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from pydantic import JsonValue, SecretStr

from memorycode.errors import UsageError
from memorycode.extras import Needs, check_installed
from memorycode.models.attempts import Attempts
from memorycode.models.endpoint import MAX_REPLY_BYTES, address_secrets, shown_address
from memorycode.models.event_loop import BackgroundLoop
from memorycode.models.failures import Failure, refused_reply
from memorycode.models.langchain_reply import read_exception, read_held_message, read_message
from memorycode.models.secrets import (
    Secrets,
    environment_secrets,
    secret_headers,
    secrets_in,
    shown,
)
from memorycode.models.window import ContextWindow, answer_limit
from memorycode.plugin_faults import plugin_faults, said
from memorycode.protocols import Completion, Prompt

_SCHEMA_TITLE = "answer"
_FIELDS = {"headers": "default_headers", "body": "extra_body"}
"""What LangChain calls what is sent along."""

_PROBE = Prompt(("Reply with the word yes.",))


class LangChainModel:
    """langchain/PROVIDER:NAME: any provider that LangChain has a package for.

    Asked with one user message; may be shared between threads. The options are those of
    `openai/NAME` and mean the same; a provider is given those that its class has a field for. The
    key and the address are the provider's own business: it reads its usual variables.
    """

    needs: ClassVar[Needs] = {"langchain-models": ("langchain",)}
    is_language_model = True

    def __init__(
        self,
        name: str,
        *,
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
        """Raises `PluginError` where langchain is missing, `UsageError` where the package of the
        provider is, or it refuses the settings.
        """
        self.name = f"langchain/{name}"
        sampling: dict[str, JsonValue] = {
            "temperature": temperature,
            "top_p": top_p,
            "max_tokens": max_tokens,
            "seed": model_seed,
            "reasoning_effort": reasoning_effort,
        }
        more: dict[str, JsonValue] = {"headers": dict(headers or {}), "body": dict(body or {})}
        left_out = {key for key, value in (body or {}).items() if value is None}
        sampling |= dict.fromkeys(left_out & sampling.keys())
        sent = more | {"body": _not_none(body or {})}
        given = _not_none(sampling | {_FIELDS[key]: value for key, value in sent.items() if value})
        # Its own retries would count for an attempt's time.
        self._chat = _build(name, given, max_reply_bytes, timeout=timeout, max_retries=0)
        self._timeout = timeout
        self.secrets = Secrets([*_secrets_of(self._chat), *_secrets_given(given)])
        taken = _fields(self._chat)
        options = {
            **_address(self._chat),
            **{key: value for key, value in sampling.items() if key in taken},
            **{key: shown(v) for key, v in more.items() if v and _FIELDS[key] in taken},
        }
        self.options = {
            key: self.secrets.removed_from_value(value) for key, value in options.items()
        }
        self.context_limit = context_limit
        self._window = ContextWindow(context_limit, for_answer=answer_limit(sampling | more))
        self._takes_schema = True
        self._attempts = Attempts(max_retries)

    def generate(self, prompt: Prompt) -> Completion:
        """Ask once, or more often where that can help.

        Raises `ModelUnavailable` where no further call can succeed, else `ModelError`.
        """
        if failure := self._window.overflow(prompt):
            raise failure.error(self.name)
        return self._attempts.call(lambda: self._attempt(prompt))

    def probe(self) -> None:
        """One small call. Raises `ModelUnavailable` where none will succeed: a wrong key, an
        unknown model, options that are refused, nothing that listens."""
        reply = self._reply(self._chat, _PROBE)
        if isinstance(reply, Failure):
            reply.raise_if_hopeless(self.name)

    def close(self) -> None:
        """Wait for no endpoint any more: what would be asked again fails instead."""
        self._attempts.close()

    def _attempt(self, prompt: Prompt) -> Completion:
        reply = self._held_to_schema(prompt) if prompt.schema else self._reply(self._chat, prompt)
        if isinstance(reply, Failure):
            raise reply.error(self.name)
        return reply

    def _held_to_schema(self, prompt: Prompt) -> Completion | Failure:
        """A provider that refuses a schema is asked without one, from then on."""
        if not self._takes_schema:
            return self._reply(self._chat, prompt)
        schema = {"title": _SCHEMA_TITLE, "description": "The answer.", **(prompt.schema or {})}
        try:
            held = self._chat.with_structured_output(schema, include_raw=True)
        except plugin_faults():  # whatever it raises, it cannot be held to this one
            self._takes_schema = False
            return self._reply(self._chat, prompt)
        reply = self._reply(held, prompt)
        if not (isinstance(reply, Failure) and reply.kind == "bad_request"):
            return reply
        plain = self._reply(self._chat, prompt)
        if isinstance(plain, Completion):
            self._takes_schema = False
        return plain

    def _reply(self, chat: Any, prompt: Prompt) -> Completion | Failure:
        started = time.perf_counter()
        try:
            prompt.text.encode()
            reply = _loop().run(chat.ainvoke([("human", prompt.text)]), self._timeout)
            latency = time.perf_counter() - started
            if isinstance(reply, dict):
                return read_held_message(reply["raw"], latency=latency, secrets=self.secrets)
            return read_message(reply, latency=latency, secrets=self.secrets)
        except UnicodeEncodeError:
            return Failure("bad_request", "the prompt holds half a surrogate pair")
        except TimeoutError:
            return Failure("timeout", f"no answer within {self._timeout:g} s")
        except plugin_faults() as error:
            return self._failure(error)

    def _failure(self, error: BaseException) -> Failure:
        if refused := refused_reply(error):
            return replace(refused, problem=self._line(refused.problem))
        return read_exception(error, self._detail(error))

    def _detail(self, error: BaseException) -> str:
        """An error's text on one line, without the key; of a failed connection what lies behind."""
        cause = error.__cause__
        return self._line(said(error) or (said(cause) if cause else "no details"))

    def _line(self, told: str) -> str:
        return " ".join(self.secrets.removed_from(told).split())[:300]


@lru_cache(maxsize=1)
def _loop() -> BackgroundLoop:
    """One for all: packages share connections between their models, and those belong to a loop."""

    async def nothing_to_close() -> None:
        pass

    return BackgroundLoop(nothing_to_close)


@lru_cache
def _client(max_reply_bytes: int) -> Any:
    """One for all models, as the loop is."""
    from memorycode.models.bounded_http import BoundedClient

    return BoundedClient(max_reply_bytes)


def _build(name: str, given: Mapping[str, Any], max_reply_bytes: int | None, **always: Any) -> Any:
    """The chat model with those of the options that its class has a field for."""
    check_installed({f"langchain/{name}": LangChainModel.needs})
    provider, colon, model = name.partition(":")
    if not (colon and provider and model):
        raise UsageError(f"langchain/{name}: write langchain/PROVIDER:NAME, as openai:gpt-4.1-mini")
    from langchain.chat_models import init_chat_model

    def build(**options: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # packages warn of what their next version will do
            return init_chat_model(model, model_provider=provider, **options)

    try:
        plain = build(**always)
        known = _fields(plain)
        if _takes_a_client(plain):
            always["http_async_client"] = _client(max_reply_bytes or MAX_REPLY_BYTES)
        return build(**always, **{key: value for key, value in given.items() if key in known})
    except plugin_faults() as error:
        secrets = Secrets(_secrets_given(given))
        problem = " ".join(secrets.removed_from(said(error)).split())[:300]
    raise UsageError(f"langchain/{name}: {problem}")


def _not_none(options: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in options.items() if value is not None}


def _fields(chat: Any) -> set[str]:
    """The names that the options of a chat model's class go by."""
    fields = type(chat).model_fields.items()
    return {text for key, field in fields for text in (key, field.alias) if text}


def _takes_a_client(chat: Any) -> bool:
    """Whether it is built on the package openai, and so goes by a client that it is handed. One
    that is to go by a proxy of its own refuses any."""
    bases = {base.__module__.partition(".")[0] for base in type(chat).__mro__}
    return "langchain_openai" in bases and not getattr(chat, "openai_proxy", None)


def _secrets_of(chat: Any) -> list[str]:
    held = [getattr(chat, name, None) for name in type(chat).model_fields]
    values = [value.get_secret_value() for value in held if isinstance(value, SecretStr)]
    in_addresses = [secret for address in _addresses(chat) for secret in address_secrets(address)]
    return [*(value for value in values if isinstance(value, str)), *in_addresses]


def _secrets_given(given: Mapping[str, Any]) -> list[str]:
    headers = given.get(_FIELDS["headers"], {})
    return [*secrets_in(given), *secret_headers(headers), *environment_secrets()]


def _address(chat: Any) -> dict[str, JsonValue]:
    """Where the endpoint is, if the class says so: another one may answer otherwise."""
    shown_ones = filter(None, map(shown_address, _addresses(chat)))
    return {"address": address} if (address := next(shown_ones, "")) else {}


def _addresses(chat: Any) -> Iterator[str]:
    for holder in (chat, getattr(chat, "root_client", None)):
        for name in ("openai_api_base", "anthropic_api_url", "base_url", "endpoint"):
            yield f"{getattr(holder, name, '')}"
