"""What every client of a chat endpoint has in common: its options, deadlines, retries, the probe,
the way to do without a schema, and errors without a key.

Clients differ in how they send a prompt and in how they read what comes back.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import JsonValue

from memorycode.model_options import NONE_GIVEN, ModelOptions
from memorycode.models.attempts import Attempts
from memorycode.models.event_loop import BackgroundLoop
from memorycode.models.failures import Failure, refused_reply
from memorycode.models.secrets import HIDDEN, Secrets
from memorycode.models.window import ContextWindow, answer_limit
from memorycode.plugin_faults import plugin_faults
from memorycode.protocols import MODEL, Completion, Prompt, Tool

_PROBE = Prompt(("Reply with the word yes.",))
_TIMEOUT, _RETRIES = 120.0, 5
_MASKED = re.compile(r"[\w-]{1,40}\*{3,200}[\w-]{0,40}")
_DETAIL = 300
"""Characters that are told of an error."""


class ChatClient(ABC):
    """A model behind a chat endpoint; may be shared between threads.

    `timeout` is in seconds, for each attempt as a whole: a reply that never comes to an end is cut
    off as well as one that never begins. Up to `max_retries` more attempts follow where that can
    help; waiting for them is not counted. `context_limit` is the model's context in tokens, the
    answer's among them: a longer prompt is not sent. A field of `body` that is None is taken out of
    the request.
    """

    is_language_model = True
    takes_tools = True
    kind: ClassVar[str]
    """What stands before the name, in a spec and in tables."""
    lacks_options: ClassVar[frozenset[str]] = frozenset()
    """Those of `ModelOptions` that it can do nothing with."""

    def __init__(self, name: str, options: ModelOptions = NONE_GIVEN) -> None:
        """Raises `UsageError` where the endpoint cannot be asked with these options."""
        named = f"{self.kind}/{name}"
        options.refuse(self.lacks_options, named)
        self._model, self.name = name, options.label or named
        self._given, self._sampling = options, options.sampling
        self.timeout = options.timeout or _TIMEOUT
        told, self.secrets = self._connect()
        # Answers are told apart by all that decides them, and a label decides nothing.
        labelled = {MODEL: named} if options.label else {}
        clean = self.secrets.removed_from_value
        self.options: Mapping[str, JsonValue] = {
            k: clean(v) for k, v in {**told, **labelled}.items()
        }
        self.context_limit = options.context_limit
        limits = {"max_tokens": self._sampling["max_tokens"], "body": options.body}
        self._window = ContextWindow(self.context_limit, for_answer=answer_limit(limits))
        retries = _RETRIES if options.max_retries is None else options.max_retries
        self._attempts = Attempts(retries)
        self._takes_schema = True

    def generate(self, prompt: Prompt) -> Completion:
        """Ask once, or more often where that can help.

        Raises `ModelUnavailable` where no further call can succeed, else `ModelError`.
        """
        if failure := self._window.overflow(prompt):
            raise failure.error(self._where)
        if prompt.schema and not self._takes_schema:
            prompt = replace(prompt, schema=None)
        ask = self._held_to_schema if prompt.schema else self._reply
        for attempt in self._attempts:
            with attempt:
                reply = ask(prompt)
                if isinstance(reply, Failure):
                    # Raised here and not where it was read, so that the client's own error, which
                    # holds the request with the key, does not hang on to it.
                    raise reply.error(self._where)
                return reply
        raise AssertionError("the last attempt answers or raises")

    def probe(self) -> None:
        """One small call. Raises `ModelUnavailable` where none will succeed: a wrong key, an
        unknown model, options that are refused, nothing that listens."""
        reply = self._reply(_PROBE, **self._probe_options())
        if isinstance(reply, Failure):
            reply.raise_if_hopeless(self._where)

    def close(self) -> None:
        """Wait for no endpoint any more: what would be asked again fails instead."""
        self._attempts.close()

    # ── what a client does in its own way ─────────────────────────────────────────────────────

    @abstractmethod
    def _connect(self) -> tuple[Mapping[str, JsonValue], Secrets]:
        """Make ready to send. Returns all that decides the answers, and what must not be seen."""

    @property
    @abstractmethod
    def _loop(self) -> BackgroundLoop:
        """Where calls are awaited."""

    @abstractmethod
    def _send(self, prompt: Prompt, **options: Any) -> Coroutine[Any, Any, Any]:
        """The call, to be awaited; `options` go before the client's own."""

    @abstractmethod
    def _read(self, reply: Any, latency: float, offered: Sequence[Tool]) -> Completion | Failure:
        """What a call came back with that offered these tools."""

    @abstractmethod
    def _failure(self, error: BaseException) -> Failure | None:
        """What an exception of a call stands for; None for one that is no call's doing."""

    def _probe_options(self) -> Mapping[str, Any]:
        """Options that make a probe's call a small one."""
        return {}

    @property
    def _where(self) -> str:
        """Who was asked, and where: it opens the text of every error."""
        return self.name

    # ── what is the same for all ──────────────────────────────────────────────────────────────

    def _held_to_schema(self, prompt: Prompt) -> Completion | Failure:
        """An endpoint that refuses a schema is asked without one, from then on."""
        reply = self._reply(prompt)
        if not (isinstance(reply, Failure) and reply.kind == "bad_request"):
            return reply
        plain = self._reply(replace(prompt, schema=None))
        if isinstance(plain, Completion):
            self._takes_schema = False
        return plain

    def _reply(self, prompt: Prompt, **options: Any) -> Completion | Failure:
        started = time.perf_counter()
        try:
            reply = self._loop.start(self._send(prompt, **options), self.timeout).result()
            return self._read(reply, time.perf_counter() - started, prompt.tools)
        except UnicodeEncodeError:
            return Failure("bad_request", "the prompt holds half a surrogate pair")
        except TimeoutError:
            return self._late()
        except plugin_faults() as error:
            if refused := refused_reply(error):
                return replace(refused, problem=self._line(refused.problem))
            if failure := self._failure(error):
                return failure
            raise

    def _late(self) -> Failure:
        """Not asked again: the endpoint has had its time."""
        return Failure("timeout", f"no answer within {self.timeout:g} s")

    def _line(self, told: str) -> str:
        """A text on one line, without the key, also where the endpoint shows its ends alone."""
        clean = _MASKED.sub(HIDDEN, self.secrets.removed_from(told))
        return " ".join(clean.split())[:_DETAIL]
