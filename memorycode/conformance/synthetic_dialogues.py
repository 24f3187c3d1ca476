"""The synthetic dialogues that the kit plays: rules change in them, and each session has a mark.

A mark is a made-up word that no other session of any dialogue brings up first, so that a recall
shows what it has seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memorycode.dialogue import Context, Dialogue, Instruction, Session
from memorycode.rules import Constraint, ConstraintKind, ObjectKind, rule_from
from memorycode.transcripts import joined, labelled

QUERIES = ("function that adds up the items of a bill", "class for the cards of a library")
"""What the kit asks for."""

_CONSONANTS, _VOWELS = "bdfgklmnprstvzj", "aiou"
_SYLLABLES = tuple(consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS)
_LENGTH = 4
_MARK = re.compile(rf"(?=((?:[{_CONSONANTS}][{_VOWELS}]){{{_LENGTH}}}))")
_WORDS = len(_SYLLABLES) ** _LENGTH
_SCATTER = 7_654_321  # shares no factor with the number of words, so that no two marks are equal
_ROOM = 1000
"""More sessions than any dialogue has, so that each number has marks of its own."""

_MOST_DIALOGUES = 100
"""Numbers of dialogues are below: no other word is taken for a mark but by a rare chance."""

_PEOPLE = (("Mira", "Tolu"), ("Henrik", "Sunniva"), ("Oyelaran", "Beatriz"), ("Pavla", "Quentin"))

_FAMILIES: tuple[tuple[ObjectKind, ConstraintKind, str], ...] = (
    ("function", "prefix", "start function names with '{}'"),
    ("variable", "suffix", "end variable names with '{}'"),
    ("class", "prefix", "start class names with '{}'"),
    ("method", "suffix", "end method names with '{}'"),
    ("attribute", "prefix", "start attribute names with '{}'"),
)

_SMALL_TALK = (
    "The project is called {mark}. The people who pay for it want to see something by Thursday.",
    "I was in the {mark} building yesterday. The lift was out of order, so I know every step now.",
    "There is cake from the {mark} bakery in the kitchen. Take some before the others find it.",
    "The report on {mark} came back from the lawyers. They liked it better than I do.",
)
_REPLIES = (
    "I will have a look at it this afternoon.",
    "That sounds like last winter all over again.",
    "Good to know, thank you.",
)


@dataclass(frozen=True)
class SyntheticDialogue:
    """A dialogue, and the mark of each of its sessions."""

    dialogue: Dialogue
    marks: tuple[str, ...]


def mark_of(number: int, index: int) -> str:
    """The mark of a session: eight letters, another for every session of every dialogue."""
    code, base = (number * _ROOM + index) * _SCATTER % _WORDS, len(_SYLLABLES)
    return "".join(_SYLLABLES[code // base**place % base] for place in range(_LENGTH))


def marks_in(text: str) -> Iterator[tuple[str, int]]:
    """The marks in a text of lower case, each with the number of the dialogue that it is of."""
    base, back = len(_SYLLABLES), pow(_SCATTER, -1, _WORDS)
    for match in _MARK.finditer(text):
        mark = match[1]
        places = [_SYLLABLES.index(mark[i : i + 2]) for i in range(0, len(mark), 2)]
        code = sum(value * base**place for place, value in enumerate(places)) * back % _WORDS
        if code < _MOST_DIALOGUES * _ROOM:
            yield mark, code // _ROOM


@lru_cache(maxsize=64)
def synthetic_dialogue(number: int, sessions: int) -> SyntheticDialogue:
    """The kit's dialogue of this number (below 100); two of three sessions tell a rule.

    The first sessions of a longer one are those of a shorter one.
    """
    mentor, mentee = _PEOPLE[number % len(_PEOPLE)]
    context = Context(mentor=mentor, mentee=mentee, company="HALYARD")
    marks = tuple(mark_of(number, index) for index in range(sessions))
    told = tuple(_session(index, marks, context) for index in range(sessions))
    return SyntheticDialogue(
        Dialogue(number=number, context=context, sessions=told, history_queries=QUERIES), marks
    )


def with_texts(number: int, texts: Sequence[str]) -> Dialogue:
    """A dialogue of these transcripts, without any gold."""
    sessions = tuple(Session(index=index, text=text) for index, text in enumerate(texts))
    context = synthetic_dialogue(number, 1).dialogue.context
    return Dialogue(number=number, context=context, sessions=sessions, history_queries=QUERIES)


def _session(index: int, marks: Sequence[str], context: Context) -> Session:
    mark = marks[index]
    chat = _SMALL_TALK[index % len(_SMALL_TALK)].format(mark=mark.capitalize())
    turns = [
        (context.mentor, f"Good morning, {context.mentee}. {chat}"),
        (context.mentee, _REPLIES[index % len(_REPLIES)]),
    ]
    instructions: tuple[Instruction, ...] = ()
    if index % 3 != 2:
        count = index - index // 3  # of the rules told before
        turns += [
            (context.mentor, _said(count, marks)),
            (context.mentee, f"Understood, '{_value(count, marks)}' it is."),
        ]
        instructions = (_instruction(count, marks),)
    text = joined(labelled(who, what) for who, what in turns)
    return Session(index=index, text=text, instructions=instructions)


def _said(count: int, marks: Sequence[str]) -> str:
    """How the mentor tells the rule before which `count` others were told."""
    line = _FAMILIES[count % len(_FAMILIES)][2].format(_value(count, marks))
    before = count - len(_FAMILIES)
    if before < 0:
        return f"Always {line}."
    return f"From now on, {line} instead of '{_value(before, marks)}'."


def _instruction(count: int, marks: Sequence[str]) -> Instruction:
    version, family = divmod(count, len(_FAMILIES))
    object_, kind, line = _FAMILIES[family]
    value = _value(count, marks)
    return Instruction(
        family=family,
        version=version,
        rule=rule_from(object_, Constraint(kind=kind, value=value)),
        text=f"always {line.format(value)}",
        eval_query=QUERIES[object_ in ("class", "method", "attribute")],
    )


def _value(count: int, marks: Sequence[str]) -> str:
    mark = marks[count + count // 2]  # two rules, then a session without one
    return f"{mark}_" if _FAMILIES[count % len(_FAMILIES)][1] == "prefix" else f"_{mark}"
