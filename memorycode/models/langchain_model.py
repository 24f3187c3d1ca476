"""Any chat model that LangChain can build, as a model here."""

from __future__ import annotations

import warnings
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from pydantic import JsonValue, SecretStr

from memorycode.errors import UsageError
from memorycode.extras import Needs, check_installed
from memorycode.models.chat_client import ChatClient
from memorycode.models.chat_request import chat_messages, chat_tools
from memorycode.models.endpoint import MAX_REPLY_BYTES, address_secrets, shown_address
from memorycode.models.event_loop import BackgroundLoop
from memorycode.models.failures import Failure, ReplyRefused, told_by
from memorycode.models.langchain_reply import read_exception, read_held_message, read_message
from memorycode.models.secrets import (
    Secrets,
    environment_secrets,
    secret_headers,
    secrets_in,
    shown,
)
from memorycode.plugin_faults import plugin_faults, said
from memorycode.protocols import ADDRESS, Completion, Message, Prompt, Tool

_SCHEMA_TITLE = "answer"
_FIELDS = {"headers": "default_headers", "body": "extra_body"}
"""What LangChain calls what is sent along."""


class LangChainModel(ChatClient):
    """langchain/PROVIDER:NAME: any provider that LangChain has a package for.

    A provider is given those of the options that its class has a field for. The key and the address
    are the provider's own business: it reads its usual variables.
    """

    kind: ClassVar[str] = "langchain"
    lacks_options: ClassVar[frozenset[str]] = frozenset({"base_url", "key_variable"})
    needs: ClassVar[Needs] = {"langchain-models": ("langchain",)}

    def _connect(self) -> tuple[Mapping[str, JsonValue], Secrets]:
        """Raises `PluginError` where langchain is missing, `UsageError` where the package of the
        provider is, or it refuses the settings.
        """
        headers: dict[str, JsonValue] = dict(self._given.headers)
        body: dict[str, JsonValue] = dict(self._given.body)
        left_out = {key for key, value in body.items() if value is None}
        sampling = self._sampling | dict.fromkeys(left_out & self._sampling.keys())
        sent: dict[str, JsonValue] = {
            _FIELDS["headers"]: headers,
            _FIELDS["body"]: _not_none(body),
        }
        given = _not_none(sampling | {key: value for key, value in sent.items() if value})
        # Its own retries would count for an attempt's time.
        always = {"timeout": self.timeout, "max_retries": 0}
        self._chat = _build(self._model, given, self._given.max_reply_bytes, **always)
        taken = _fields(self._chat)
        more: dict[str, JsonValue] = {"headers": headers, "body": body}
        told = {
            **_address(self._chat),
            **{key: value for key, value in sampling.items() if key in taken},
            **{key: shown(v) for key, v in more.items() if v and _FIELDS[key] in taken},
        }
        return told, Secrets([*_secrets_of(self._chat), *_secrets_given(given)])

    @property
    def _loop(self) -> BackgroundLoop:
        return _shared_loop()

    def _send(self, prompt: Prompt, **options: Any) -> Coroutine[Any, Any, Any]:
        for part in prompt.parts:
            part.encode()
        chat = self._held_by(prompt.schema) if prompt.schema else self._chat
        if prompt.tools:
            chat = self._with_tools(prompt)
        call: Coroutine[Any, Any, Any] = chat.ainvoke(_messages(prompt.messages), **options)
        return call

    def _with_tools(self, prompt: Prompt) -> Any:
        choice = "any" if prompt.tool_choice == "required" else "auto"
        try:
            return self._chat.bind_tools(chat_tools(prompt.tools), tool_choice=choice)
        except plugin_faults() as error:  # whatever it raises, it cannot be handed these
            refused = Failure("bad_request", f"takes no tools: {said(error)}")
            raise ReplyRefused(refused) from error

    def _held_by(self, schema: Mapping[str, JsonValue]) -> Any:
        told = {"title": _SCHEMA_TITLE, "description": "The answer.", **schema}
        try:
            return self._chat.with_structured_output(told, include_raw=True)
        except plugin_faults() as error:  # whatever it raises, it cannot be held to this one
            refused = Failure("bad_request", f"takes no schema: {said(error)}")
            raise ReplyRefused(refused) from error

    def _read(self, reply: Any, latency: float, offered: Sequence[Tool]) -> Completion | Failure:
        if isinstance(reply, dict):
            return read_held_message(reply["raw"], latency=latency, secrets=self.secrets)
        return read_message(reply, latency=latency, secrets=self.secrets, offered=offered)

    def _failure(self, error: BaseException) -> Failure:
        # Of a failed connection what lies behind it is told.
        cause = error.__cause__
        problem = told_by(error) or (said(cause) if cause else "no details")
        return read_exception(error, self._line(problem))


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as LangChain reads them. Not every provider has a way to repeat a call whose
    arguments cannot be read: it is repeated without them."""
    sent = chat_messages(messages)
    for message, told in zip(messages, sent, strict=True):
        if message.tool_calls:
            told["tool_calls"] = [
                {"type": "tool_call", "id": call.id, "name": call.name, "args": call.values or {}}
                for call in message.tool_calls
            ]
    return sent


@lru_cache(maxsize=1)
def _shared_loop() -> BackgroundLoop:
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
    return {ADDRESS: address} if (address := next(shown_ones, "")) else {}


def _addresses(chat: Any) -> Iterator[str]:
    for holder in (chat, getattr(chat, "root_client", None)):
        for name in ("openai_api_base", "anthropic_api_url", "base_url", "endpoint"):
            yield f"{getattr(holder, name, '')}"
