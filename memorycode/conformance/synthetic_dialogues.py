"""The synthetic dialogues that the kit plays: rules change in them, and each session has a mark.

A mark is a made-up word that no other session of any dialogue brings up first, so that a recall
shows what it has seen.
"""

from __future__ import annotations

import random
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

_NAMES = (
    *("Mira", "Tolu", "Henrik", "Sunniva", "Oyelaran", "Beatriz", "Pavla", "Quentin", "Aroha"),
    *("Bartosz", "Chidi", "Dagny", "Emrys", "Farrukh", "Greta", "Hyejin", "Ingrid", "Joaquim"),
    *("Kwame", "Leocadia", "Marit", "Nkechi", "Odhran", "Piotr", "Rashida", "Saoirse", "Tevita"),
    *("Ursula", "Vidya", "Wiremu", "Xanthe", "Yusuf", "Zdenka", "Anselm", "Brigid", "Corwin"),
)
_STEMS = (
    *("Halyard", "Brightwater", "Nine Elms", "Kestrel", "Tarn", "Orchard", "Meridian", "Saltmarsh"),
    *("Copperfield", "Lanternfish", "Quill", "Rookery", "Sundial", "Thistle", "Umber", "Viaduct"),
    *("Windlass", "Yardarm", "Zephyr", "Alder", "Basalt", "Cinder", "Driftwood", "Estuary"),
)
_FORMS = ("{}", "{} Software", "{} & Daughters", "{} GmbH", "{} Labs", "The {} Company", "{}.io")
"""Who talks, and where they work: drawn anew for every dialogue, so that a strategy which goes by
one name is seen with others."""

_FAMILIES: tuple[tuple[ObjectKind, ConstraintKind, str], ...] = (
    ("function", "prefix", "start function names with {}"),
    ("variable", "suffix", "end variable names with {}"),
    ("class", "prefix", "start class names with {}"),
    ("method", "suffix", "end method names with {}"),
    ("attribute", "prefix", "start attribute names with {}"),
)

_OPENINGS = ("Always {}.", "Please always {}.", "In all of our code, {}.", "One rule: {}, always.")
_QUOTES = ("'", '"', "`")

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


def drawn_context(number: int, seed: int = 0) -> Context:
    """Who talks in the dialogue of this number, and where they work."""
    draw = random.Random(f"{seed} {number}")
    mentor, mentee = draw.sample(_NAMES, 2)
    company = draw.choice(_FORMS).format(draw.choice(_STEMS))
    if draw.random() < 0.2:
        company = company.upper()
    return Context(mentor=mentor, mentee=mentee, company=company)


@lru_cache(maxsize=64)
def synthetic_dialogue(
    number: int, sessions: int, seed: int = 0, *, people_of: int | None = None
) -> SyntheticDialogue:
    """The kit's dialogue of this number (below 100); two of three sessions tell a rule.

    The first sessions of a longer one are those of a shorter one. The names are drawn by the seed;
    those of the dialogue `people_of`, if one is named.
    """
    context = drawn_context(number if people_of is None else people_of, seed)
    marks = tuple(mark_of(number, index) for index in range(sessions))
    words = _Words(number, marks)
    told = tuple(_session(index, words, context) for index in range(sessions))
    return SyntheticDialogue(
        Dialogue(number=number, context=context, sessions=told, history_queries=QUERIES), marks
    )


def with_texts(number: int, texts: Sequence[str], context: Context) -> Dialogue:
    """A dialogue of these transcripts, without any gold."""
    sessions = tuple(Session(index=index, text=text) for index, text in enumerate(texts))
    return Dialogue(number=number, context=context, sessions=sessions, history_queries=QUERIES)


@dataclass(frozen=True)
class _Words:
    """How the mentor of a dialogue tells rules: each has another opening and quotation mark."""

    number: int
    marks: Sequence[str]

    def said(self, count: int) -> str:
        """How the rule is told before which `count` others were told."""
        before = count - len(_FAMILIES)
        if before < 0:
            return _OPENINGS[(self.number + count) % len(_OPENINGS)].format(self.line(count))
        return f"From now on, {self.line(count)} instead of {self._quoted(before)}."

    def line(self, count: int) -> str:
        return _FAMILIES[count % len(_FAMILIES)][2].format(self._quoted(count))

    def _quoted(self, count: int) -> str:
        mark = _QUOTES[self.number % len(_QUOTES)]
        return f"{mark}{self.value(count)}{mark}"

    def value(self, count: int) -> str:
        mark = self.marks[count + count // 2]  # two rules, then a session without one
        return f"{mark}_" if _FAMILIES[count % len(_FAMILIES)][1] == "prefix" else f"_{mark}"


def _session(index: int, words: _Words, context: Context) -> Session:
    mark = words.marks[index]
    chat = _SMALL_TALK[index % len(_SMALL_TALK)].format(mark=mark.capitalize())
    turns = [
        (context.mentor, f"Good morning, {context.mentee}. {chat}"),
        (context.mentee, _REPLIES[index % len(_REPLIES)]),
    ]
    instructions: tuple[Instruction, ...] = ()
    if index % 3 != 2:
        count = index - index // 3  # of the rules told before
        turns += [
            (context.mentor, words.said(count)),
            (context.mentee, f"Understood, '{words.value(count)}' it is."),
        ]
        instructions = (_instruction(count, words),)
    text = joined(labelled(who, what) for who, what in turns)
    return Session(index=index, text=text, instructions=instructions)


def _instruction(count: int, words: _Words) -> Instruction:
    version, family = divmod(count, len(_FAMILIES))
    object_, kind, _ = _FAMILIES[family]
    return Instruction(
        family=family,
        version=version,
        rule=rule_from(object_, Constraint(kind=kind, value=words.value(count))),
        text=f"always {words.line(count)}",
        eval_query=QUERIES[object_ in ("class", "method", "attribute")],
    )
