"""Guidelines extracted by rules of plain English: what the mentor lays down, replaces, takes back.

A sentence that tells somebody what to do, and names something of Python's, is filed under what it
is about: "start function names with …" replaces what was said of how function names start, and
leaves alone how they end. What cannot be filed (how good a comment should be) is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import JsonValue

from memory_strategies.extractive import sounds_like_instruction
from memory_strategies.ledgers.clauses import clauses_of
from memory_strategies.ledgers.code_objects import Mention, heading, mentions
from memory_strategies.ledgers.ledger import MAX_CHARACTERS, Ledger
from memory_strategies.ledgers.topics import Topic, gist_of, has_value
from memorycode.dialogue import SessionView
from memorycode.protocols import Passage
from memorycode.transcripts import labelled, sentences, turns_of

_CUSTOM = re.compile(
    r"\b(?:we|our|everyone|habit|practice|rule|convention|standard|guideline|policy|importan(?:t|ce)"
    r"|consistently|expect|requirement|aspect|emphasis|focus|every|each|all"
    r"|another|key|keep in mind|utili[sz]e|adopt|implement|employ)s?\b",
    re.IGNORECASE,
)
_STRICT = re.compile(r"\b(?:always|never|must|every|each|all)\b", re.IGNORECASE)
_REFERS = re.compile(r"\b(?:it|them|this|these|that)\b", re.IGNORECASE)

_HEARD_CHARACTERS = MAX_CHARACTERS // 2 - 50
"""Of a sentence: what is longer is no guideline. An entry has room for two, and for a name."""

_MEANT_FOR = 3
"""Sentences for which "they" or "the names" mean the thing named last."""


class Change(NamedTuple):
    """What is laid down about some topics; without a `text` they are taken back."""

    topics: tuple[Topic, ...]
    text: str


class LanguageExtraction:
    """Files what the mentor says. Each sentence counts, so that a later one corrects an earlier."""

    @property
    def notes(self) -> dict[str, JsonValue]:
        """Nothing: English is read, well or badly, without mishap."""
        return {}

    def update(self, ledger: Ledger, session: SessionView) -> None:
        """Write down and take out what the session says, in its order."""
        for topics, text in changes_in(session):
            if text:
                line = labelled(session.speakers.mentor, text)
                said = Passage(text=line, session=session.index)
                for topic in topics:
                    ledger.write(topic, said)
            else:
                _take_back(topics, ledger)


def _take_back(topics: tuple[Topic, ...], ledger: Ledger) -> None:
    for key, _ in list(ledger):
        if isinstance(key, Topic) and _covers(topics, key):
            ledger.withdraw(key)


def _covers(topics: tuple[Topic, ...], other: Topic) -> bool:
    return any(topic.covers(other) for topic in topics)


def changes_in(session: SessionView) -> Iterator[Change]:
    """What a session lays down and takes back, in the order in which the mentor says it."""
    listener = _Listener()
    for turn in turns_of(session):
        if turn.by_mentor:
            for sentence in sentences(turn.said):
                if len(sentence) <= _HEARD_CHARACTERS:
                    yield from listener.hear(sentence)


def _tells(sentence: str) -> bool:
    """Whether a sentence gives an instruction or says what the custom is."""
    return bool(_CUSTOM.search(sentence)) or sounds_like_instruction(sentence)


class _Saying(NamedTuple):
    """What a session has said of a topic, and whether as strictly as can be."""

    gist: frozenset[str]
    strict: bool


class _Listener:
    """Hears the sentences of a session and knows what was spoken of just before."""

    def __init__(self) -> None:
        self._heard = 0
        self._things: list[Mention] = []
        self._lead, self._named = "", 0  # in which sentence, and when
        self._ownerless: Change | None = None  # "use the decorator …": on what?
        self._used = 0  # when that was said
        self._said: dict[Topic, _Saying] = {}

    def hear(self, sentence: str) -> list[Change]:
        """What one sentence changes."""
        found = mentions(sentence)
        changes: list[Change] = []
        if not sentence.endswith("?"):
            changes = self._completed(sentence, found) or self._changes(sentence)
        self._heard += 1
        if changes:
            lacking = any(topic.lacks_owner for topic in changes[-1].topics)
            self._ownerless, self._used = changes[-1] if lacking else None, self._heard
        if found:
            # A sentence that lays something down is not told again: this one may correct it.
            told = any(change.text for change in changes)
            self._lead = "" if told else sentence
            self._things, self._named = found, self._heard
        return changes

    def _changes(self, sentence: str) -> list[Change]:
        changes: list[Change] = []
        tells, instructs = _tells(sentence), sounds_like_instruction(sentence)
        for clause in clauses_of(sentence, self._things if self._is_recent(self._named) else []):
            if not (clause.names_it or instructs):
                continue  # "it is easier to read in capitals": a reason
            lead = self._lead or heading(topic.thing for topic in clause.topics)
            text = clause.text if clause.names_it else f"{lead} {clause.text}"
            if clause.releases:
                for topic in [said for said in self._said if _covers(clause.topics, said)]:
                    del self._said[topic]
                changes.append(Change(clause.topics, ""))
            elif topics := tuple(
                topic
                for topic in clause.topics
                if (tells or self._may_go_unsaid(topic)) and self._is_news(topic, text)
            ):
                changes.append(Change(topics, text))
        return changes

    def _is_recent(self, number: int) -> bool:
        return self._heard - number < _MEANT_FOR

    def _may_go_unsaid(self, topic: Topic) -> bool:
        """Whether that it is a guideline need not be said: "function names end in '_x'"."""
        return topic.says_name and topic not in self._said

    def _is_news(self, topic: Topic, text: str) -> bool:
        """Whether the session has not said the same before, or not as strictly: else the first
        wording stands, for what follows it are often reasons, or a case in point."""
        gist, strict = gist_of(topic, text), _STRICT.search(text) is not None
        before = self._said.get(topic)
        if before is not None and gist <= before.gist and before.strict >= strict:
            return False
        self._said[topic] = _Saying(gist, strict)
        return True

    def _completed(self, sentence: str, found: list[Mention]) -> list[Change]:
        """The change before as far as only this sentence says where it goes: "add it to all your
        classes"."""
        before, owners = self._ownerless, [thing for thing in found if not thing.is_feature]
        if before is None or not owners or not self._is_recent(self._used):
            return []
        things = {topic.thing for topic in before.topics}
        others = any(thing.is_feature and thing.thing not in things for thing in found)
        if others or has_value(sentence) or not _REFERS.search(sentence):
            return []
        if not sounds_like_instruction(sentence):
            return []
        topics = tuple(t._replace(owner=owner.thing) for t in before.topics for owner in owners)
        if not before.text:
            return [Change(topics, "")]
        return [Change(before.topics, ""), Change(topics, f"{before.text} {sentence}")]
