"""The state that a model rewrites: bounded, replaced as a whole, and safe from bad answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memory_strategies.working_state import WorkingState
from memorycode.dialogue import Dialogue
from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.protocols import StrategyContext

MakeContext = Callable[..., StrategyContext]
Scripted = Callable[..., Any]


def observed(strategy: WorkingState, dialogue: Dialogue, count: int) -> WorkingState:
    for index in range(count):
        strategy.observe(dialogue.view(index))
    return strategy


def test_the_last_state_is_all_there_is(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted("State one.", "IN FORCE: end names\nwith '_q'.", "State three.")
    strategy = observed(WorkingState(make_context(model=model), limit=40), dialogue, 2)
    assert [(p.text, p.session) for p in strategy.recall("anything").passages] == [
        ("IN FORCE: end names\nwith '_q'.", None)
    ]
    strategy.observe(dialogue.view(2))
    assert strategy.recall("anything").text == "State three."
    assert strategy.recall("anything").notes == {"failed": 0, "empty": 0, "cut": 0}


def test_each_prompt_holds_the_state_the_newest_session_and_the_sections(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted("State one.", "State two.", "State three.")
    observed(WorkingState(make_context(model=model), limit=40), dialogue, 3)
    last = model.prompts[2]
    assert "State two." in last
    assert dialogue.sessions[2].text in last
    assert "State one." not in last
    assert dialogue.sessions[1].text not in last
    assert all(section in last for section in ("IN FORCE", "REPLACED", "OPEN", "30 words"))


@pytest.mark.parametrize(
    ("answer", "mishap"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        (ModelError("took too long", kind="timeout"), "failed"),
        ("never ending " * 20, "cut"),
        ("x" * 3_000_000, "cut"),
    ],
    ids="nothing space failure endless huge".split(),
)
def test_the_old_state_outlives_an_unusable_answer(
    make_context: MakeContext,
    dialogue: Dialogue,
    scripted: Scripted,
    answer: str | Exception,
    mishap: str,
) -> None:
    model = scripted("Keep this.", answer)
    recall = observed(WorkingState(make_context(model=model), limit=10), dialogue, 2).recall("q")
    assert recall.text == "Keep this."
    assert recall.notes == {"failed": 0, "empty": 0, "cut": 0} | {mishap: 1}


@pytest.mark.parametrize(("limit", "budget"), [(12, None), (500, 12)])
def test_too_long_a_state_is_cut_at_the_end_of_a_sentence(
    make_context: MakeContext,
    dialogue: Dialogue,
    scripted: Scripted,
    limit: int,
    budget: int | None,
) -> None:
    model = scripted("One two three. " * 100_000)
    context = make_context(model=model, token_budget=budget)
    recall = observed(WorkingState(context, limit=limit), dialogue, 1).recall("q")
    assert recall.text == " ".join(["One two three."] * 4)
    assert recall.notes["cut"] == 1


def test_the_bound_is_on_the_state_as_it_stands_in_the_prompt(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    """A state that fills the run's budget must not be cut again for the breaks behind it."""
    base = make_context(model=scripted("Aaaa. Bbbb. Cccc."), token_budget=13)
    context = StrategyContext(**{**vars(base), "count_tokens": len})
    recall = observed(WorkingState(context), dialogue, 1).recall("q")
    assert recall.text == "Aaaa. Bbbb."
    assert context.cost(recall.passages[0]) == 13


def test_an_unavailable_model_ends_the_run(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(ModelUnavailable("no such model", kind="bad_request"))
    with pytest.raises(ModelUnavailable):
        WorkingState(make_context(model=model)).observe(dialogue.view(0))


def test_without_a_model_it_says_which_to_choose(make_context: MakeContext) -> None:
    with pytest.raises(UsageError, match=r"working_state rewrites .*--model openai/NAME"):
        WorkingState(make_context())


@pytest.mark.parametrize("limit", [0, -5])
def test_a_limit_that_holds_nothing_is_refused(
    make_context: MakeContext, scripted: Scripted, limit: int
) -> None:
    with pytest.raises(UsageError, match="number of tokens from 1 on"):
        WorkingState(make_context(model=scripted()), limit=limit)
