"""Answers on disk, so that no model is ever asked the same thing twice."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import JsonValue, ValidationError

from memorycode.cache_folder import cache_folder, open_cache
from memorycode.models.chat_request import chat_messages, chat_tools
from memorycode.models.endings import no_answer
from memorycode.optional_members import (
    address_of,
    context_limit_of,
    note_of,
    options_of,
    takes_tools,
)
from memorycode.plugin_faults import optional
from memorycode.protocols import ADDRESS, Completion, Model, Prompt

_FORM = 1
"""Of the keys: another one finds nothing that was kept under this one."""

_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers "
    "(key BLOB PRIMARY KEY, model TEXT, completion TEXT) WITHOUT ROWID"
)

_ADDRESSES = (
    "CREATE TABLE IF NOT EXISTS addresses "
    "(model TEXT, address TEXT, PRIMARY KEY (model, address)) WITHOUT ROWID"
)
"""Where each model was asked, beside the answers: a key has the address in it, and an answer from
another one is found by trying those."""

_ADD_ADDRESS = "INSERT OR IGNORE INTO addresses VALUES (?, ?)"
_OTHERS = "SELECT address FROM addresses WHERE model = ? AND address != ? ORDER BY address"
_ADD = "INSERT OR IGNORE INTO answers VALUES (?, ?, ?)"
_REMOVE = "DELETE FROM answers WHERE key = ? AND completion = ?"


class ResponseCache:
    """One SQLite file; threads and processes may share it.

    An answer is kept under the hash of all that decides it. What is kept stays until the cache is
    cleared. Neither prompts nor keys are kept. The address of a model is among what decides, unless
    answers are shared `across_addresses` on purpose.
    """

    def __init__(self, file: Path | None = None, across_addresses: bool = False) -> None:
        """Raises `UsageError` where the file is not one of these or cannot be made."""
        self._across_addresses = across_addresses
        self.file = file or cache_folder() / "responses.sqlite"
        self._lock = threading.Lock()
        self._database = open_cache(self.file, "answers", [_TABLE, _ADDRESSES])

    def get(self, key: bytes) -> Completion | None:
        """The answer kept under the key, marked as cached; None where there is none."""
        query = "SELECT completion FROM answers WHERE key = ?"
        row = None
        with self._lock, suppress(sqlite3.Error):
            row = self._database.execute(query, (key,)).fetchone()
        if row is None:
            return None
        try:
            kept = Completion.model_validate_json(row[0])
        except ValidationError:  # of another version of this project
            return None
        if not _is_complete(kept):  # kept by a version that took it for an answer
            with self._lock, suppress(sqlite3.Error):
                self._database.execute(_REMOVE, (key, row[0]))
            return None
        return kept.model_copy(update={"cached": True})

    def put(self, key: bytes, model: str, completion: Completion) -> Completion:
        """Keep an answer. What is there already stays, and is what comes back.

        A disk that is full or fails loses no answer that was paid for: it just is not kept.
        """
        row = (key, model, completion.model_dump_json())
        try:
            with self._lock:
                added = self._database.execute(_ADD, row).rowcount
        except sqlite3.Error:
            return completion
        return completion if added else self.get(key) or completion

    def other_addresses(self, model: str, address: str) -> list[str]:
        """Where else the model's answers may be taken from; that it is at `address` is kept."""
        with self._lock, suppress(sqlite3.Error):
            self._database.execute(_ADD_ADDRESS, (model, address))
            if self._across_addresses:
                return [row[0] for row in self._database.execute(_OTHERS, (model, address))]
        return []

    def counts(self) -> dict[str, int]:
        """How many answers are kept of each model, by name."""
        query = "SELECT model, count(*) FROM answers GROUP BY model ORDER BY model"
        with self._lock:
            return dict(self._database.execute(query).fetchall())

    def clear(self) -> int:
        """Forget all answers; returns how many there were."""
        with self._lock:
            removed = self._database.execute("DELETE FROM answers").rowcount
            self._database.execute("DELETE FROM addresses")
            self._database.execute("VACUUM")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return removed

    def close(self) -> None:
        self._database.close()


class CachedModel:
    """A model that is asked only what the cache has no answer to.

    `repeat` tells apart the answers that are drawn to one prompt. Only complete answers are kept:
    a failure is asked again the next time. What no language model answers is not kept.
    """

    def __init__(self, model: Model, cache: ResponseCache, repeat: int = 0) -> None:
        self.name, self.is_language_model = model.name, model.is_language_model
        self.options, self.note = options_of(model), note_of(model)
        self.context_limit, self.takes_tools = context_limit_of(model), takes_tools(model)
        self._model, self._cache, self._repeat = model, cache, repeat
        address = address_of(model)
        others = cache.other_addresses(self.name, address) if address else []
        self._elsewhere = [{**self.options, ADDRESS: other} for other in others]

    def generate(self, prompt: Prompt) -> Completion:
        """The answer from the cache, else the model's; raises what the model raises."""
        if not self.is_language_model:
            return self._model.generate(prompt)
        key = self._key(prompt, self.options)
        if kept := self._cache.get(key):
            return kept
        for options in self._elsewhere:
            if kept := self._cache.get(self._key(prompt, options)):
                return kept
        completion = self._model.generate(prompt)
        if not _is_complete(completion) or (completion.tool_calls and not prompt.tools):
            return completion
        answer = self._cache.put(key, self.name, completion)
        # Where two ask the same at once, both are sent, one answer is kept for both, and neither of
        # them was at hand.
        return answer.model_copy(update={"cached": False}) if answer.cached else answer

    def probe(self) -> None:
        """Ask the model whether it can be used, where it can tell."""
        ask = optional(self._model, "probe", None)
        if ask is not None:
            ask()

    def _key(self, prompt: Prompt, options: Mapping[str, JsonValue]) -> bytes:
        messages = prompt.messages
        decided_by = {
            "form": _FORM,
            "model": self.name,
            "options": dict(options),
            "prompt": chat_messages(messages) if prompt.is_conversation else messages[0].text,
            "schema": prompt.schema,
            "sample": self._repeat,
        }
        if prompt.tools:
            decided_by |= {"tools": chat_tools(prompt.tools), "tool_choice": prompt.tool_choice}
        # Half a surrogate pair is written as an escape, so that any prompt has a key.
        return hashlib.sha256(
            json.dumps(decided_by, sort_keys=True, default=str).encode("ascii")
        ).digest()


def _is_complete(completion: object) -> bool:
    """Whether that is an answer; a plug-in may hand back anything."""
    return isinstance(completion, Completion) and not no_answer(
        completion.text, completion.finish_reason, tool_calls=completion.tool_calls
    )
