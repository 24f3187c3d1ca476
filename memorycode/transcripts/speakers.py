"""Whose labels those of a transcript are: the mentor's, the mentee's, or nobody's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from memorycode.transcripts.speaker_labels import Label
from memorycode.transcripts.speaker_names import (
    ALIKE,
    MENTEE_WORDS,
    MENTOR_WORDS,
    likeness,
    looks_like_name,
    spelling_of,
)

Role = Literal["mentor", "mentee"]

_SPELLINGS = 60
"""Distinct labels that are looked at; a transcript has two, and some misspelt."""

_DIRECTIVE = re.compile(
    r"(?i)\bi(?:[’']d| would) like (?:you|us)\b|\bi (?:want|need|expect) you\b|\bfrom now on\b|"
    r"\bgoing forward\b|\bplease\b|(?<!i[’']ll )\b(?:remember to|make sure)\b|\byour mentor\b|"
    r"\bwe (?:always|use|follow|add|start|end)\b|\bdon[’']t hesitate\b|\bfeel free\b|"
    r"\byou[’']re (?:very )?welcome\b|\bkeep (?:up|in mind)\b"
)
_PLEDGE = re.compile(
    r"(?i)\bi(?:[’']ll| will)\b|\bunderstood\b|\bgot it\b|\bnoted\b|\bthank(?:s| you)\b|"
    r"\bi[’']m excited\b|\byour (?:guidance|support|mentorship|advice|insights?)\b|\bshould i\b"
)


def roles_of(text: str, labels: Sequence[Label], mentor: str, mentee: str) -> Mapping[str, Role]:
    """The role of each label that is a speaker's; `mentor` and `mentee` are empty if not known.

    Where a name is not known, or nobody goes by it, the two most frequent labels are taken to be
    spelt right, and the mentor is who instructs. A label that is like neither is nobody's.
    """
    names = tuple(name for name in (mentor, mentee) if name)
    counts = _spelt(Counter(label.name for label in labels), names)
    heard = {name: _role_by_name(name, mentor, mentee) for name in counts}
    # Of two whose names are known nobody speaks, if only a single stranger seems to.
    if not (mentor and mentee and (any(heard.values()) or len(heard) < 2)):
        heard = _guessed(text, labels, counts, mentor, mentee)
    return {name: role for name, role in heard.items() if role}


def _spelt(counts: Counter[str], names: tuple[str, ...]) -> Counter[str]:
    """The names among the labels; of those that nobody is known by, the most frequent."""
    others = [
        (name, count)
        for name, count in counts.most_common()
        if name not in names and (looks_like_name(name) or spelling_of(name, names))
    ]
    return Counter({n: counts[n] for n in names if n in counts} | dict(others[:_SPELLINGS]))


def _role_by_name(label: str, mentor: str, mentee: str) -> Role | None:
    if label not in (mentor, mentee) and (role := _role_by_word(label)):
        return role
    found = spelling_of(label, tuple(name for name in (mentor, mentee) if name))
    if found is None:
        return None
    return "mentor" if found[0] == mentor else "mentee"


def _role_by_word(label: str) -> Role | None:
    word = label.casefold()
    if word in MENTOR_WORDS:
        return "mentor"
    return "mentee" if word in MENTEE_WORDS else None


def _guessed(
    text: str, labels: Sequence[Label], counts: Counter[str], mentor: str, mentee: str
) -> dict[str, Role | None]:
    main = _main_labels(counts, mentor)
    chief = _named_chief(main, mentor) or _likely_chief(text, labels, main, mentor, mentee)
    roles: dict[str, Role | None] = {}
    for name in counts:
        found = spelling_of(name, tuple(main))
        if found is None:
            roles[name] = _role_by_word(name)
        else:
            roles[name] = "mentor" if found[0] == chief else "mentee"
    return roles


def _main_labels(counts: Counter[str], mentor: str) -> list[str]:
    """The two speakers: the mentor or the most frequent label, and the next that is no misspelling
    of it."""
    ranked = sorted(counts.most_common(), key=lambda counted: counted[0] != mentor)
    if not ranked:
        return []
    (first, most), *others = ranked
    for name, count in others:
        if count > most / 2 or likeness(name, first) < ALIKE:
            return [first, name]
    return [first]


def _named_chief(main: list[str], mentor: str) -> str | None:
    """Which of the two goes by the word "mentor", or by the mentor's name."""
    by_word = [name for name in main if _role_by_word(name) == "mentor"]
    alike = [name for name in main if mentor and spelling_of(name, (mentor,))]
    alike.sort(key=lambda name: likeness(name, mentor), reverse=True)
    return next(iter([*by_word, *alike]), None)


def _likely_chief(
    text: str, labels: Sequence[Label], main: list[str], mentor: str, mentee: str
) -> str | None:
    """Who instructs most; None where the mentor's name is known and only somebody else speaks."""
    if len(mentor) > 1 and len(main) == 1:
        return None
    others = [name for name in main if _role_by_name(name, "", mentee) != "mentee"]
    return max(others, key=lambda name: _authority(text, labels, name), default=None)


def _authority(text: str, labels: Sequence[Label], name: str) -> int:
    """How much a speaker instructs, less how much they acknowledge."""
    score = 0
    ends = [label.start for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=True):
        if label.name == name:
            said = text[label.end : end]
            score += len(_DIRECTIVE.findall(said)) - len(_PLEDGE.findall(said))
    return score
