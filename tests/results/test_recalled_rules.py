"""Shares of rules recalled: a dialogue counts once, however many questions it has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memorycode.results.answers import Answer
from memorycode.results.recalled_rules import recalled_rules
from memorycode.scoring.attribution import RulesFound
from tests.results.making import make_answer


def found(dialogue: int, active: int, current: int, stale: int = 0) -> Answer:
    rules = RulesFound(active=active, current=current, stale=stale)
    return make_answer(dialogue=dialogue, sessions=4, setting="history", recalled=rules)


def test_each_dialogue_counts_once() -> None:
    rules = recalled_rules([found(1, 4, 4), found(1, 4, 2, 1), found(2, 2, 0, 1)])
    current, stale = rules.current["short_history"], rules.stale["short_history"]
    assert current.n == 2
    assert current.mean == pytest.approx((0.75 + 0) / 2)
    assert stale.mean == pytest.approx((0.125 + 0.5) / 2)


def test_questions_without_rules_are_left_out() -> None:
    assert recalled_rules([found(1, 0, 0)]).current == {}


def test_failed_questions_and_earlier_checkpoints_are_left_out() -> None:
    whole, none = found(1, 2, 2), found(1, 2, 0)
    rules = recalled_rules([whole, replace(none, failure="timeout"), replace(none, session=0)])
    assert rules.current["short_history"].mean == 1
