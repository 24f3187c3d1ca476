"""A prompt in the form that OpenAI's chat protocol has for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memorycode.protocols import Message, Prompt


def chat_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The messages, each with its role."""
    return [{"role": message.role, "content": message.text} for message in messages]


def chat_request(prompt: Prompt, options: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a request: the messages, the options, and the schema where there is one."""
    request = {"messages": chat_messages(prompt.messages), **options}
    if prompt.schema:
        form = {"name": "answer", "schema": dict(prompt.schema)}
        request["response_format"] = {"type": "json_schema", "json_schema": form}
    return request
