"""The summary by a model: what it is asked, and that no answer can spoil the memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from memory_strategies.rolling_summary import RollingSummary
from memorycode.dialogue import Dialogue
from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.prompts import DEFAULT_TEXTS, PromptPack
from memorycode.protocols import StrategyContext

MakeContext = Callable[..., StrategyContext]
Scripted = Callable[..., Any]


def observed(strategy: RollingSummary, dialogue: Dialogue, count: int) -> RollingSummary:
    for index in range(count):
        strategy.observe(dialogue.view(index))
    return strategy


def test_each_prompt_holds_the_last_summary_and_the_newest_session_alone(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted("Summary one.", "Summary two.", "Summary three.")
    observed(RollingSummary(make_context(model=model), limit=40), dialogue, 3)
    assert len(model.prompts) == 3
    assert "Summary two." in model.prompts[2]
    assert dialogue.sessions[2].text in model.prompts[2]
    assert "Summary one." not in model.prompts[2]
    assert dialogue.sessions[1].text not in model.prompts[2]
    assert "30 words" in model.prompts[2]


def test_the_summary_is_one_passage_of_no_session(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    strategy = observed(
        RollingSummary(make_context(model=scripted(" End names\nwith '_q'. "))), dialogue, 1
    )
    recall = strategy.recall("anything")
    assert [(p.text, p.session) for p in recall.passages] == [("End names\nwith '_q'.", None)]
    assert recall.notes == {"variant": "model", "failed": 0, "empty": 0, "cut": 0}
    assert strategy.variant == "model"


def test_the_words_of_the_prompt_are_the_packs(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted("Fine.")
    pack = PromptPack(name="own", texts=DEFAULT_TEXTS | {"summarise": "{summary}|{session}"})
    context = replace(make_context(model=model), prompts=pack)
    observed(RollingSummary(context), dialogue, 1)
    assert model.prompts == [f"(You remember nothing.)|{dialogue.sessions[0].text}"]


@pytest.mark.parametrize(
    ("answer", "mishap"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        (ModelError("took too long", kind="timeout"), "failed"),
        ("never ending " * 20, "cut"),
    ],
)
def test_the_old_summary_outlives_an_unusable_answer(
    make_context: MakeContext,
    dialogue: Dialogue,
    scripted: Scripted,
    answer: str | Exception,
    mishap: str,
) -> None:
    model = scripted("Keep this.", answer)
    recall = observed(RollingSummary(make_context(model=model), limit=10), dialogue, 2).recall("q")
    assert recall.text == "Keep this."
    assert recall.notes[mishap] == 1
    assert sum(recall.notes[key] == 0 for key in ("failed", "empty", "cut")) == 2


def test_too_long_a_summary_is_cut_at_the_end_of_a_sentence(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted("End names with 'x_', e.g. Foox_. Then\nuse tabs. And so on and on.")
    recall = observed(RollingSummary(make_context(model=model), limit=9), dialogue, 1).recall("q")
    assert recall.text == "End names with 'x_', e.g. Foox_. Then\nuse tabs."
    assert recall.notes["cut"] == 1


def test_an_unavailable_model_ends_the_run(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(ModelUnavailable("no such model", kind="bad_request"))
    with pytest.raises(ModelUnavailable):
        RollingSummary(make_context(model=model)).observe(dialogue.view(0))


@pytest.mark.parametrize("variant", ["model", "extractive"])
def test_the_runs_budget_bounds_the_summary_too(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted, variant: str
) -> None:
    model = scripted(*["One two three. " * 30] * 5) if variant == "model" else None
    context = make_context(model=model, token_budget=12)
    recall = observed(RollingSummary(context, limit=500), dialogue, 5).recall("q")
    assert 0 < context.count_tokens(recall.text) <= 12


@pytest.mark.parametrize("limit", [0, -5])
def test_a_limit_that_holds_nothing_is_refused(make_context: MakeContext, limit: int) -> None:
    with pytest.raises(UsageError, match="number of tokens from 1 on"):
        RollingSummary(make_context(), limit=limit)
