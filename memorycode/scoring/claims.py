"""What one sentence claims about code: a topic, a value, objects, and in what mood.

A *claim* is a rule or a part of one. `naming` and `presence` read claims out of a sentence;
`detection` puts parts together and decides what holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from memorycode.scoring.phrases import Token

Topic = Literal[
    "prefix", "suffix", "contains", "digit", "case",
    "annotation", "try", "assert", "docstring", "comment", "decorator", "import",
]  # fmt: skip
NAMING: frozenset[str] = frozenset({"prefix", "suffix", "contains", "digit", "case"})

MOST_CLAIMS = 12
"""Claims of one kind that are looked for in one sentence, so that all work on it is bounded."""

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
    topical: bool = False
    """Whether the sentence is about them: their names, or *about methods*."""


_FORCE = re.compile(
    r"(?i)\b(?:always|must|should|shall|needs? to|have to|has to|required?|ensure|make (?:it|sure)|"
    r"be sure|remember|don[’']t forget|do not forget|please|from (?:now|here) on|(?:going|moving) "
    r"forward|henceforth|want|(?:i|we)[’']d like|would like|i need|expect|importan(?:t|ce)|crucial|"
    r"essential|vital|critical|emphasi[sz]e|emphasis|insist|no (?:\w+ ){1,4}without|stress|highlight|adopt|start|habit|"
    r"accustomed|practices?|focus|consistent(?:ly)?|inclusion|thing we do|never|"
    r"standard|convention|rules?|guidelines?|polic(?:y|ies)|prefer|mandatory|requirements?|"
    r"(?:every|each|all(?: of)?(?: your| our| the)?) (?:new |python )?(?:functions?|methods?|class(?:es)?)|"
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
    r"follow)|we(?:[’']ll| will)|they|each one|all of them)\b"
)
_PLEDGE = re.compile(
    r"(?i)\b(?:i[’']ll|i will|i[’']m going to|i[’']m planning to|i can|i could|i might|i[’']ve been|"
    r"i noticed|i tend)\b(?!.{0,40}\b(?:you|your|we|our)\b)"
)
_EXAMPLE = re.compile(
    r"(?i)\bfor (?:example|instance)\b|\bin (?:java|javascript|typescript|kotlin|rust|c\+\+|c#)(?!\w)|\be\.g\.|\blet[’']s say\b|\bsuppose\b|\bimagine\b|"
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
    r"today|new|change|but|want|[’']d like|please|need you)\b"
)
_PAST_AFTER = re.compile(
    r"(?i)^[^,;]{0,60}\b(?:last (?:time|week|month|session|meeting)|previously|earlier)\b"
)
_RESTATES = re.compile(r"(?i)\b(?:as (?:i|we)|like (?:i|we)|always|still|continue|keep)\b")
_BREAKS = frozenset(
    "but however instead unless though although yet remember ensure make sure please long once".split()
)


def is_forceful(text: str) -> bool:
    """Whether the sentence obliges: a duty, a wish, an imperative or a custom of the house."""
    return bool(_FORCE.search(text) or _IMPERATIVE.search(text))


@lru_cache(maxsize=8192)
def is_directive(text: str) -> bool:
    """Whether the sentence tells someone to do something, rather than explains it."""
    return bool(_DIRECT.search(text) or _IMPERATIVE.search(text))


@lru_cache(maxsize=8192)
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
    if _PAST_AFTER.search(text[tokens[at].end :]) and not _PRESENT.search(text):
        return "past"
    if _is_negated(tokens, since, at) or ends_later(text[tokens[at].end :]):
        return "withdrawn"
    return "holds"


def _is_negated(tokens: Sequence[Token], since: int, at: int) -> bool:
    for back in range(at - 1, max(since, at - 8) - 1, -1):
        token = tokens[back]
        if token.value in _BREAKS or token.part == "stop" or _opens_anew(tokens, back):
            return False
        if token.value in _ENDINGS or token.value in _NOTS:
            before = [earlier.value for earlier in tokens[max(0, back - 6) : back]]
            if _OBSERVED & {*before} or "than" in [t.value for t in tokens[at : at + 5]]:
                return False  # "you sometimes skip …", "not more than …"
            return _ends(token.value, before, [later.value for later in tokens[back + 1 : at + 1]])
    return False


def _opens_anew(tokens: Sequence[Token], at: int) -> bool:
    """*avoid linters and embrace assertions*: a verb of its own after *and*."""
    return tokens[at].value == "and" and tokens[at + 1].part in ("word", "verb", "contains")


def _ends(word: str, before: list[str], after: list[str]) -> bool:
    """Whether a negation takes a rule back, rather than stress it: *don't forget to*."""
    if word == "longer":
        return before[-1:] == ["no"]
    if word == "without":  # "never write a method without …"
        return not any(earlier in _NOTS for earlier in before)
    if before[-1:] in (["even"], ["if"]) or any(later in _EXCESS for later in after):
        return False
    if word in _NOTS:
        return len(after) == 1 or after[0] in _DOING
    return not any(earlier in _NOTS for earlier in before[-2:])


