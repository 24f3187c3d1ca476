"""The kit's dialogues: marks that tell sessions apart, rules that change, the same every time."""

from __future__ import annotations

from itertools import product

from memorycode.conformance.synthetic_dialogues import (
    drawn_context,
    mark_of,
    marks_in,
    synthetic_dialogue,
)


def test_every_session_has_a_mark_of_its_own() -> None:
    marks = [mark_of(number, index) for number, index in product(range(100), range(1000))]
    assert len(set(marks)) == len(marks)


def test_a_text_names_the_dialogues_that_its_marks_are_of() -> None:
    told = synthetic_dialogue(13, 40)
    for session, mark in zip(told.dialogue.sessions, told.marks, strict=True):
        found = list(marks_in(session.text.casefold()))
        assert found[0] == (mark, 13)
        assert {number for _, number in found} == {13}
    assert list(marks_in("nothing but bananas, tomatoes and catamarans")) == []


def test_a_mark_is_first_said_in_its_own_session() -> None:
    told = synthetic_dialogue(5, 60)
    texts = [session.text.casefold() for session in told.dialogue.sessions]
    for index, mark in enumerate(told.marks):
        assert [mark in text for text in texts].index(True) == index


def test_rules_change_and_gold_says_so() -> None:
    dialogue = synthetic_dialogue(5, 60).dialogue
    told = [i for session in dialogue.sessions for i in session.instructions]
    assert max(i.version for i in told) > 3
    for session in dialogue.sessions:
        for instruction in session.instructions:
            assert instruction.text.removeprefix("always ") in session.text
            assert instruction.version == 0 or "instead of" in session.text


def test_a_longer_dialogue_begins_like_a_shorter_one() -> None:
    assert (
        synthetic_dialogue(8, 30).dialogue.sessions[:10]
        == synthetic_dialogue(8, 10).dialogue.sessions
    )


def test_dialogues_differ_in_words_quotation_marks_names_and_companies() -> None:
    dialogues = [synthetic_dialogue(number, 4).dialogue for number in range(60, 66)]
    texts = ["\n".join(session.text for session in dialogue.sessions) for dialogue in dialogues]
    for mark in ('"', "`"):
        assert any(mark in text for text in texts)
    sessions = [session.text for dialogue in dialogues for session in dialogue.sessions]
    for word in ("always", "Always", "In all of our code"):
        assert 0 < sum(word in text for text in sessions) < len(sessions) / 2
    assert len({dialogue.context.company for dialogue in dialogues}) > 4
    assert len({dialogue.context.mentor for dialogue in dialogues}) > 2


def test_the_seed_draws_other_people_and_companies_and_nothing_else() -> None:
    one, again, other = (synthetic_dialogue(5, 3, seed) for seed in (1, 1, 2))
    assert one == again
    assert one.dialogue.context != other.dialogue.context
    assert one.marks == other.marks
    shared = synthetic_dialogue(6, 3, 1, people_of=5)
    assert shared.dialogue.context == one.dialogue.context


def test_there_are_many_people_and_companies_and_no_name_is_taken_for_a_mark() -> None:
    drawn = [drawn_context(number, seed) for number, seed in product(range(100), range(20))]
    companies = {context.company for context in drawn}
    assert len(companies) > 150
    assert len({context.mentor for context in drawn}) > 30
    assert not [name for name in companies if list(marks_in(name.casefold()))]
    assert not [c for c in drawn if list(marks_in(f"{c.mentor} {c.mentee}".casefold()))]
