"""The things of code that a piece of English names.

Words that programmers use of Python, nothing else: no list of rules, of prefixes or of decorators
stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_THINGS: dict[str, str] = {
    "function": r"functions?",
    "method": r"methods?",
    "class": r"class(?:es)?",
    "variable": r"variables?",
    "constant": r"constants?",
    "attribute": r"attributes?|propert(?:y|ies)",
    "argument": r"arguments?|parameters?",
    "decorator": r"decorat(?:ors?|e[ds]?|ing)|@[^\W\d]\w*",
    "docstring": r"doc-?strings?|documentation\ strings?",
    "comment": r"comment(?:s|ed|ing)?",
    "annotation": r"annotat(?:ions?|ed?|es|ing)|type[- ]hint(?:s|ed|ing)?",
    "assertion": r"assert(?:s|ions?)?",
    "try": r"try['’\"]?[- /](?:except|catch|finally|statement|block|clause)(?:s|ion)?",
    "import": r"import(?:s|ed|ing)?|modules?|librar(?:y|ies)|packages?",
    "test": r"unit\ tests?|doctests?",
    "logging": r"logging|log\ statements?",
}
_THING = re.compile(
    r"(?<![\w@])(?:" + "|".join(f"(?P<{k}>{v})" for k, v in _THINGS.items()) + r")(?!\w)",
    re.IGNORECASE | re.VERBOSE,
)
FEATURES = frozenset(
    "decorator docstring comment annotation assertion try import test logging".split()
)
"""Things that code has or lacks; all others have names."""

_ALSO_VARIABLES = frozenset({"argument", "attribute", "constant"})

_OWNER_BEFORE = re.compile(r"['’]?s?\s+(?:names?\s+)?", re.IGNORECASE)
_OWNER_BEHIND = re.compile(
    r"(?:\s+names?)?\s+(?:of|in|within|inside|for|on|to)\s+(?:[\w-]+\s+){0,3}", re.IGNORECASE
)
_ALSO = re.compile(r"\s*(?:names?\s*)?(?:,|and|or|,\s*and|&)\s*(?:[\w-]+\s+){0,2}", re.IGNORECASE)


class Mention(NamedTuple):
    """A thing in a text, from `start` to `end`."""

    thing: str
    start: int
    end: int

    @property
    def is_feature(self) -> bool:
        return self.thing in FEATURES


def mentions(text: str) -> list[Mention]:
    """The things that a text names; of "argument names of functions" the arguments alone."""
    found = [Mention(str(m.lastgroup), m.start(), m.end()) for m in _THING.finditer(text)]
    if any(mention.thing == "decorator" for mention in found):  # "… from the module 'tracing'"
        found = [mention for mention in found if mention.thing != "import"]
    kept: list[Mention] = []
    owners = False  # what follows belongs to a thing named before, as its owner
    for place, named in enumerate(found):
        mention = named
        if place:
            before = found[place - 1]
            gap = text[before.end : mention.start]
            if _OWNER_BEFORE.fullmatch(gap) and is_general_word([named], [before]):
                continue
            is_owned = not mention.is_feature and bool(_OWNER_BEFORE.fullmatch(gap))
            if kept and before.end == kept[-1].end and is_owned:
                mention = mention._replace(start=kept.pop().start)
            owners = bool(
                (_OWNER_BEHIND.fullmatch(gap) and not before.is_feature)
                or (owners and _ALSO.fullmatch(gap))
            )
        if not owners:
            kept.append(mention)
    return kept


def heading(things: Iterable[str]) -> str:
    """The names of things as a heading for what says "they" or "the names"."""
    return f"For {' and '.join(dict.fromkeys(things))} names:"


def is_general_word(about: list[Mention], named: list[Mention]) -> bool:
    """Whether "variable" is just another word for what was named: an argument, an attribute."""
    special = any(thing.thing in _ALSO_VARIABLES for thing in named)
    return special and all(thing.thing == "variable" for thing in about)
