"""Our model as LangChain's chat model: for mem0, langmem and whatever takes a `BaseChatModel`.

The messages become one prompt. Tools are told in it and read from the answer (`tool_calls`), so
that a model which only writes text will do.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_core.utils.json_schema import dereference_refs
from pydantic import PrivateAttr

from memorycode.bridges.tool_calls import Tool, answer_schema, calls_in, told
from memorycode.errors import ModelUnavailable
from memorycode.protocols import Completion, Model, Prompt

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ROLES = {"system": "System", "human": "User", "ai": "Assistant", "tool": "Tool"}


def _as_is(text: str) -> str:
    return text


class LangChainChat(BaseChatModel):
    """The run's model, one call at a time.

    Random identifiers (UUIDs) in a prompt become counted ones, and those of the answer are turned
    back: the same talk makes the same prompt, whose answer can be cached. `steady` may do the same
    for other things that change from run to run, such as the date.
    """

    _model: Model = PrivateAttr()
    _steady: Callable[[str], str] = PrivateAttr()
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)
    _gone: ModelUnavailable | None = PrivateAttr(default=None)

    def __init__(self, model: Model, steady: Callable[[str], str] = _as_is) -> None:
        super().__init__()
        self._model, self._steady = model, steady

    def raise_if_gone(self) -> None:
        """Raise the `ModelUnavailable` that a library may have swallowed, if there was one."""
        if self._gone is not None:
            raise self._gone

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[Any, AIMessage]:
        """This model with tools, given in any form that LangChain knows."""
        shown = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=shown, tool_choice=tool_choice, **kwargs)

    @property
    def _llm_type(self) -> str:
        return "memorycode"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self._model.name}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del run_manager
        tools = [_tool(given) for given in kwargs.get("tools") or ()]
        text = _transcript(messages)
        if tools:
            required = kwargs.get("tool_choice") not in (None, "auto", "none")
            text += "\n\n" + told(tools, required=required)
        names: dict[str, str] = {}
        steady = _UUID.sub(lambda found: _counted(found[0], names), self._steady(text))
        schema = answer_schema(tools) if tools else None
        completion = self._asked(Prompt(parts=(steady,), schema=schema))
        back = {counted: name for name, counted in names.items()}
        answer = _UUID.sub(lambda found: back.get(found[0], found[0]), completion.text)
        for mark in stop or ():
            answer = answer.partition(mark)[0]
        message = AIMessage(
            content=answer,
            tool_calls=_tool_calls(answer, tools, seed=steady),
            usage_metadata=_usage(completion),
            response_metadata={"finish_reason": completion.finish_reason},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _asked(self, prompt: Prompt) -> Completion:
        with self._lock:
            self.raise_if_gone()
            try:
                return self._model.generate(prompt)
            except ModelUnavailable as error:
                self._gone = error
                raise


def _transcript(messages: Sequence[BaseMessage]) -> str:
    """All messages as one text; a single one stands without its role."""
    if len(messages) == 1:
        return _said(messages[0])
    return "\n\n".join(
        f"{_ROLES.get(message.type, message.type)}:\n{_said(message)}" for message in messages
    )


def _said(message: BaseMessage) -> str:
    text = str(message.text)
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    if calls and not text:
        shown = [{"id": call["id"], "name": call["name"], "args": call["args"]} for call in calls]
        return json.dumps({"tool_calls": shown}, ensure_ascii=False, default=str)
    return text


def _tool(given: dict[str, Any]) -> Tool:
    function = given["function"]
    parameters = dereference_refs(function.get("parameters") or {"type": "object"})
    return Tool(
        function["name"],
        function.get("description") or "",
        {key: value for key, value in parameters.items() if key != "$defs"},
    )


def _tool_calls(answer: str, tools: Sequence[Tool], *, seed: str) -> list[ToolCall]:
    """Calls with identifiers that depend on the prompt and the place alone."""
    start = hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16]
    calls = calls_in(answer, [tool.name for tool in tools]) if tools else []
    return [
        ToolCall(name=call.name, args=call.arguments, id=f"call_{start}_{number}")
        for number, call in enumerate(calls)
    ]


def _counted(name: str, names: dict[str, str]) -> str:
    return names.setdefault(name, str(uuid.UUID(int=len(names) + 1)))


def _usage(completion: Completion) -> UsageMetadata | None:
    if completion.usage is None:
        return None
    read, written = completion.usage.prompt_tokens, completion.usage.completion_tokens
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
