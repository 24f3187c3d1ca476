"""The strategies that recall sessions or instructions as they stand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_strategies.cumulative import Cumulative
from memory_strategies.full_history import FullHistory
from memory_strategies.instruction_chain import InstructionChain
from memorycode.dialogue import Dialogue
from memorycode.errors import PluginError
from memorycode.protocols import StrategyContext

MakeContext = Callable[..., StrategyContext]


def test_full_history_is_every_session_verbatim(
    make_context: MakeContext, dialogue: Dialogue
) -> None:
    strategy = FullHistory(make_context())
    for session in dialogue.sessions:
        strategy.observe(dialogue.view(session.index))
    recall = strategy.recall("anything")
    assert [p.text for p in recall.passages] == [s.text for s in dialogue.sessions]
    assert recall.sessions == (0, 1, 2, 3, 4)


def test_one_state_makes_one_recall(make_context: MakeContext, dialogue: Dialogue) -> None:
    """A hundred thousand questions must not build a hundred passages each."""
    strategy = FullHistory(make_context())
    strategy.observe(dialogue.view(0))
    first = strategy.recall("one")
    assert strategy.recall("another") is first
    strategy.observe(dialogue.view(1))
    assert strategy.recall("one") is not first


def test_cumulative_equals_full_history_at_the_last_session(
    make_context: MakeContext, dialogue: Dialogue
) -> None:
    whole, growing = FullHistory(make_context()), Cumulative(make_context())
    for session in dialogue.sessions:
        whole.observe(dialogue.view(session.index))
        growing.observe(dialogue.view(session.index))
        growing.recall("in between")
    assert growing.recall("anything") == whole.recall("anything")


def test_instruction_chain_keeps_old_versions_in_the_order_told(
    make_context: MakeContext, dialogue: Dialogue
) -> None:
    strategy = InstructionChain(make_context())
    for session in dialogue.sessions:
        strategy.observe(dialogue.oracle_view(session.index))
    recall = strategy.recall("anything")
    assert [(p.session, p.text) for p in recall.passages] == [
        (1, "Ines: always end variable names with '_q'"),
        (3, "Ines: always end variable names with '_zz'"),
        (3, "Ines: always put the '@memoize' decorator on functions"),
    ]


def test_instruction_chain_says_that_it_needs_gold(
    make_context: MakeContext, dialogue: Dialogue
) -> None:
    with pytest.raises(PluginError, match=r"instruction_chain reads the gold .* session 1"):
        InstructionChain(make_context()).observe(dialogue.view(1))
