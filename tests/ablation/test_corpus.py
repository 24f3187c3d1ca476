"""What the labels say after the last session, and what the units state."""

from __future__ import annotations

from memorycode.ablation.corpus import Corpus, Gold
from memorycode.dialogue import Dialogue


def test_the_labels_of_the_small_dialogue(small_dialogue: Dialogue) -> None:
    gold = Gold(small_dialogue)
    names = [rule.check for rule in gold.numbers]
    assert names == ["^k_.*", "^w_.*", True]
    assert gold.sessions == {0, 2}
    assert gold.active_rules == {1, 2}
    assert gold.older == {1: {0}, 2: frozenset()}
    assert gold.needed("function that is documented") == {2}


def test_what_each_unit_states(small_dialogue: Dialogue) -> None:
    sessions = Corpus(Gold(small_dialogue), "session")
    assert [set(rules) for rules in sessions.rules] == [{0}, set(), {1, 2}, set()]
    assert sessions.relevant == {2}
    turns = Corpus(Gold(small_dialogue), "turn")
    assert [n for n, rules in enumerate(turns.rules) if rules] == [0, 4]
    assert turns.relevant == {4}
    assert len(Corpus(Gold(small_dialogue), "turn", "mentor").units) == 4


def test_a_rule_that_comes_back_is_in_force_and_its_successor_is_older(
    small_dialogue: Dialogue,
) -> None:
    first, *_ = small_dialogue.sessions
    again = first.model_copy(update={"index": 4})
    back = small_dialogue.model_copy(update={"sessions": (*small_dialogue.sessions, again)})
    assert Gold(back).active_rules == {0, 2}
    assert Gold(back).older[0] == {1}
