"""Our model as LangChain's chat model: for mem0, langmem and whatever takes a `BaseChatModel`.

Messages and tools are passed on as they are to a model that takes them (`TakesTools`). For another
one the messages become one text, in which the tools are told, and calls are read from the answer
(`memorycode.bridges.tool_calls`).
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    InvalidToolCall,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_core.utils.json_schema import dereference_refs
from pydantic import PrivateAttr

from memorycode.bridges.tool_calls import answer_schema, calls_in, told
from memorycode.errors import ModelError, ModelUnavailable
from memorycode.optional_members import takes_tools
from memorycode.protocols import Completion, Message, Model, Prompt, Role, Tool, ToolChoice
from memorycode.protocols import ToolCall as Call

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ROLES: tuple[tuple[type[BaseMessage], Role], ...] = (
    (SystemMessage, "system"),
    (AIMessage, "assistant"),
    (ToolMessage, "tool"),
)


def _as_is(text: str) -> str:
    return text


def _takes_any(answer: str) -> bool:
    del answer
    return True


def _unheard() -> None:
    """Nobody counts."""


class LangChainChat(BaseChatModel):
    """The run's model, one call at a time.

    Random identifiers (UUIDs) in a prompt become counted ones, and those of the answer are turned
    back: the same talk makes the same prompt, whose answer can be cached. `steady` may do the same
    for other things that change from run to run, such as the date.

    Libraries seldom say that they could not read an answer. Hence `report_unreadable` is called for
    one without the tool call that was asked for, and for a text that the library cannot read by
    what `reads` says.
    """

    _model: Model = PrivateAttr()
    _steady: Callable[[str], str] = PrivateAttr()
    _lock: threading.Lock = PrivateAttr(default_factory=threading.Lock)
    _gone: ModelUnavailable | None = PrivateAttr(default=None)
    _takes_tools: bool = PrivateAttr(default=False)
    _reads: Callable[[str], bool] = PrivateAttr()
    _report_unreadable: Callable[[], None] = PrivateAttr()
    _has_called: bool = PrivateAttr(default=False)
    _uncalled: int = PrivateAttr(default=0)

    def __init__(
        self,
        model: Model,
        steady: Callable[[str], str] = _as_is,
        *,
        reads: Callable[[str], bool] = _takes_any,
        report_unreadable: Callable[[], None] = _unheard,
    ) -> None:
        super().__init__()
        self._model, self._steady = model, steady
        self._reads, self._report_unreadable = reads, report_unreadable
        self._takes_tools = takes_tools(model)

    def raise_if_gone(self) -> None:
        """Raise the `ModelUnavailable` that a library may have swallowed, if there was one."""
        if self._gone is not None:
            raise self._gone

    def report_uncalled(self) -> None:
        """Report the answers so far that made no use of the tools they were offered, if none did:
        one alone may have had nothing to do, but such a model does nothing at all."""
        if not self._has_called:
            for _ in range(self._uncalled):
                self._report_unreadable()
            self._uncalled = 0

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | bool | None = None, **kwargs: Any
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
        offer = _offer(kwargs.get("tools") or (), kwargs.get("tool_choice"))
        names = CountedNames(self._steady)
        completion = self._answered(messages, offer, names)
        answer = names.restored(completion.text)
        for mark in stop or ():
            answer = answer.partition(mark)[0]
        calls = [(call, call.values) for call in map(names.restored_call, completion.tool_calls)]
        is_called = any(values is not None for _, values in calls)
        self._has_called = self._has_called or is_called
        self._uncalled += bool(offer.tools) and offer.choice == "auto" and not is_called
        if not (is_called if offer.choice == "required" else self._reads(answer)):
            self._report_unreadable()
        message = AIMessage(
            content=answer,
            tool_calls=[
                ToolCall(name=call.name, args=values, id=call.id)
                for call, values in calls
                if values is not None
            ],
            invalid_tool_calls=[
                InvalidToolCall(name=call.name, args=call.arguments, id=call.id, error="no JSON")
                for call, values in calls
                if values is None
            ],
            usage_metadata=_usage(completion),
            response_metadata={"finish_reason": completion.finish_reason},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _answered(
        self, messages: list[BaseMessage], offer: _Offer, names: CountedNames
    ) -> Completion:
        """By calls where the model takes tools. An endpoint that refuses them is asked in words,
        and so from then on where it answers those."""
        if not self._takes_tools:
            return self._answered_in_words(messages, offer, names)
        sent = [_message(message, names) for message in messages]
        try:
            return self._asked(Prompt(messages=sent, tools=offer.tools, tool_choice=offer.choice))
        except ModelError as error:
            if not offer.tools or error.kind != "bad_request":
                raise
        completion = self._answered_in_words(messages, offer, names)
        self._takes_tools = False
        return completion

    def _answered_in_words(
        self, messages: list[BaseMessage], offer: _Offer, names: CountedNames
    ) -> Completion:
        text, tools = _transcript(messages), offer.tools
        if tools:
            text += "\n\n" + told(tools, required=offer.choice == "required")
        steady = names.counted(text)
        schema = answer_schema(tools) if tools else None
        completion = self._asked(Prompt(parts=(steady,), schema=schema))
        calls = _calls_told(completion.text, tools, seed=steady)
        return completion.model_copy(update={"tool_calls": calls})

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
    return "\n\n".join(f"{_role(message).capitalize()}:\n{_said(message)}" for message in messages)


def _role(message: BaseMessage) -> Role:
    return next((role for kind, role in _ROLES if isinstance(message, kind)), "user")


def _said(message: BaseMessage) -> str:
    text = str(message.text)
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    if calls and not text:
        shown = [{"id": call["id"], "name": call["name"], "args": call["args"]} for call in calls]
        return json.dumps({"tool_calls": shown}, ensure_ascii=False, default=str)
    return text


class _Offer(NamedTuple):
    """The tools that may be called, and whether one has to be."""

    tools: Sequence[Tool]
    choice: ToolChoice


def _offer(given: Sequence[dict[str, Any]], choice: Any) -> _Offer:
    """LangChain chooses by a word, by a tool's name, by that in the form of OpenAI's protocol, or
    by True."""
    if isinstance(choice, dict):
        choice = choice.get("function", {}).get("name")
    if choice == "none":
        return _Offer((), "auto")
    tools = [_tool(one) for one in given]
    chosen = [tool for tool in tools if tool.name == choice]
    required = bool(tools) and choice not in (None, False, "auto")
    return _Offer(chosen or tools, "required" if required else "auto")


def _tool(given: dict[str, Any]) -> Tool:
    function = given["function"]
    parameters = dereference_refs(function.get("parameters") or {"type": "object"})
    return Tool(
        name=function["name"],
        description=function.get("description") or "",
        parameters={key: value for key, value in parameters.items() if key != "$defs"},
    )


def _message(message: BaseMessage, names: CountedNames) -> Message:
    result_of = message.tool_call_id if isinstance(message, ToolMessage) else ""
    return Message(
        _role(message),
        (names.counted(str(message.text)),),
        tool_calls=tuple(
            Call(id=names.counted(id), name=name, arguments=names.counted(arguments))
            for id, name, arguments in _calls_in(message)
        ),
        tool_call_id=names.counted(result_of),
    )


def _calls_in(message: BaseMessage) -> Iterator[tuple[str, str, str]]:
    """Identifier, name and arguments of each call, also of those that could not be read: their
    results follow."""
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            arguments = json.dumps(call["args"], ensure_ascii=False, default=str)
            yield call["id"] or "", call["name"], arguments
        for unread in message.invalid_tool_calls:
            yield unread["id"] or "", unread["name"] or "", unread["args"] or ""


def _calls_told(answer: str, tools: Sequence[Tool], *, seed: str) -> tuple[Call, ...]:
    """Calls with identifiers that depend on the prompt and the place alone."""
    start = hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16]
    calls = calls_in(answer, [tool.name for tool in tools]) if tools else []
    return tuple(
        Call(id=f"call_{start}_{number}", name=call.name, arguments=json.dumps(call.arguments))
        for number, call in enumerate(calls)
    )


class CountedNames:
    """Random identifiers of one prompt, counted in the order in which they occur."""

    def __init__(self, steady: Callable[[str], str]) -> None:
        self._steady, self._names = steady, dict[str, str]()

    def counted(self, text: str) -> str:
        """The text with counted identifiers for random ones."""
        return _UUID.sub(lambda found: self._count(found[0]), self._steady(text))

    def restored(self, text: str) -> str:
        """The text with the identifiers that the counted ones stand for."""
        back = {counted: name for name, counted in self._names.items()}
        return _UUID.sub(lambda found: back.get(found[0], found[0]), text)

    def restored_call(self, call: Call) -> Call:
        restored = {"id": self.restored(call.id), "arguments": self.restored(call.arguments)}
        return call.model_copy(update=restored)

    def _count(self, name: str) -> str:
        return self._names.setdefault(name, str(uuid.UUID(int=len(self._names) + 1)))


def _usage(completion: Completion) -> UsageMetadata | None:
    if completion.usage is None:
        return None
    read, written = completion.usage.prompt_tokens, completion.usage.completion_tokens
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