_OBSERVED = frozenset({"noticed", "notice", "saw", "seen", "sometimes", "often", "occasionally"})
_NOTS = frozenset(
    "don't doesn't never not no needn't won't shouldn't mustn't isn't aren't cannot".split()
)
_ENDINGS = frozenset(
    "longer stop stopped drop dropping dropped remove removing avoid avoiding without abandon "
    "abandoning discontinue disregard ditch scrap retire forget forgetting cease skip omit cancel "
    "revoke withdraw".split()
)
_DOING = frozenset(
    "use using add adding include including start starting begin end ending prefix suffix append "
    "import write put need have want require expect apply name follow contain annotate comment "
    "decorate more any need to be in for".split()
)
_EXCESS = frozenset(
    "excessive overly overdo overuse unnecessary redundant too always just only every than multiple "
    "several two".split()
)


_LATER_END = re.compile(
    r"(?i)^[^,;]{0,40}?\b(?:(?:are|is|aren[’']t|isn[’']t) (?:no longer |not )?"
    r"(?:needed|required|necessary|used|mandatory|optional|dropped|retired|obsolete|withdrawn|"
    r"abolished)|no longer appl(?:y|ies)|can be dropped)\b"
)
_CONCESSION = re.compile(r"(?i)\b(?:if|when|whether|though|although|unless|where)\b")


def ends_later(text: str) -> bool:
    """Whether what follows a claim takes it back: *… are no longer required*."""
    found = _LATER_END.search(text)
    if found is None or _CONCESSION.search(found[0]):
        return False
    gone = re.search(r"(?i)\b(?:no|not|aren[’']t|isn[’']t|optional|dropped|retired|obsolete|"
                     r"withdrawn|abolished)\b", found[0])  # fmt: skip
    return gone is not None


_LINKS = frozenset({"and", "or", ",", "&", "/", "both", "as", "well", "your", "our", "all", "the"})


def groups_of(tokens: Sequence[Token]) -> list[Group]:
    """The objects of a sentence, those joined together as one group."""
    runs: list[list[int]] = []
    for at, token in enumerate(tokens):
        if token.part != "object" or is_modifier(tokens, at):
            continue
        if runs and _linked(tokens, runs[-1][-1], at):
            runs[-1].append(at)
        else:
            runs.append([at])
    return [group for run in runs for group in _grouped(tokens, run)]


def _grouped(tokens: Sequence[Token], run: list[int]) -> list[Group]:
    """A run of objects as one group, or as several where only commas part them."""
    words = {token.value for token in tokens[run[0] : run[-1]]}
    parts = [run] if words & {"and", "or", "&", "/", "well"} else [[at] for at in run]
    return [
        Group(
            tuple(dict.fromkeys(tokens[at].value for at in part)),
            part[0],
            part[-1],
            named := any(tokens[at].named or _names_of(tokens, at) for at in part),
            named or (part[0] > 0 and tokens[part[0] - 1].value in _ABOUT),
        )
        for part in parts
    ]


_ABOUT = frozenset({"about", "regarding", "concerning"})


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
