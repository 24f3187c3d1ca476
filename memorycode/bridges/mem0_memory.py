"""mem0's `Memory` that stays within the process: no telemetry, no files, Qdrant in memory."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memorycode.extras import needed

if TYPE_CHECKING:
    from memorycode.bridges.langchain_chat import LangChainChat
    from memorycode.bridges.langchain_embeddings import LangChainEmbeddings


@lru_cache(maxsize=1)
def load_mem0() -> None:
    """On import mem0 makes a folder in the user's home and decides whether it sends telemetry.

    Raises `PluginError` where it is not installed.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        _environment(MEM0_DIR=folder, MEM0_TELEMETRY="False"),
    ):
        needed("mem0", "mem0", "qdrant_client", "langchain")
    from mem0.memory import main, telemetry

    main.MEM0_TELEMETRY = telemetry.MEM0_TELEMETRY = False  # had it been imported before
    # It warns that it finds no spaCy, and of answers that are no JSON, which are counted here.
    logging.getLogger("mem0").setLevel(logging.CRITICAL)


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def reads_answer(answer: str) -> bool:
    """Whether mem0 finds memories in what a model answered, be it none; of what it cannot read it
    says nothing and keeps nothing. `load_mem0` must have been called."""
    from mem0.memory.utils import extract_json, remove_code_blocks

    bare = remove_code_blocks(answer)
    for told in (bare, extract_json(bare)):
        with suppress(ValueError, RecursionError):
            found = json.loads(told, strict=False)
            kept = found.get("memory") if isinstance(found, dict) else None
            return isinstance(kept, list) and all(isinstance(memory, dict) for memory in kept)
    return False


class Mem0:
    """A `Memory` of its own with vectors of `dimensions`; `memory` is mem0's object."""

    def __init__(
        self, embeddings: LangChainEmbeddings, chat: LangChainChat, dimensions: int
    ) -> None:
        """`load_mem0` must have been called."""
        from mem0 import Memory
        from mem0.configs.base import MemoryConfig
        from qdrant_client import QdrantClient

        self._client = QdrantClient(":memory:")
        # Qdrant in memory has no such indexes, and warns whoever asks for one.
        self._client.create_payload_index = _no_index
        store = {"client": self._client, "embedding_model_dims": dimensions}
        self.memory: Any = Memory(
            MemoryConfig(
                vector_store={"provider": "qdrant", "config": store},
                embedder={"provider": "langchain", "config": {"model": embeddings}},
                llm={"provider": "langchain", "config": {"model": chat}},
                history_db_path=":memory:",
            )
        )

    def close(self) -> None:
        """Close its databases."""
        self.memory.close()
        self._client.close()


def _no_index(**_: object) -> None:
    pass
