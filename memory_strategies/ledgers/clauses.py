"""A sentence taken apart into the guidelines that it states or takes back, each on its own.

"Start function names with 'a_' and method names with 'b_'" is two; so is "forget the prefix of
functions, end their names with '_c'".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memory_strategies.ledgers.code_objects import Mention, heading, is_general_word, mentions
from memory_strategies.ledgers.topics import (
    Topic,
    has_value,
    is_complete,
    topics_of,
    topics_released,
    values_in,
)

_VERB = r"""(?:add|append|apply|avoid|begin|choose|contain|decorate|do|don['’]t|end|ensure|finish
    |follow|give|have|import|include|keep|make|must|name|need|never|place|prefix|put|remember|remove
    |replace|should|start|stop|suffix|use|wrap|write|\w+ing)"""
_HAS_VERB = re.compile(rf"\b{_VERB}\b", re.VERBOSE | re.IGNORECASE)
_SPLIT = re.compile(
    rf"""\s*[,;:]\s+ | \s+(?:--?|[–—])\s+
      | (?<=['"’”`])\s+(?:and|while|whereas|but)\s+(?!['"‘“`@])
      | \s+(?:and|but|then|while|whereas)\s+
        (?=(?:(?:also|then|always|please|that|to|you|i|we|all|the|not|[\w']+ly)\s+){{0,4}}{_VERB}\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ASIDE = re.compile(
    r"""\b(?:^not|used\ to|previous(?:ly)?|formerly|until\ (?:now|today)|so\ far|in\ the\ past
        |originally|(?:i|we|you|they|it)\ (?:had|did|were|was|can|could|may|might))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REPLACED = re.compile(
    r""",?\s*\b(?:instead\ of|rather\ than|in\ place\ of|replac(?:e|ing)) \s+ (?:the\s+)?
        (?:(?:decorator|module|library|package)\s+)? ['"‘“`]?@?([^\s'"’”`,.;]+)['"’”`]?
        (?:\s+(?:by|with)\b)?""",
    re.IGNORECASE | re.VERBOSE,
)
_FORGETS = re.compile(
    r"""(?<!n['’]t\ )(?<!not\ )(?<!never\ )\b(?:
        forget\ (?:about|what|that|the|my|our|all|any) | (?:disregard|scrap|drop|withdraw)\w*
      | ignore\ (?:what|my|our|the) | never\ mind\ (?:about|what|the|my|our) )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_RELEASES = re.compile(
    r"""\b(?: no\ (?:longer|more)\ (?:need|have|necessary|required|mandatory) | no\ need\ (?:to|for)
      | (?:don['’]t|do\ not|needn['’]t)\ (?:need|have)\ to | needn['’]t | can\ stop
      | (?:is|are)\ (?:no\ longer|not)\ (?:needed|necessary|required|in\ force) )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_STOPS = re.compile(
    r"\b(?:stop|cease|quit)\s+\w+ing\b|\b(?:no longer|not \w+ any ?more|abandon|do away with)\b",
    re.IGNORECASE,
)
_LIST_WORDS = 4
"""Of a piece such as "functions," that only goes on with what "for functions, methods" lists."""

_GERUND = re.compile(r"\b[a-z]{2,}ing\b")
_EDGES = " \t,;:–—-"
_JOINED = re.compile(r"^(?:and|but|so|then|while|whereas)\s+", re.IGNORECASE)
_DANGLING = re.compile(r"\s(?:and|but|then|while|whereas)$", re.IGNORECASE)


class Clause(NamedTuple):
    """A guideline in a sentence: what it is about and its wording.

    `releases` says that it is taken back. Without `names_it`, what it is about was named in an
    earlier sentence.
    """

    topics: tuple[Topic, ...]
    text: str
    releases: bool
    names_it: bool


class _Piece(NamedTuple):
    """A part of a sentence and the things that it names. `replaced` is what else it names, to say
    that something takes its place; the text is without that."""

    start: int
    text: str
    about: list[Mention]
    replaced: str

    @property
    def is_aside(self) -> bool:
        """Whether it says what was, what one may do, or what is not meant."""
        return not self.releases and _ASIDE.search(self.text) is not None

    @property
    def releases(self) -> bool:
        stops = _STOPS.search(self.text) and not any(thing.is_feature for thing in self.about)
        return bool(stops or self.forgets or _RELEASES.search(self.text))

    @property
    def forgets(self) -> bool:
        """Whether it takes back all that was said of something."""
        return _FORGETS.search(self.text) is not None


class _Draft(NamedTuple):
    """A clause whose wording is not yet cut out. What it is about is named at `named_at` (None: in
    an earlier sentence); `goes_on` says that its verb stands in the clause before."""

    topics: tuple[Topic, ...]
    piece: _Piece
    named_at: int | None
    goes_on: bool = False


def clauses_of(sentence: str, meant: list[Mention]) -> list[Clause]:
    """The clauses of a sentence; `meant` is what was spoken of before, for one that says "they"."""
    drafts = _drafts(_pieces(sentence), meant)
    clauses: list[Clause] = []
    wording = ""
    for place, draft in enumerate(drafts):
        if old := _replaced(draft):
            clauses.append(Clause(old, "", releases=True, names_it=True))
        wording = _whole(_wording(sentence, drafts, place, wording))
        named = draft.named_at is not None
        clauses.append(Clause(draft.topics, wording, draft.piece.releases, named))
    return clauses


def _wording(sentence: str, drafts: list[_Draft], place: int, before: str) -> str:
    """The words of one draft; `before` are those of the draft before it."""
    draft = drafts[place]
    end = drafts[place + 1].piece.start if place + 1 < len(drafts) else len(sentence)
    own = sentence[draft.piece.start : end]
    start = draft.piece.start if draft.named_at is None else draft.named_at
    if any(other.piece.start >= start for other in drafts[:place]):
        # What it is about is named in another guideline, which is not to be told with this one.
        return f"{heading(topic.thing for topic in draft.topics)} {own}"
    if draft.goes_on:
        return _like(before, draft.piece) or _verb_of(before) + own
    if place and _GERUND.match(sentence, start):
        return _lead_of(before) + sentence[start:end]
    return sentence[start if place else 0 : end]


def _replaced(draft: _Draft) -> tuple[Topic, ...]:
    """What goes by a name, and gives way to what goes by another."""
    named = (topic for topic in draft.topics if not topic.is_about_names and topic.aspect)
    old = draft.piece.replaced
    return tuple(topic._replace(aspect=old) for topic in named) if old else ()


def _pieces(sentence: str) -> list[_Piece]:
    starts = [0, *(match.end() for match in _SPLIT.finditer(sentence))]
    pieces = []
    for start, end in zip(starts, [*starts[1:], len(sentence)], strict=True):
        replaced = _REPLACED.search(sentence, start, end)
        text = _REPLACED.sub("", sentence[start:end])
        pieces.append(_Piece(start, text, mentions(text), replaced[1] if replaced else ""))
    return pieces


def _drafts(pieces: list[_Piece], meant: list[Mention]) -> list[_Draft]:
    drafts: list[_Draft] = []
    named, named_at = meant, None  # what is spoken of, and where it was named
    is_open = False  # whether the piece before only names something
    for number, piece in enumerate(pieces):
        about, at = piece.about, piece.start if piece.about else None
        if not about:
            names = [thing for thing in named if not thing.is_feature]
            following = None if is_open else _named_next(pieces, number)
            about, at = following or (names, named_at)
        elif is_open and is_general_word(about, named):
            about, at = named, named_at
        elif is_open and len(pieces[number - 1].text.split()) <= _LIST_WORDS:
            about, at = [*named, *about], named_at
        topics = () if piece.is_aside else _topics(piece, about)
        if topics:
            drafts.append(_Draft(topics, piece, at))
        elif drafts and not piece.is_aside and (topics := _gone_on(piece, drafts[-1])):
            drafts.append(_Draft(topics, piece, at, goes_on=True))
        is_open = not topics and bool(piece.about)
        named, named_at = about, at
    return drafts


def _topics(piece: _Piece, about: list[Mention]) -> tuple[Topic, ...]:
    if piece.releases:
        if not piece.about and not has_value(piece.text):
            return ()
        released = topics_released(piece.text, about)
        return tuple(topic for topic in released if topic.is_precise or piece.forgets)
    found = topics_of(piece.text, about)
    return tuple(topic for topic in found if is_complete(topic, piece.text))


def _named_next(pieces: list[_Piece], number: int) -> tuple[list[Mention], int] | None:
    """What a piece is about that names it in the next one: "start with 'x_', for functions"."""
    following = pieces[number + 1] if number + 1 < len(pieces) else None
    if following is None or not following.about or _topics(following, following.about):
        return None
    return (following.about, pieces[number].start) if has_value(pieces[number].text) else None


def _gone_on(piece: _Piece, before: _Draft) -> tuple[Topic, ...]:
    """The topics of "and method names with 'b_'", whose verb stands in the clause before."""
    aspect = before.topics[-1].aspect
    names = [thing for thing in piece.about if not thing.is_feature]
    if not names or not before.topics[-1].is_about_names or not has_value(piece.text):
        return ()
    return tuple(Topic(thing.thing, aspect) for thing in names)


def _like(before: str, piece: _Piece) -> str:
    """A clause again with another thing and another value; empty where it has several of them."""
    old, new = mentions(before), piece.about
    values, own = values_in(before), values_in(piece.text)
    if not len(old) == len(new) == len(values) == len(own) == 1 or values[0].start < old[0].end:
        return ""
    thing = piece.text[new[0].start : new[0].end]
    between = before[old[0].end : values[0].start]
    return f"{before[: old[0].start]}{thing}{between}{piece.text[own[0]]}"


def _verb_of(text: str) -> str:
    """A clause up to what it is about; all of it where the verb does not stand in there."""
    first = next(iter(mentions(text)), None)
    verb = text[: first.start] if first else ""
    return verb if _HAS_VERB.search(verb) else f"{text} "


def _lead_of(text: str) -> str:
    """What leads up to a clause's first gerund: "I insist on" in "I insist on using"."""
    gerund = next((match for match in _GERUND.finditer(text) if match.start()), None)
    return text[: gerund.start()] if gerund else ""


def _whole(text: str) -> str:
    """A cut-out wording as a sentence."""
    text = _JOINED.sub("", text.strip(_EDGES), count=1)
    text = _DANGLING.sub("", text).strip(_EDGES)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
