"""Active rules, questions and gold sessions at every checkpoint; no gold in views."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from memorycode.dialogue import Dialogue


def test_a_later_version_replaces_its_family_and_keeps_its_place(small_dialogue: Dialogue) -> None:
    checks = [[rule.check for rule in small_dialogue.rules(at)] for at in range(4)]
    assert checks == [["^k_.*"], ["^k_.*"], ["^w_.*", True], ["^w_.*", True]]


def test_questions_follow_the_rules_and_the_last_are_the_data_sets_own(
    small_dialogue: Dialogue,
) -> None:
    asked = [small_dialogue.queries(at) for at in range(4)]
    assert asked[0] == asked[1] == ("function whose name is checked",)
    assert asked[2] == ("function whose name is checked", "function that is documented")
    assert asked[3] == ("function that is documented", "function whose name is checked")


def test_gold_sessions_are_those_told_so_far(small_dialogue: Dialogue) -> None:
    told = [small_dialogue.instruction_sessions(at) for at in range(4)]
    assert told == [(0,), (0,), (0, 2), (0, 2)]


@pytest.mark.parametrize(("sessions", "is_short"), [(1, True), (15, True), (16, False)])
def test_a_dialogue_is_short_up_to_15_sessions(
    small_dialogue: Dialogue, sessions: int, is_short: bool
) -> None:
    long = small_dialogue.model_copy(update={"sessions": small_dialogue.sessions[:1] * sessions})
    assert long.is_short is is_short


def test_a_view_holds_no_gold(small_dialogue: Dialogue) -> None:
    view = small_dialogue.view(0)
    assert set(type(view).model_fields) == {"index", "speakers", "text"}
    reachable = str(view.model_dump()) + str(vars(view)) + str(vars(view.speakers))
    assert "instruction" not in reachable
    assert "function whose name is checked" not in reachable


def test_dialogues_cannot_be_changed(small_dialogue: Dialogue) -> None:
    with pytest.raises(ValidationError):
        small_dialogue.number = 3
