"""What one sentence claims about code: a topic, a value, objects, and in what mood.

A *claim* is a rule or a part of one. `naming` and `presence` read claims out of a sentence;
`detection` puts parts together and decides what holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from memorycode.scoring.phrases import Token

Topic = Literal[
    "prefix", "suffix", "contains", "digit", "case",
    "annotation", "try", "assert", "docstring", "comment", "decorator", "import",
]  # fmt: skip
NAMING: frozenset[str] = frozenset({"prefix", "suffix", "contains", "digit", "case"})

Mood = Literal["holds", "withdrawn", "past", "example"]


class Claim(NamedTuple):
    """Offsets are into the sentence; `objects` is empty where the sentence names none.

    `implied` marks a paraphrase: the value is spelt out in words or the place has to be inferred.
    """

    topic: Topic
    value: str
    objects: tuple[str, ...]
    start: int
    end: int
    mood: Mood = "holds"
    implied: bool = False
    forceful: bool = True


class Group(NamedTuple):
    """Objects joined by *and*, *or* or commas; `first` and `last` count tokens."""

    kinds: tuple[str, ...]
    first: int
    last: int
    named: bool


_FORCE = re.compile(
    r"(?i)\b(?:always|must|should|shall|needs? to|have to|has to|required?|ensure|make (?:it|sure)|"
    r"be sure|remember|don[’']t forget|do not forget|please|from (?:now|here) on|(?:going|moving) "
    r"forward|henceforth|want|(?:i|we)[’']d like|would like|i need|expect|importan(?:t|ce)|crucial|"
    r"essential|vital|critical|emphasi[sz]e|emphasis|insist|stress|highlight|adopt|start|habit|"
    r"accustomed|practices?|focus|consistent(?:ly)?|inclusion|thing we do|never|"
    r"standard|convention|rules?|guidelines?|polic(?:y|ies)|prefer|mandatory|requirements?|"
    r"we (?:also )?(?:use|add|include|follow|write|insist)|never skip|keep|let[’']s|instruction)\b"
)
_IMPERATIVE = re.compile(
    r"(?i)(?:^|[,:;—–]|\band\b)\W*(?:(?:\w+ly|also|and|now|so|then|next|first|second|third|good|great|"
    r"excellent|perfect|okay|ok|yes|no|just|instead|plus|besides|again|in addition|(?:for|when|"
    r"before|after|as) \w+(?: \w+){0,3})\W+){0,3}"
    r"(?:add|include|use|write|start|begin|end|prefix|append|import|annotate|document|comment|"
    r"decorate|apply|implement|incorporate|employ|utili[sz]e|put|provide|give|name|leave|wrap|"
    r"have|insert|adopt|follow|do|keep|make|ensure|attach|place|mark|equip|precede|suffix)\b"
)
_DIRECT = re.compile(
    r"(?i)\b(?:always|must|should|ensure|make sure|be sure|remember|please|from (?:now|here) on|"
    r"(?:going|moving) forward|want (?:you|us|them)|[’']d like|would like|need (?:you|them)|have to|"
    r"needs? to|the (?:prefix|suffix|string) (?:is|should|will)|let[’']s|decided|"
    r"(?:we|i) (?:now |also |always |usually )?(?:prefer|like|use|want|start|end|add|include|require|"
    r"follow)|we(?:[’']ll| will))\b"
)
_PLEDGE = re.compile(
    r"(?i)\b(?:i[’']ll|i will|i[’']m going to|i[’']m planning to|i can|i could|i might|i[’']ve been|"
    r"i noticed|i tend)\b(?!.{0,40}\b(?:you|your|we|our)\b)"
)
_EXAMPLE = re.compile(
    r"(?i)\bfor (?:example|instance)\b|\be\.g\.|\blet[’']s say\b|\bsuppose\b|\bimagine\b|"
    r"\bsay you\b|\bif (?:you|we|i)(?:[’']re|[’']ve|[’']d)?\b.{0,200}?\b(?:would|could|might|you[’']d|it[’']d)\b"
)
_PAST_WORDS = re.compile(
    r"(?i)\b(?:previously|formerly|originally|initially|in the past|last (?:time|week|month|session)|"
    r"used to|(?:i|we)(?:[’']ve|[’']d| had| have)? (?:previously |earlier |originally |initially )?"
    r"(?:asked|told|instructed|mentioned|said|requested|suggested|discussed|agreed|talked)|"
    r"remember (?:when|how|that|the|my|our)|earlier|until now|"
    r"(?:we|you|i)(?:[’']ve| have)? been (?:using|following|starting|ending|adding)|"
    r"(?:we|you) were (?:using|starting|ending|adding))\b"
)
_PRESENT = re.compile(
    r"(?i)\b(?:now|from (?:now|here) on|(?:going|moving) forward|instead|update|henceforth|"
    r"today|new|change|but)\b"
)
_RESTATES = re.compile(r"(?i)\b(?:as (?:i|we)|like (?:i|we)|always|still|continue|keep)\b")
_NEGATIONS = frozenset(
    "not no never don't doesn't needn't won't shouldn't stop drop remove removing avoid without "
    "abandon discontinue disregard ditch scrap retire forget cease skip omit longer mustn't "
    "isn't aren't cancel revoke withdraw".split()
)
_BREAKS = frozenset({"but", ";", "however", "instead", "unless", "though", "although", "yet"})


def is_forceful(text: str) -> bool:
    """Whether the sentence obliges: a duty, a wish, an imperative or a custom of the house."""
    return bool(_FORCE.search(text) or _IMPERATIVE.search(text))


def is_directive(text: str) -> bool:
    """Whether the sentence tells someone to do something, rather than explains it."""
    return bool(_DIRECT.search(text) or _IMPERATIVE.search(text))


def is_pledge(text: str) -> bool:
    """Whether the speaker speaks of their own doings only."""
    return _PLEDGE.search(text) is not None


def mood_of(text: str, tokens: Sequence[Token], since: int, at: int) -> Mood:
    """The mood of what token `at` opens; tokens before `since` belong to an earlier claim."""
    opening = text[tokens[since].start if since < len(tokens) else 0 : tokens[at].start]
    if _EXAMPLE.search(text, 0, tokens[at].start) and not _FORCE.search(opening):
        return "example"
    past = None
    for past in _PAST_WORDS.finditer(opening):
        pass
    if past and not _PRESENT.search(opening, past.end()) and not _RESTATES.search(opening):
        return "past"
    return "withdrawn" if _is_negated(tokens, since, at) else "holds"


def _is_negated(tokens: Sequence[Token], since: int, at: int) -> bool:
    for back in range(at - 1, max(since, at - 8) - 1, -1):
        word = tokens[back].value
        if word in _BREAKS:
            return False
        if word in _NEGATIONS:
            following = tokens[back + 1].value if back + 1 < len(tokens) else ""
            kept = word in ("don't", "never", "not", "no") and following in (
                "forget", "hesitate", "always", "skip", "just", "only", "matter", "omit", "about", "stop",
            )  # fmt: skip
            before = tokens[back - 1].value if back else ""
            return not kept and before not in ("don't", "never", "not", "even", "if")
    return False


_LINKS = frozenset({"and", "or", ",", "&", "/", "both", "as", "well", "your", "our", "all", "the"})


def groups_of(tokens: Sequence[Token]) -> list[Group]:
    """The objects of a sentence, those joined together as one group."""
    groups: list[Group] = []
    for at, token in enumerate(tokens):
        if token.part != "object" or is_modifier(tokens, at):
            continue
        named = token.named or _names_of(tokens, at)
        last = groups[-1] if groups else None
        if last and _linked(tokens, last.last, at):
            kinds = last.kinds if token.value in last.kinds else (*last.kinds, token.value)
            groups[-1] = Group(kinds, last.first, at, last.named or named)
        else:
            groups.append(Group((token.value,), at, at, named))
    return groups


def is_modifier(tokens: Sequence[Token], at: int) -> bool:
    """*function annotations*: the object belongs to the word after it alone."""
    return at + 1 < len(tokens) and tokens[at + 1].part == "concept"


def _linked(tokens: Sequence[Token], left: int, right: int) -> bool:
    between = [token.value for token in tokens[left + 1 : right]]
    return (
        0 < len(between) <= 5
        and all(word in _LINKS for word in between)
        and any(word in ("and", "or", "&", "/", "well", ",") for word in between)
    )


def _names_of(tokens: Sequence[Token], at: int) -> bool:
    """*the names of all functions*, *naming your methods*."""
    for back in range(at - 1, max(-1, at - 6), -1):
        token = tokens[back]
        if token.part == "name":
            return True
        if token.value not in ("of", "for", "your", "the", "all", "our", "any", "each", "every",
                               "new", "python", "a"):  # fmt: skip
            return False
    return False
