"""What a piece of English lays down: which things of code it is about, and which aspect of them.

Two guidelines about the same are versions of each other. The words, like those of the modules
beside this one, were tried on the published data: a score there is not one on unseen data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memory_strategies.ledgers.code_objects import FEATURES, Mention, mentions

_OWNED = frozenset("decorator docstring annotation assertion try".split())
"""Features that functions have apart from methods, and classes from both."""

_QUOTED = r"(?<!\w)['\"‘“`](?P<quoted>[^\s'\"’”`][^'\"’”`\n]{0,40})['\"’”`](?!\w)"
_VALUE = re.compile(rf"{_QUOTED}|(?<!\w)@[\w.]+|(?<![\w'])_\w+|(?<!\w)\w+_(?!\w)")
_NAME = re.compile(r"@?([^\W\d]\w*)")

_NOT_FROM_NOW = r"(?!\s+(?:today|now|from|this|next|immediately|tomorrow|to|by|on|\w+ing)\b)"
_WITH = r"(?=.{0,90}?(?:\b(?:with|in|by)\b|\s['\"‘“`]))"
_ASPECTS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for name, pattern in {
        "start": rf"\b(?:start|begin|beginn)(?:s|ing)?\b{_NOT_FROM_NOW}{_WITH}"
        r"|\b(?:prefix|prefac|prepend|preced)\w*|\bleading\b|\bin\ front\b|\bat\ the\ start\b",
        "end": rf"\b(?:end|finish|terminat|conclud|clos)(?:e?s|e|ing)?\b{_WITH}"
        r"|\bsuffix\w*|\bappend\w*|\btrailing\b|\bat\ the\ end\b",
        "digit": r"\b(?:digits?|numerals?)\b|\b(?:a|one|single)\ number\b",
        "case": r"\b(?:snake|camel|pascal|kebab|upper|lower|title)[-_\ ]?cased?\b"
        r"|\bcapital(?:s\b|i[sz]ed|\ letters?)|\bcapwords\b|\ball[- ]caps\b",
        "contain": r"\b(?:contain|includ|incorporat|insert|embed|featur|add|us)(?:e?s|e|ed|ing)?\b"
        r"|\b(?:have|has|put|inclusion|somewhere|within|inside)\b",
    }.items()
}
_SAID_WITHOUT_VALUE = ("digit", "case")

_GIVES = re.compile(
    r"""\b(?:add|includ|us|writ|provid|contain|implement|incorporat|insert|appl[yi]|employ|plac|wrap
        |accompan[yi]|giv|requir|equip|get|need|carr[yi]|bear|see|enforc|utili[sz]|practic|practis)
        (?:e?s|e|y|ing)?\b | \b(?:inclusion|importance|usage)\ of\b
        | \b(?:have|has|having|put|with|import|decorate|annotate|comment)\b
        | \b(?:must|should|shall)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_GIVEN = re.compile(
    r"\b(?:included|added|used|present|required|mandatory|written|provided|needed|applied)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"""\b(?:avoid|never|not|don['’]t|no|without|stop|omit|skip|leave\ out|refrain\ from)
        \s+(?:(?:us|add|writ|includ|put|any|the|your|all|more|further|a|an|have|having)\w*\s+){0,4}$""",
    re.IGNORECASE | re.VERBOSE,
)
_AS_VERB = re.compile(r"\b(?:to|always|must|should|please|and)\s+$", re.IGNORECASE)
_QUALITY = re.compile(r"\s+(?:statements?\s+|blocks?\s+)?(?:is|are|be|stay|remain)\b(?!\s+\w+ed\b)")


class Topic(NamedTuple):
    """What one guideline is about: two with the same topic are versions of each other.

    `aspect` is ``start``, ``end``, ``contain``, ``digit`` or ``case`` of the thing's name; for what
    code has or lacks it is the name of it, if it goes by one, and `owner` says where it goes.
    """

    thing: str
    aspect: str
    owner: str = ""

    @property
    def is_about_names(self) -> bool:
        return self.thing not in FEATURES

    @property
    def says_name(self) -> bool:
        """Whether it is about names, or about something that goes by one."""
        return self.is_about_names or bool(self.aspect)

    @property
    def is_precise(self) -> bool:
        """Whether it is about one aspect of a name; features have but one."""
        return not self.is_about_names or bool(self.aspect)

    @property
    def lacks_owner(self) -> bool:
        return self.thing in _OWNED and not self.owner

    def covers(self, other: Topic) -> bool:
        """Whether taking this back takes the other back too: what it leaves open is any."""
        return self.thing == other.thing and all(
            mine in ("", its)
            for mine, its in ((self.aspect, other.aspect), (self.owner, other.owner))
        )


def values_in(text: str) -> list[slice]:
    """Where in a text something stands in quotes, or looks like part of a name."""
    return [slice(*match.span()) for match in _VALUE.finditer(text)]


def has_value(text: str) -> bool:
    """Whether something stands in quotes, or looks like part of a name."""
    return _VALUE.search(text) is not None


def is_complete(topic: Topic, text: str) -> bool:
    """Whether a text says what the aspect of a name is to be, or which module is meant."""
    if topic.thing == "import":
        return bool(topic.aspect)
    return not topic.is_about_names or topic.aspect in _SAID_WITHOUT_VALUE or has_value(text)


def topics_of(text: str, found: list[Mention]) -> Iterator[Topic]:
    """What a text lays down about the things found in it."""
    features = [mention for mention in found if mention.is_feature]
    aspect = _aspect_of_name(text)
    for feature in features:
        if _is_laid_down(text, feature):
            yield from _of_feature(feature, text, found)
    if aspect and not features:
        yield from (Topic(mention.thing, aspect) for mention in found)


def topics_released(text: str, found: list[Mention]) -> Iterator[Topic]:
    """What a text takes back: every aspect of a thing's name, unless it says which."""
    features = [mention for mention in found if mention.is_feature]
    for feature in features:
        if not _QUALITY.match(text[feature.end :]):
            yield from _of_feature(feature, text, found)
    if not features:
        yield from (Topic(mention.thing, _aspect_of_name(text) or "") for mention in found)


def gist_of(topic: Topic, text: str) -> frozenset[str]:
    """What a text says of a topic, whatever its words: the values of a name's aspect, or whether
    the code is to have something or not."""
    if not topic.is_about_names:
        features = [thing for thing in mentions(text) if thing.is_feature]
        denied = any(_DENIES.search(text[: thing.start]) for thing in features)
        return frozenset({"without" if denied else "with"})
    pattern = _ASPECTS["case"] if topic.aspect == "case" else _VALUE
    return frozenset(match[0].lower() for match in pattern.finditer(text))


def _of_feature(feature: Mention, text: str, found: list[Mention]) -> Iterator[Topic]:
    owners = [mention.thing for mention in found if not mention.is_feature]
    for owner in owners if feature.thing in _OWNED and owners else [""]:
        yield from (Topic(feature.thing, name, owner) for name in _names_of(feature.thing, text))


def _aspect_of_name(text: str) -> str | None:
    """The part of a name that a text is about: the one said last before its value."""
    value = _VALUE.search(text)
    found = [
        (match.start(), aspect)
        for aspect, pattern in _ASPECTS.items()
        if value or aspect != "contain"
        for match in pattern.finditer(text)
    ]
    plain = ("contain",) if value else ("start", "end")  # where a digit is to be, or a capital
    precise = [item for item in found if item[1] not in plain] or found
    before = [item for item in precise if value is None or item[0] < value.start()]
    return max(before)[1] if before else min(precise, default=(0, None))[1]


def _is_laid_down(text: str, feature: Mention) -> bool:
    """Whether the text is about having the feature or not, and not about what it should be like."""
    before, behind = text[: feature.start], text[feature.end :]
    if _QUALITY.match(behind):
        return False
    return bool(
        _GIVES.search(before)
        or _DENIES.search(before)
        or _GIVEN.search(behind[:60])
        or _AS_VERB.search(before)
        or (before.strip() and text[feature.start : feature.end].lower().endswith(("ed", "ing")))
        or _names_of(feature.thing, text) != [""]
    )


def _names_of(feature: str, text: str) -> list[str]:
    """The decorators' or modules' names, if there are any; a decorator's module does not count."""
    if feature not in ("decorator", "import"):
        return [""]
    values = [match["quoted"] or match[0] for match in _VALUE.finditer(text)]
    if feature == "decorator":
        values = [value for value in values if value.startswith("@")] or values[:1]
    return [name[1] for value in values if (name := _NAME.match(value))] or [""]
