"""Ceilings: what is lost to rules that cannot hold together, and nothing else."""

from __future__ import annotations

import pytest

from memorycode.audit.ceiling import Ceilings
from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.rules import DIGIT_PATTERN, Rule
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName, make_scorer

DIGIT, SUFFIX, PREFIX = DIGIT_PATTERN, ".*_k$", "^q_.*"


def dialogue_of(*rules: tuple[str, object], sessions: int = 1) -> Dialogue:
    """All rules in the first session, each of a family of its own."""
    told = tuple(
        Instruction(
            family=number,
            version=0,
            rule=Rule.model_validate({"object": object_, "check": check}),
            text="",
            eval_query="",
        )
        for number, (object_, check) in enumerate(rules)
    )
    return Dialogue(
        number=1,
        context=Context(mentor="Ada", mentee="Ben"),
        sessions=tuple(
            Session(index=n, text="", instructions=told if n == 0 else ()) for n in range(sessions)
        ),
    )


@pytest.mark.parametrize(
    ("rules", "official", "strict"),
    [
        ([("function", PREFIX), ("function", SUFFIX)], 1.0, 1.0),
        ([("function", DIGIT), ("function", SUFFIX)], 0.5, 1.0),
        ([("function", DIGIT), ("method", SUFFIX)], 1.0, 1.0),
        ([("function", DIGIT), ("function", SUFFIX), ("function", PREFIX)], 2 / 3, 1.0),
        ([("function", DIGIT), ("function", SUFFIX), ("comment", True)], 2 / 3, 1.0),
        ([("function", PREFIX), ("function", "^z_.*")], 0.5, 0.5),
        ([("function", SUFFIX), ("function", SUFFIX), ("function", DIGIT)], 2 / 3, 1.0),
        ([("function docstring", True), ("function docstring", False)], 0.5, 0.5),
        ([("import", ("gzip", True)), ("import", ("gzip", False))], 0.5, 0.5),
        ([("import", ("gzip", True)), ("import", ("bz2", True))], 1.0, 1.0),
        ([("comment", False), ("comment", True), ("comment", False)], 2 / 3, 2 / 3),
        ([("function", PREFIX), ("function", "^q_r_.*"), ("function", "^z_.*")], 2 / 3, 2 / 3),
        ([], None, None),
    ],
)
def test_the_largest_part_that_one_name_can_follow_counts(
    rules: list[tuple[str, object]], official: float | None, strict: float | None
) -> None:
    dialogue = dialogue_of(*rules)
    found = {name: Ceilings(make_scorer(name)).history(dialogue) for name in SCORER_NAMES}
    assert found == {"official": pytest.approx(official), "strict": pytest.approx(strict)}


@pytest.mark.parametrize("name", SCORER_NAMES)
def test_a_clash_names_the_rules_of_its_object_alone(name: ScorerName) -> None:
    dialogue = dialogue_of(("method", PREFIX), ("method", "^z_.*"), ("function", SUFFIX))
    (clash,) = Ceilings(make_scorer(name)).clashes(dialogue.rules(0))
    assert (clash.object, clash.best, clash.total) == ("method", 1, 2)
    assert [rule.check for rule in clash.rules] == [PREFIX, "^z_.*"]


def test_short_and_long_are_told_apart_and_dialogues_without_rules_left_out() -> None:
    clashing = (("function", DIGIT), ("function", SUFFIX))
    dialogues = [
        dialogue_of(*clashing),
        dialogue_of(("function", DIGIT)),
        dialogue_of(),
        dialogue_of(*clashing, sessions=16),
    ]
    found = Ceilings(make_scorer("official")).overall(dialogues)
    assert found.short_history == pytest.approx(0.75)
    assert found.long_history == pytest.approx(0.5)
    assert found.session == pytest.approx(2 / 3)
    assert Ceilings(make_scorer("official")).overall(dialogues[:1]).long_history is None


def test_very_many_rules_of_one_object_take_no_time() -> None:
    rules = [("function", f"^{letter}{other}_.*") for letter in "abcde" for other in "vwxyz"]
    found = Ceilings(make_scorer("strict")).history(dialogue_of(*rules))
    assert found == pytest.approx(1 / len(rules))


def test_a_ceiling_is_sure_unless_names_were_left_to_try() -> None:
    starts = [("function", f"^{'a_' * n}1b.*") for n in range(1, 30)]
    ends = [("function", f".*1{'_a' * n}$") for n in range(1, 30)]
    hard = dialogue_of(*starts, *ends, ("function", DIGIT))
    ceilings = Ceilings(make_scorer("strict"))
    assert not ceilings.is_sure(hard)
    assert ceilings.history(hard) == pytest.approx(2 / 59)
    assert ceilings.is_sure(dialogue_of(("function", DIGIT), ("function", SUFFIX)))
    assert Ceilings(make_scorer("official")).is_sure(hard)
