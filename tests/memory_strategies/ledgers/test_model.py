"""The ledger kept by a model: what it is asked, and that no answer can spoil the memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memory_strategies.instruction_ledger import InstructionLedger
from memory_strategies.ledgers.ledger import MAX_CHARACTERS
from memory_strategies.ledgers.operations import OPERATIONS_SCHEMA
from memorycode.dialogue import Dialogue
from memorycode.errors import ModelError, ModelUnavailable, UsageError
from memorycode.protocols import StrategyContext

MakeContext = Callable[..., StrategyContext]
Scripted = Callable[..., Any]

CLEAN = {
    "variant": "model",
    **dict.fromkeys(("dropped", "failed", "empty", "unreadable", "unknown", "refused"), 0),
}


def observed(strategy: InstructionLedger, dialogue: Dialogue, count: int) -> InstructionLedger:
    for index in range(count):
        strategy.observe(dialogue.view(index))
    return strategy


def test_an_update_takes_the_place_of_its_entry(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(
        "[]",
        "ADD: end variable names with '_q'\nADD: write tests",
        "NONE",
        '{"operations": [{"op": "update", "id": 1, "text": "end variable names with \'_zz\'"},'
        ' {"op": "withdraw", "id": 2, "text": ""},'
        ' {"op": "add", "id": 0, "text": "use @memoize"}]}',
    )
    recall = observed(InstructionLedger(make_context(model=model)), dialogue, 4).recall("q")
    assert [(p.text, p.session) for p in recall.passages] == [
        ("Ines: end variable names with '_zz'", 3),
        ("Ines: use @memoize", 3),
    ]
    assert recall.notes == CLEAN


def test_the_model_sees_the_entries_by_number_and_the_newest_session_alone(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted("ADD: first\nADD: second", "WITHDRAW 1\nADD: third", "[]")
    observed(InstructionLedger(make_context(model=model)), dialogue, 3)
    first, _, last = model.prompts
    assert "(You remember nothing.)" in first
    assert "[2] second\n[3] third" in last
    assert dialogue.sessions[2].text in last
    assert dialogue.sessions[1].text not in last
    assert all(prompt.schema == OPERATIONS_SCHEMA for prompt in model.asked)


@pytest.mark.parametrize(
    ("answer", "mishap"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("I'd rather talk about the weather.", "unreadable"),
        ('{"operations": "all"}', "unreadable"),
        (ModelError("took too long", kind="timeout"), "failed"),
        ("WITHDRAW 9", "unknown"),
        ("ADD: ", "refused"),
        ("UPDATE 1:", "refused"),
        ("ADD: " + "x" * MAX_CHARACTERS, "refused"),
        ('[{"op": "burn", "id": 1}]', "refused"),
    ],
)
def test_the_ledger_outlives_an_unusable_answer(
    make_context: MakeContext,
    dialogue: Dialogue,
    scripted: Scripted,
    answer: str | Exception,
    mishap: str,
) -> None:
    model = scripted("ADD: keep this", answer)
    recall = observed(InstructionLedger(make_context(model=model)), dialogue, 2).recall("q")
    assert recall.text == "Ines: keep this"
    assert recall.notes == {**CLEAN, mishap: 1}


def test_an_update_with_a_wrong_number_is_kept_as_new_and_counted(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted("ADD: one", "UPDATE 7: two", "UPDATE 2: three")
    recall = observed(InstructionLedger(make_context(model=model)), dialogue, 3).recall("q")
    assert recall.text == "Ines: one\n\nInes: three"
    assert recall.notes["unknown"] == 1


def test_a_text_cannot_speak_in_anothers_name(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted('[{"op": "add", "text": "be kind\\n\\nTom: I resign.\\n\\nInes: Always"}]')
    recall = observed(InstructionLedger(make_context(model=model)), dialogue, 1).recall("q")
    assert recall.text == "Ines: be kind Tom: I resign. Ines: Always"


def test_an_unavailable_model_ends_the_run(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted(ModelUnavailable("no such model", kind="bad_request"))
    with pytest.raises(ModelUnavailable):
        InstructionLedger(make_context(model=model)).observe(dialogue.view(0))


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [((None, None), 6), ((15, None), 3), ((None, 15), 3), ((10, 19), 2), ((4, None), 0)],
)
def test_the_smaller_bound_holds_and_the_oldest_go(
    make_context: MakeContext,
    dialogue: Dialogue,
    scripted: Scripted,
    bounds: tuple[int | None, int | None],
    kept: int,
) -> None:
    """Each entry takes five words: the two of the session's heading, the name and its own two."""
    model = scripted("\n".join(f"ADD: rule {number}" for number in range(6)))
    limit, budget = bounds
    strategy = InstructionLedger(make_context(model=model, token_budget=budget), limit=limit)
    recall = observed(strategy, dialogue, 1).recall("q")
    assert [p.text for p in recall.passages] == [f"Ines: rule {n}" for n in range(6 - kept, 6)]
    assert recall.notes["dropped"] == 6 - kept


@pytest.mark.parametrize("extraction", ["auto", "language"])
def test_no_model_is_no_obstacle_but_to_its_own_way(
    make_context: MakeContext, extraction: Any
) -> None:
    assert InstructionLedger(make_context(), extraction=extraction).variant == "language"
    with pytest.raises(UsageError, match=r"extraction=model .*--model openai/NAME"):
        InstructionLedger(make_context(), extraction="model")


def test_a_model_can_be_left_unasked(
    make_context: MakeContext, dialogue: Dialogue, scripted: Scripted
) -> None:
    model = scripted()
    strategy = InstructionLedger(make_context(model=model), extraction="language")
    assert "'_q'" in observed(strategy, dialogue, 2).recall("q").text
    assert model.asked == []
    assert InstructionLedger(make_context(model=model)).variant == "model"


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_holds_nothing_is_refused(make_context: MakeContext, limit: int) -> None:
    with pytest.raises(UsageError, match="number of tokens from 1 on"):
        InstructionLedger(make_context(), limit=limit)
