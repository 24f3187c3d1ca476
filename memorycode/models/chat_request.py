"""A prompt in the form that OpenAI's chat protocol has for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memorycode.protocols import Message, Prompt, Tool


def chat_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages, each with its role, and the calls of tools in them."""
    return [_chat_message(message) for message in messages]


def chat_tools(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools that a model is offered."""
    return [{"type": "function", "function": tool.model_dump()} for tool in tools]


def chat_request(prompt: Prompt, options: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a request: the messages, the options, and the schema where there is one."""
    request = {"messages": chat_messages(prompt.messages), **options}
    if prompt.tools:
        request |= {"tools": chat_tools(prompt.tools), "tool_choice": prompt.tool_choice}
    if prompt.schema:
        form = {"name": "answer", "schema": dict(prompt.schema)}
        request["response_format"] = {"type": "json_schema", "json_schema": form}
    return request


def _chat_message(message: Message) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        told["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        told["tool_call_id"] = message.tool_call_id
    return told
