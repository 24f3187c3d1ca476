"""Units: nothing that was said is lost, and each knows its session."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycode.dialogue import SessionView, Speakers
from memorycode.errors import PluginError, UsageError
from memorycode.protocols import Unit
from memorycode.retrieval.units import check_unit, cut_session

ADA_AND_BEN = Speakers(mentor="Ada", mentee="Ben")
KINDS = ("session", "exchange", "turn", "window:5")

lines = st.tuples(
    st.sampled_from(["Ada: ", "Ben: ", "**Ada**: ", "", "  ", "Cy: "]),
    st.text(st.sampled_from("abc \n.ü:'"), max_size=40),
)
transcripts = st.lists(lines, max_size=8).map(lambda said: "\n\n".join(map("".join, said)))


def view(text: str, index: int = 3) -> SessionView:
    return SessionView(index=index, speakers=ADA_AND_BEN, text=text)


def bare(text: str) -> str:
    return "".join(text.split())


@settings(deadline=None)  # the first call imports the splitter
@given(transcripts, st.sampled_from(KINDS))
def test_no_text_is_lost_and_none_made_up(text: str, kind: str) -> None:
    units = cut_session(view(text), kind)
    assert bare("".join(unit.text for unit in units)) == bare(text)
    assert {unit.session for unit in units} <= {3}


@settings(deadline=None)  # the first call imports the splitter
@given(transcripts, st.sampled_from(KINDS))
def test_the_mentor_alone_is_all_turns_but_the_mentees(text: str, kind: str) -> None:
    """What nobody is named for counts as the mentor's word: a label may be missing."""
    mentors = [
        unit.text
        for unit in cut_session(view(text), "turn")
        if not unit.text.lstrip(" *").startswith("Ben")
    ]
    units = cut_session(view(text), kind, "mentor")
    assert bare("".join(unit.text for unit in units)) == bare("".join(mentors))


@settings(deadline=None)  # the first call imports the splitter
@given(transcripts, st.integers(1, 60))
def test_a_window_is_no_longer_than_it_says(text: str, tokens: int) -> None:
    assert all(len(u.text) <= 4 * tokens for u in cut_session(view(text), f"window:{tokens}"))


def test_each_kind_cuts_where_it_says() -> None:
    text = "Prologue.\n\nAda: One.\n\nBen: Two.\n\nBen: Three.\n\nAda: Four."
    cut = {kind: [unit.text for unit in cut_session(view(text), kind)] for kind in KINDS[:3]}
    assert cut == {
        "session": [text],
        "exchange": ["Prologue.", "Ada: One.\n\nBen: Two.\n\nBen: Three.", "Ada: Four."],
        "turn": ["Prologue.", "Ada: One.", "Ben: Two.", "Ben: Three.", "Ada: Four."],
    }
    assert cut_session(view(text, 5), "turn", "mentor") == [
        Unit("Prologue.", 5),
        Unit("Ada: One.", 5),
        Unit("Ada: Four.", 5),
    ]


def test_a_session_without_text_is_one_unit_only_as_a_session() -> None:
    assert [len(cut_session(view(" \n"), kind)) for kind in KINDS] == [1, 0, 0, 0]


@pytest.mark.parametrize("kind", ["session", "turn", "exchange", "window:1", "window:200"])
def test_what_a_unit_may_be(kind: str) -> None:
    assert check_unit(kind) == kind


@pytest.mark.parametrize(
    "kind", ["", "Session", "window", "window9", "window:0", "window:-1", "window:1e3"]
)
def test_another_unit_is_refused(kind: str) -> None:
    with pytest.raises(UsageError, match="it is session, exchange, turn or window:N"):
        check_unit(kind)


def test_windows_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_text_splitters", None)
    with pytest.raises(
        PluginError, match=r"window:9 needs .* pip install 'memorycode\[langchain\]"
    ):
        cut_session(view("Ada: Hello."), "window:9")
