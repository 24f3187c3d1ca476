"""An embedder and language models that answer at once: for trying strategies without weights."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import JsonValue

from memorycode.errors import ModelError
from memorycode.messages import without_half_pairs
from memorycode.protocols import Completion, Prompt, ToolCall

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = re.compile(r"\w+")
_DIMENSIONS = 256
_RULE = re.compile(r"\b(?:always|never|must|from now on|instead of)\b", re.IGNORECASE)
_MOST_LINES = 40
_DEEPEST = 6
"""How deep an instance of a schema goes before it leaves out what may be left out."""

_MOST_DEEP = 50
"""A schema that has no end is given up here."""


class _Halves:
    """Notes in `halves`, by `name`, that half a surrogate pair was sent: no endpoint takes one."""

    def __init__(self, name: str, halves: set[str] | None) -> None:
        self._name, self._halves = name, halves

    def whole(self, text: str) -> str:
        """The text with U+FFFD for each."""
        whole = without_half_pairs(text)
        if whole != text and self._halves is not None:
            self._halves.add(self._name)
        return whole


class HashedWords:
    """An embedder without weights: the direction of a text's counted words, hashed."""

    name = "hashed-words"

    def __init__(self, halves: set[str] | None = None) -> None:
        self._heard = _Halves("the embedder", halves)

    def pieces(self, text: str) -> list[str]:
        return [text]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), _DIMENSIONS), np.float32)
        for row, text in enumerate(map(self._heard.whole, texts)):
            for word in _WORD.findall(text.casefold()):
                vectors[row, zlib.crc32(word.encode()) % _DIMENSIONS] += 1
        vectors[~vectors.any(axis=1), 0] = 1  # a text without words has some direction too
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


class NoteTaker:
    """A language model of a few lines: it answers with what sounds like a rule in the prompt, each
    line once and in order, or with the smallest instance of the schema that it is held to.

    The same prompt gets the same answer. What it writes keeps the rules that it was told, so that a
    memory which has notes written has something to keep. Offered tools, it calls the first of them,
    and answers once it has the result.
    """

    name = "note-taker"
    is_language_model = takes_tools = True

    def __init__(self, halves: set[str] | None = None) -> None:
        self._heard = _Halves("the model", halves)

    def generate(self, prompt: Prompt) -> Completion:
        text = self._heard.whole("\n".join(message.text for message in prompt.messages))
        lines = list(dict.fromkeys(_rules_in(text)))[-_MOST_LINES:]
        line = lines[-1] if lines else "nothing to note"
        if prompt.tools and prompt.messages[-1].role != "tool":
            tool = prompt.tools[0]
            arguments = json.dumps(smallest_instance(tool.parameters, line))
            call = ToolCall(id=f"call_{len(prompt.messages)}", name=tool.name, arguments=arguments)
            return Completion(text="", tool_calls=(call,))
        if prompt.schema is None:
            return Completion(text="\n\n".join(lines) or "There is nothing to note.")
        return Completion(text=json.dumps(smallest_instance(prompt.schema, line)))


class Misbehaving:
    """A language model that answers every prompt with the same useless text."""

    is_language_model = takes_tools = True

    def __init__(self, name: str, text: str) -> None:
        self.name, self._text = name, text

    def generate(self, prompt: Prompt) -> Completion:
        del prompt
        return Completion(text=self._text)


class Failing:
    """A language model whose every call fails."""

    name = "a model that raises ModelError"
    is_language_model = takes_tools = True

    def generate(self, prompt: Prompt) -> Completion:
        del prompt
        raise ModelError("the endpoint did not answer in time", kind="timeout")


def _rules_in(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.strip() and _RULE.search(line):
            yield line.strip()


def smallest_instance(schema: Mapping[str, JsonValue], text: str) -> JsonValue:
    """An instance of a JSON schema with one element per list; strings are `text`.

    It knows what pydantic writes: types, properties, items, enums, constants, alternatives and
    references within the schema. A list in a list of its own kind is left empty.
    """
    return _Instance(schema, text).of(dict(schema), 0)


class _Instance:
    def __init__(self, root: Mapping[str, JsonValue], text: str) -> None:
        self._root, self._text = root, text

    def of(self, schema: JsonValue, depth: int) -> JsonValue:
        if not isinstance(schema, Mapping) or depth > _MOST_DEEP:
            return None
        for key in ("const", "default"):
            if key in schema and (key == "const" or depth > _DEEPEST):
                return schema[key]
        if "$ref" in schema:
            return self.of(self._referred(str(schema["$ref"])), depth + 1)
        for key in ("enum", "anyOf", "oneOf", "allOf"):
            options = schema.get(key)
            if isinstance(options, Sequence) and options:
                chosen = options[0 if depth <= _DEEPEST else -1]  # null stands last
                return chosen if key == "enum" else self.of(chosen, depth + 1)
        return self._of_type(schema, depth)

    def _of_type(self, schema: Mapping[str, JsonValue], depth: int) -> JsonValue:
        kind = schema.get("type")
        if isinstance(kind, Sequence) and not isinstance(kind, str):
            kind = kind[0]
        if kind == "object" or "properties" in schema:
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        if kind == "string":
            return self._string(schema)
        if kind in ("integer", "number"):
            return schema.get("minimum", 0)
        return False if kind == "boolean" else None

    def _object(self, schema: Mapping[str, JsonValue], depth: int) -> JsonValue:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            return {}
        required = schema.get("required")
        named = required if isinstance(required, Sequence) else ()
        return {
            name: self.of(each, depth + 1)
            for name, each in properties.items()
            if name in named or depth <= _DEEPEST
        }

    def _array(self, schema: Mapping[str, JsonValue], depth: int) -> JsonValue:
        least = schema.get("minItems", 0)
        count = least if isinstance(least, int) and least else int(depth <= _DEEPEST)
        return [self.of(schema.get("items"), depth + 1) for _ in range(count)]

    def _string(self, schema: Mapping[str, JsonValue]) -> str:
        most, least = schema.get("maxLength"), schema.get("minLength")
        text = self._text[: most if isinstance(most, int) else None]
        return text.ljust(least if isinstance(least, int) else 0, ".")

    def _referred(self, reference: str) -> JsonValue:
        found: JsonValue = dict(self._root)
        for part in reference.removeprefix("#/").split("/"):
            found = found.get(part) if isinstance(found, Mapping) else None
        return found
