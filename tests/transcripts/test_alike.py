"""A speaker's name is read alike by all who read: the generator and its check, the detector, the
audit, the reader, the strategies, and whoever looks for the speakers that a data set leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from memory_strategies.extractive import ExtractiveSummary
from memory_strategies.mentor_only import MentorOnly
from memorycode.audit.speaker_labels import label_problems
from memorycode.audit.stated_rules import text_problems
from memorycode.datasets.speakers import speakers_of
from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.generation.model_renderer import transcript_of
from memorycode.generation.session_check import states_its_rules
from memorycode.generation.template import PlannedInstruction, PlannedSession
from memorycode.generation.transcript import Transcript
from memorycode.models.ideal_mentee import IdealMentee
from memorycode.models.prompt_parts import labels_of, mentee_of, mentor_of
from memorycode.prompts import DEFAULT_PACK
from memorycode.protocols import Prompt, StrategyContext
from memorycode.retrieval.units import cut_session
from memorycode.rules import Constraint, rule_from
from memorycode.scoring.detection import detect
from memorycode.transcripts import SPEAKER_NAME, turns_in, turns_of

TOLD = "Always start function names with 'kq_'."
REPLY = "Understood. Should I start method names with 'zz_' as well?"
INSTRUCTION = Instruction(
    family=7,
    version=0,
    rule=rule_from("function", Constraint(kind="prefix", value="kq_")),
    text="always start function names with 'kq_'",
    eval_query="function that sorts",
)

PAIRS = [
    ("O'Neil-Smith Jr.", "Zoë"),
    ("Dr. Jean-Luc van der Berg", "李 明"),
    ("李 明", "Dr. Jean-Luc van der Berg"),
    ("Zoe\u0308", "प्रिया शर्मा"),
    ("anna", "otto"),
    ("Agent 47", "R2-D2"),
    ("3Jane", "user_1"),
    ("Ana (Ops)", "Bo [2nd]"),
    ("Ann", "Anna"),
    ("María de los Ángeles", "Nuñez"),
]

words = st.text(alphabet="abeknozABEKNOZÄéİß李明पйЖ'’.-0123", min_size=2, max_size=8)
names = st.lists(words, min_size=1, max_size=5).map(" ".join)
OPENING_WORDS = frozenset(
    re.findall(r"\w+", DEFAULT_PACK.render("opening", mentor="", mentee="", company="").casefold())
)


def is_plausible(name: str) -> bool:
    """Opened by a letter or a digit, and no word of the prompt that names the speakers."""
    return name[0].isalnum() and not OPENING_WORDS & set(name.casefold().split())


def dialogue_of(mentor: str, mentee: str) -> Dialogue:
    context = Context(mentor=mentor, mentee=mentee, company="QUAY")
    out = Transcript(context.speakers)
    out.mentor("Good morning. Take a seat.")
    out.mentee("Thank you. It is Monday.")
    out.mentor(TOLD)
    out.mentee(REPLY)
    session = Session(index=0, text=out.text, instructions=(INSTRUCTION,))
    return Dialogue(number=1, context=context, sessions=(session,))


def check_all(mentor: str, mentee: str, make_context: Callable[[], StrategyContext]) -> None:
    dialogue = dialogue_of(mentor, mentee)
    view, (session,) = dialogue.view(0), dialogue.sessions

    turns = turns_of(view)
    assert [turn.speaker for turn in turns] == [mentor, mentee] * 2
    assert [turn.said for turn in turns][2:] == [TOLD, REPLY]
    assert "".join(t.transcript[t.start : t.end] for t in turns) == session.text

    planned = PlannedSession(
        length="short", instructions=(PlannedInstruction(instruction=INSTRUCTION),)
    )
    assert states_its_rules(session.text, planned, view.speakers).is_clean
    assert transcript_of(session.text, view.speakers) == session.text
    assert [found.rule for found in detect(session.text, mentor, mentee)] == [INSTRUCTION.rule]
    assert list(label_problems(dialogue)) == []
    assert list(text_problems(dialogue)) == []

    strategy = MentorOnly(make_context())
    strategy.observe(view)
    recalled = strategy.recall("").text
    assert recalled == f"{mentor}: Good morning. Take a seat.\n\n{mentor}: {TOLD}"
    assert cut_session(view, "session", "mentor")[0].text == recalled
    assert len(cut_session(view, "exchange")) == 2
    summary = ExtractiveSummary(1000, len)
    summary.update(view)
    assert summary.text.endswith(f"{mentor}: {TOLD}")

    found = speakers_of(dialogue.sessions)
    assert found is not None
    assert (found.mentor, found.mentee) == (mentor, mentee)

    opening = DEFAULT_PACK.render("opening", mentor=mentor, mentee=mentee, company="QUAY")
    labels = labels_of(session.text)
    assert mentor_of(opening, labels) == mentor
    assert mentee_of(opening, labels, mentor) in (mentee, None)
    answer = IdealMentee().generate(Prompt((opening, session.text, "function that sorts"))).text
    assert "def kq_" in answer
    assert "def zz_" not in answer


@pytest.mark.parametrize(("mentor", "mentee"), PAIRS)
def test_names_of_many_forms(
    mentor: str, mentee: str, make_plain_context: Callable[[], StrategyContext]
) -> None:
    check_all(mentor, mentee, make_plain_context)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(mentor=names, mentee=names)
@example(mentor="O'Neil-Smith Jr.", mentee="Be")
def test_any_names_of_one_line(
    mentor: str, mentee: str, make_plain_context: Callable[[], StrategyContext]
) -> None:
    assume(mentor != mentee and is_plausible(mentor) and is_plausible(mentee))
    check_all(mentor, mentee, make_plain_context)


@pytest.mark.parametrize(("mentor", "mentee"), PAIRS[:4])
def test_a_mentor_nobody_told_of_is_found_by_what_is_said(mentor: str, mentee: str) -> None:
    """Names of the usual forms need not be known to be read as labels."""
    text = f"{mentor}: I want you to come early, please.\n\n{mentee}: I will, thank you."
    turns = turns_in(text)
    assert [(turn.speaker, turn.by_mentor) for turn in turns] == [(mentor, True), (mentee, False)]
    assert SPEAKER_NAME.fullmatch(mentor)
