"""Who says a unit: a name that begins as another's is not the other's."""

from __future__ import annotations

import pytest

from memory_strategies.found_units import is_mentees, units_of
from memorycode.dialogue import SessionView, Speakers


@pytest.mark.parametrize(
    ("mentor", "mentee", "said"),
    [
        ("Anna", "Ann", [False, True, True]),
        ("Ann", "Anna", [False, True, True]),
        ("Anna", "", [False, False]),
    ],
)
def test_the_mentees_turns_are_the_mentees(mentor: str, mentee: str, said: list[bool]) -> None:
    session = SessionView(
        index=0,
        speakers=Speakers(mentor=mentor, mentee=mentee),
        text=f"{mentor}: Yes, {mentee}.\n\n{mentee or 'Anna'}: No.\n\n**{mentee}**: Well.",
    )
    assert [is_mentees(unit, session) for unit in units_of(session)] == said
