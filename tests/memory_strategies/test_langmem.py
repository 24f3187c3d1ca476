"""langmem's manager by a model that only writes text: new, changed, removed, and nonsense."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from memory_strategies.langmem_memory import LangMemMemory
from memorycode.dialogue import SessionView, Speakers
from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.protocols import Completion, Prompt, StrategyContext

if importlib.util.find_spec("langmem") is None:
    pytest.skip("langmem is not installed", allow_module_level=True)

MakeContext = Callable[..., StrategyContext]


class Recorded:
    """A model with recorded answers; asked beyond them, it has nothing to say."""

    name = "recorded"
    is_language_model = True

    def __init__(self, answers: Sequence[str | Exception]) -> None:
        self._answers = list(answers)
        self.prompts: list[str] = []

    def generate(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt.text)
        answer = self._answers.pop(0) if self._answers else "no idea"
        if isinstance(answer, Exception):
            raise answer
        return Completion(text=answer)


def calls(*made: tuple[str, dict[str, Any]]) -> str:
    return json.dumps({"tool_calls": [{"name": name, "args": args} for name, args in made]})


def keep(*texts: str) -> str:
    return calls(*(("Memory", {"content": text}) for text in texts))


def patch(number: int, text: str) -> tuple[str, dict[str, Any]]:
    change = {"op": "replace", "path": "/content", "value": text}
    args = {"json_doc_id": str(number), "planned_edits": "-", "patches": [change]}
    return "PatchDoc", args


def remove(number: int) -> tuple[str, dict[str, Any]]:
    return "RemoveDoc", {"json_doc_id": str(number)}


def told(strategy: LangMemMemory, *texts: str) -> None:
    speakers = Speakers(mentor="Ines", mentee="Tom")
    for index, text in enumerate(texts):
        strategy.observe(SessionView(index=index, speakers=speakers, text=f"Ines: {text}"))


def recalled(strategy: LangMemMemory) -> list[tuple[str, int | None]]:
    return [(p.text, p.session) for p in strategy.recall("names of functions").passages]


def test_memories_are_kept_changed_and_removed(make_context: MakeContext) -> None:
    model = Recorded(
        [
            keep("functions start with a_", "lunch is at noon"),
            calls(patch(0, "functions start with b_"), remove(1), *_memory("classes end with Z")),
        ]
    )
    strategy = LangMemMemory(make_context(model=model))
    told(strategy, "one", "two")
    assert recalled(strategy) == [("functions start with b_\n\nclasses end with Z", 1)]
    notes = {"units": 2, "took_all": True, "memories": 2, "failed": 0, "unchanged": 0}
    assert strategy.recall("x y").notes == notes
    assert "functions start with a_" in model.prompts[1]
    assert "Ines: two" in model.prompts[1]


def _memory(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [("Memory", {"content": text})]


def test_an_untouched_memory_keeps_its_session(make_context: MakeContext) -> None:
    model = Recorded([keep("first"), keep("second"), calls(patch(0, "first, changed"))])
    strategy = LangMemMemory(make_context(model=model))
    told(strategy, "one", "two", "three")
    assert recalled(strategy) == [("second", 1), ("first, changed", 2)]


@pytest.mark.parametrize(
    "nonsense",
    [
        "I am sorry, I cannot do that.",
        "",
        '{"tool_calls": [{"name": "Memory", "args": {"content": 7, "extra": []}}]}',
        '{"tool_calls": [{"name": "Memory", "args": {}}]}',
        '{"tool_calls": [{"name": "PatchDoc", "args": {"json_doc_id": "99", "patches": 3}}]}',
        '{"tool_calls": [{"name": "PatchDoc", "args": {}}]}',
        '{"tool_calls": [{"name": "RemoveDoc", "args": {"json_doc_id": "99"}}]}',
        calls(("RemoveDoc", {"json_doc_id": ["0"]})),
        calls(("PatchDoc", {"json_doc_id": "0", "patches": [{"op": "test", "path": "/content"}]})),
        calls(patch(0, "x"))[:-20],
        "[" * 50_000,
    ],
)
def test_nonsense_keeps_what_there_was(make_context: MakeContext, nonsense: str) -> None:
    model = Recorded([keep("functions start with a_"), nonsense])
    strategy = LangMemMemory(make_context(model=model))
    told(strategy, "one", "two")
    assert recalled(strategy) == [("functions start with a_", 0)]
    notes = strategy.recall("x").notes
    assert notes["failed"] + notes["unchanged"] == 1  # type: ignore[operator]
    assert len(model.prompts) < 20


def test_a_failed_call_keeps_what_there_was(make_context: MakeContext) -> None:
    model = Recorded([keep("a"), *[ModelError("late", kind="timeout")] * 50, keep("b")])
    strategy = LangMemMemory(make_context(model=model))
    told(strategy, "one", "two")
    assert recalled(strategy) == [("a", 0)]
    assert strategy.recall("x").notes["failed"] == 1
    assert len(model.prompts) < 20


def test_a_first_call_that_fails_is_counted(make_context: MakeContext) -> None:
    strategy = LangMemMemory(make_context(model=Recorded([ModelError("late", kind="timeout")])))
    told(strategy, "one")
    assert recalled(strategy) == []
    assert strategy.recall("x").notes["failed"] == 1


@pytest.mark.parametrize("answers", [[], [keep("a")]])
def test_a_model_that_is_gone_stops_the_run(make_context: MakeContext, answers: list[str]) -> None:
    """Whether the manager creates or updates; it swallows the error in one of the two."""
    model = Recorded([*answers, ModelUnavailable("wrong key", kind="auth")])
    strategy = LangMemMemory(make_context(model=model))
    with pytest.raises(ModelUnavailable, match="wrong key"):
        told(strategy, "one", "two")


def test_the_same_talk_makes_the_same_prompts(make_context: MakeContext) -> None:
    models = [Recorded([keep("a", "b"), calls(patch(1, "c"))]) for _ in range(2)]
    for model in models:
        told(LangMemMemory(make_context(model=model)), "one", "two", "three")
    assert models[0].prompts == models[1].prompts


def test_only_the_nearest_memories_are_shown(make_context: MakeContext) -> None:
    model = Recorded([keep("red apples", "green pears", "blue plums")])
    strategy = LangMemMemory(make_context(model=model), existing=1)
    told(strategy, "fruit", "green pears again")
    assert "green pears\n" in model.prompts[1] or "'green pears'" in model.prompts[1]
    assert "red apples" not in model.prompts[1]


def test_a_language_model_is_needed(make_context: MakeContext) -> None:
    with pytest.raises(UsageError, match="langmem keeps its memories with a language model"):
        LangMemMemory(make_context())
    with pytest.raises(UsageError, match="existing is a number from 1 on"):
        LangMemMemory(make_context(model=Recorded([])), existing=0)


@pytest.mark.parametrize(
    ("answers", "reported"),
    [
        (["no idea", "none"], 2),
        ([keep("b"), keep("c")], 0),
        ([keep("b"), "nothing new"], 1),
        ([keep("b")[:-20], "no idea"], 2),
    ],
)
def test_a_model_that_never_calls_a_tool_is_reported_by_every_answer(
    make_context: MakeContext, answers: list[str], reported: int
) -> None:
    """A single answer without a call may mean that nothing was to be kept, unless langmem asks for
    one: once there are memories it does."""
    reports: list[str] = []
    context = replace(
        make_context(model=Recorded(answers)), report_unreadable=lambda: reports.append("one")
    )
    strategy = LangMemMemory(context)
    told(strategy, "one", "two")
    for _ in range(2):
        strategy.recall("x")
    assert len(reports) == reported
