"""Search in steps: what the model is shown, when it stops, and what is left when it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memory_strategies.agentic_search import AgenticSearch
from memory_strategies.search_steps import STEP_SCHEMA, Step, step_in
from memorycode.dialogue import Dialogue
from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.protocols import Hit, StrategyContext, Unit

MakeContext = Callable[..., StrategyContext]
Scripted = Callable[..., Any]

ON = '{{"enough": false, "query": "{}"}}'
ENOUGH = '{"enough": true, "query": ""}'


class ByWord:
    """Finds the units that have the query in them, in the order added."""

    def __init__(self) -> None:
        self._units: list[Unit] = []
        self.asked: list[str] = []

    def add(self, units: Sequence[Unit]) -> None:
        self._units += units

    def search(self, query: str, k: int) -> list[Hit]:
        self.asked.append(query)
        found = [place for place, unit in enumerate(self._units) if query in unit.text]
        return [Hit(position=place, score=1.0) for place in found[:k]]


def strategy_of(context: StrategyContext, dialogue: Dialogue, **parameters: int) -> AgenticSearch:
    strategy = AgenticSearch(context, retriever=ByWord(), **parameters)
    for session in dialogue.sessions:
        strategy.observe(dialogue.view(session.index))
    return strategy


def test_the_searches_together_are_recalled_in_time_order(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(ON.format("mountains"), ON.format("naming"), ENOUGH)
    recall = strategy_of(make_context(model=model), dialogue).recall("printer")
    assert recall.sessions == (1, 2, 4)
    assert [p.text for p in recall.passages] == [dialogue.sessions[i].text for i in (1, 2, 4)]
    assert recall.notes == {
        "queries": ["printer", "mountains", "naming"],
        "failed": 0,
        "unreadable": 0,
        "repeated": 0,
    }


def test_the_model_is_shown_the_task_the_queries_and_what_they_found(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(ON.format("mountains"), ENOUGH)
    strategy_of(make_context(model=model), dialogue).recall("printer")
    first, second = model.prompts
    assert "printer" in first
    assert f"Session 5\n{dialogue.sessions[4].text}" in first
    assert "- printer\n- mountains" in second
    assert second.index(dialogue.sessions[2].text) < second.index(dialogue.sessions[4].text)
    assert all(prompt.schema == STEP_SCHEMA for prompt in model.asked)


@pytest.mark.parametrize("steps", [1, 2])
def test_the_model_is_asked_no_more_often_than_allowed(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted, steps: int
) -> None:
    model = scripted(*[ON.format(word) for word in ("mountains", "naming")])
    recall = strategy_of(make_context(model=model), dialogue, steps=steps).recall("printer")
    assert len(model.asked) == steps
    assert recall.sessions == ((2, 4), (1, 2, 4))[steps - 1]


@pytest.mark.parametrize(
    ("answer", "mishap"),
    [
        (ModelError("took too long", kind="timeout"), "failed"),
        ("", "unreadable"),
        ("Let me think about that.", "unreadable"),
        (ON.format("printer"), "repeated"),
    ],
)
def test_what_was_found_outlives_an_unusable_answer(
    make_context: MakeContext,
    dialogue: Dialogue,
    scripted: Scripted,
    answer: str | Exception,
    mishap: str,
) -> None:
    model = scripted(answer)
    recall = strategy_of(make_context(model=model), dialogue).recall("printer")
    assert recall.sessions == (4,)
    assert recall.notes[mishap] == 1
    assert sum(recall.notes[name] == 0 for name in ("failed", "unreadable", "repeated")) == 2


def test_a_query_is_searched_once_until_something_new_is_observed(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(ENOUGH, ON.format("naming"), ENOUGH, ENOUGH)
    strategy = strategy_of(make_context(model=model), dialogue)
    first = strategy.recall("printer")
    assert strategy.recall("printer") is first
    assert len(model.asked) == 1
    assert strategy.recall("mountains").sessions == (1, 2)
    strategy.observe(dialogue.view(4).model_copy(update={"index": 5}))
    assert strategy.recall("printer").sessions == (4, 5)
    assert len(model.asked) == 4


def test_a_plain_query_that_finds_nothing_is_no_end(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(ON.format("naming"), ENOUGH)
    assert strategy_of(make_context(model=model), dialogue).recall("zebra").sessions == (1,)


def test_an_empty_memory_asks_no_model(make_context: MakeContext, scripted: Scripted) -> None:
    strategy = AgenticSearch(make_context(model=scripted()), retriever=ByWord())
    assert strategy.recall("printer").passages == ()


def test_an_unavailable_model_ends_the_run(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(ModelUnavailable("no such model", kind="bad_request"))
    with pytest.raises(ModelUnavailable):
        strategy_of(make_context(model=model), dialogue).recall("printer")


@pytest.mark.parametrize(
    ("answer", "step"),
    [
        (ON.format("a b"), Step("a b")),
        ("```json\n" + ON.format("a b") + "\n```", Step("a b")),
        ('Searching: {"query": "a\\n b"}', Step("a b")),
        ("QUERY: a b", Step("a b")),
        ("I need more.\n**Next query:** a b\nThanks", Step("a b")),
        (ENOUGH, Step("")),
        ('{"enough": true, "query": "more"}', Step("")),
        ('{"enough": false, "query": ""}', Step("")),
        ('{"query": 7}', Step("")),
        ("ENOUGH", Step("")),
        ("Done.", Step("")),
        ("Maybe enough?", None),
        ("[]", None),
        ('{"q": "a"}', None),
    ],
)
def test_every_form_of_answer_is_read(answer: str, step: Step | None) -> None:
    assert step_in(answer) == step


def test_a_query_without_end_is_cut() -> None:
    for answer in (ON.format("a " * 10_000), "QUERY: " + "a " * 1_000_000):
        step = step_in(answer)
        assert step is not None
        assert 0 < len(step.query) <= 300
    assert step_in(ON.format("a " * 1_000_000)) is None


def test_without_a_model_it_says_which_to_choose(make_context: MakeContext) -> None:
    with pytest.raises(UsageError, match=r"agentic_search writes .*--model openai/NAME"):
        AgenticSearch(make_context(), retriever=ByWord())


@pytest.mark.parametrize("parameters", [{"steps": 0}, {"k": 0}, {"k": -3}])
def test_a_number_that_means_nothing_is_refused(
    make_context: MakeContext, scripted: Scripted, parameters: dict[str, int]
) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(parameters))} is a number from 1 on"):
        AgenticSearch(make_context(model=scripted()), retriever=ByWord(), **parameters)
