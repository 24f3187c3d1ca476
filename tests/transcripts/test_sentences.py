"""Where sentences end: not within values, abbreviations and numbers of a list."""

from __future__ import annotations

import pytest

from memorycode.transcripts import sentences, sentences_of, turns_in
from memorycode.transcripts.sentences import LONGEST_SENTENCE


def pieces_of(text: str) -> list[str]:
    (turn,) = turns_in(text)
    found = list(sentences_of(turn))
    assert all(text[s.start : s.start + len(s.text)] == s.text for s in found)
    return [s.text.strip() for s in found if s.text.strip()]


def test_sentences_end_at_full_stops_but_not_within_values_or_abbreviations() -> None:
    assert pieces_of("End with '_y.' Use np.array, e.g. here. Is that 'it'?Yes!\nNext") == [
        "End with '_y.'",
        "Use np.array, e.g. here.",
        "Is that 'it'?",
        "Yes!",
        "Next",
    ]


def test_a_sentence_without_an_end_is_cut_and_nothing_of_it_is_lost() -> None:
    endless = "word " * 1000
    pieces = pieces_of(endless)
    assert " ".join(pieces) == endless.strip()
    assert max(map(len, pieces)) <= LONGEST_SENTENCE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another thing! A third?", ["One thing.", "Another thing!", "A third?"]),
        ("End it with 'x_'. Always.", ["End it with 'x_'.", "Always."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("Use a prefix, e.g. Ab or i.e. Cd.", ["Use a prefix, e.g. Ab or i.e. Cd."]),
        ("Start with a_. then b.c and 3.5 go on", ["Start with a_. then b.c and 3.5 go on"]),
        ("Ask Dr. Who. He knows.", ["Ask Dr. Who.", "He knows."]),
        ("1. Use tabs.\n2. No spaces.", ["1. Use tabs.", "2. No spaces."]),
        ("that is it. use b_", ["that is it.", "use b_"]),
        ("Wait... Really?! Yes", ["Wait...", "Really?!", "Yes"]),
        (" \n\n ", []),
    ],
)
def test_sentences_end_where_they_should(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected
