"""llama.cpp within this process, by way of xllamacpp: weights in, answers out.

It also listens on a free port of 127.0.0.1, as any llama.cpp server does, for whoever has the key.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memorycode.errors import UsageError

_SILENT = 0
"""The level at which llama.cpp writes nothing to the terminal."""


class LlamaServer:
    """One model, loaded. `slots` is how many requests it works on at once, each with `context`
    tokens; `key` opens the HTTP endpoint at `url`.

    Prompts are not kept between requests: what is kept changes how the next is computed, and with
    it, seldom but really, an answer.
    """

    def __init__(
        self, weights: Path, *, slots: int, context: int, threads: int | None = None
    ) -> None:
        """Raises `UsageError` where the weights cannot be loaded."""
        import xllamacpp

        self.key = secrets.token_hex(16)
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(weights)
        parameters.n_parallel, parameters.n_ctx = slots, slots * context
        parameters.verbosity, parameters.warmup, parameters.ui = _SILENT, False, False
        parameters.cache_prompt = False
        parameters.api_keys = [self.key]
        for cores in (parameters.cpuparams, parameters.cpuparams_batch):
            cores.n_threads = threads or _some_cores()
        try:
            self._server = xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise UsageError(f"{weights}: llama.cpp cannot load it as a GGUF model") from error
        self.url = f"{self._server.listening_address}/v1"

    def chat(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a chat request, both in OpenAI's form; may be called by several threads.

        Raises `ValueError` for a request that is malformed.
        """
        reply: dict[str, Any] = self._server.handle_chat_completions(dict(request))
        return reply


def _some_cores() -> int:
    """Half of them: llama.cpp's threads wait for each other without sleeping, so that one too
    many makes all of them slow."""
    return max(1, (os.cpu_count() or 1) // 2)
