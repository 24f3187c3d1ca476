"""In what mood something is said: told, wished, recalled, taken back, or given as an example."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memorycode.scoring.detection.claims import Mood, values
from memorycode.scoring.detection.phrases import Token

_FORCE = re.compile(
    r"(?i)\b(?:always|must|should|shall|needs? to|have to|has to|required?|ensure|make (?:it|sure)|"
    r"be sure|remember|don[’']t forget|do not forget|please|from (?:now|here) on|(?:going|moving) "
    r"forward|henceforth|want|(?:i|we)[’']d like|would like|i need|expect|importan(?:t|ce)|crucial|"
    r"essential|vital|critical|emphasi[sz]e|emphasis|insist|no (?:\w+ ){1,4}without|stress|"
    r"highlight|adopt|start|habit|accustomed|practices?|focus|consistent(?:ly)?|inclusion|"
    r"thing we do|never|standard|convention|rules?|guidelines?|polic(?:y|ies)|prefer|mandatory|"
    r"requirements?|(?:every|each|all(?: of)?(?: your| our| the)?) (?:new |python )?"
    r"(?:functions?|methods?|class(?:es)?)|we (?:also )?(?:use|add|include|follow|write|insist)|"
    r"keep|let[’']s|instruction)\b"
)
_IMPERATIVE = re.compile(
    r"(?i)(?:^|[,:;—–]|\band\b)\W*(?:(?:\w+ly|also|and|now|so|then|next|first|second|third|good|"
    r"great|excellent|perfect|okay|ok|yes|no|just|instead|plus|besides|again|in addition|"
    r"(?:for|when|before|after|as) \w+(?: \w+){0,3})\W+){0,3}"
    r"(?:add|include|use|write|start|begin|end|prefix|append|import|annotate|document|comment|"
    r"decorate|apply|implement|incorporate|employ|utili[sz]e|put|provide|give|name|leave|wrap|"
    r"have|insert|adopt|follow|do|keep|make|ensure|attach|place|mark|equip|precede|suffix)\b"
)
_DIRECT = re.compile(
    r"(?i)\b(?:always|must|should|ensure|make sure|be sure|remember|please|from (?:now|here) on|"
    r"(?:going|moving) forward|want (?:you|us|them)|[’']d like|would like|need (?:you|them)|"
    r"have to|needs? to|the (?:prefix|suffix|string) (?:is|should|will)|let[’']s|decided|"
    r"(?:we|i) (?:now |also |always |usually )?(?:prefer|like|use|want|start|end|add|include|"
    r"require|follow)|we(?:[’']ll| will)|they|each one|all of them)\b"
)
_PLEDGE = re.compile(
    r"(?i)\b(?:i[’']ll|i will|i[’']m going to|i[’']m planning to|i can|i could|i might|"
    r"i[’']ve been|i noticed|i tend)\b(?!.{0,40}\b(?:you|your|we|our)\b)"
)
_EXAMPLE = re.compile(
    r"(?i)\bfor (?:example|instance)\b|\be\.g\.|\blet[’']s say\b|\bsuppose\b|\bimagine\b|"
    r"\bin (?:java|javascript|typescript|kotlin|rust|c\+\+|c#)(?!\w)|\bsay you\b|"
    r"\bif (?:you|we|i)(?:[’']re|[’']ve|[’']d)?\b.{0,200}?"
    r"\b(?:would|could|might|you[’']d|it[’']d)\b"
)
_PAST = re.compile(
    r"(?i)\b(?:previously|formerly|originally|initially|in the past|used to|earlier|until now|"
    r"last (?:time|week|month|session)|remember (?:when|how|that|the|my|our)|"
    r"(?:i|we)(?:[’']ve|[’']d| had| have)? (?:previously |earlier |originally |initially )?"
    r"(?:asked|told|instructed|mentioned|said|requested|suggested|discussed|agreed|talked)|"
    r"(?:we|you|i)(?:[’']ve| have)? been (?:using|following|starting|ending|adding)|"
    r"(?:we|you) were (?:using|starting|ending|adding))\b"
)
_PAST_AFTER = re.compile(
    r"(?i)^[^,;]{0,60}\b(?:last (?:time|week|month|session|meeting)|previously|earlier)\b"
)
_PRESENT = re.compile(
    r"(?i)\b(?:now|from (?:now|here) on|(?:going|moving) forward|instead|update|henceforth|"
    r"today|new|change|but|want|[’']d like|please|need you)\b"
)
_RESTATES = re.compile(r"(?i)\b(?:as (?:i|we)|like (?:i|we)|always|still|continue|keep)\b")
_ENDED_AFTER = re.compile(
    r"(?i)^[^,;]{0,40}?\b(?:(?:are no longer|is no longer|are not|is not|aren[’']t|isn[’']t) "
    r"(?:needed|required|necessary|used|mandatory)|(?:are|is) (?:now )?(?:optional|dropped|"
    r"retired|obsolete|withdrawn|abolished)|no longer appl(?:y|ies)|can be dropped)\b"
)
_CONCESSION = re.compile(r"(?i)\b(?:if|when|whether|though|although|unless|where)\b")

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
    "decorate more any to be in for".split()
)
_EXCESS = frozenset(
    "excessive overly overdo overuse unnecessary redundant too always just only every than "
    "multiple several two".split()
)
_OBSERVED = frozenset({"noticed", "notice", "saw", "seen", "sometimes", "often", "occasionally"})
_BREAKS = frozenset(
    "but however instead unless though although yet remember ensure make sure please long "
    "once".split()
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
    start = tokens[min(since, at)].start
    opening, rest = text[start : tokens[at].start], text[tokens[at].end :]
    if _EXAMPLE.search(text, 0, tokens[at].start) and not _FORCE.search(opening):
        return "example"
    if _is_past(opening) or (_PAST_AFTER.search(rest) and not _PRESENT.search(text)):
        return "past"
    if _is_negated(tokens, since, at) or _is_ended(rest):
        return "withdrawn"
    return "holds"


def _is_past(opening: str) -> bool:
    """*I once asked you to …*, unless the present comes after it or it is told anew."""
    end = max((found.end() for found in _PAST.finditer(opening)), default=None)
    if end is None or _PRESENT.search(opening, end):
        return False
    return _RESTATES.search(opening) is None


def _is_ended(rest: str) -> bool:
    """Whether what follows takes it back: *… are no longer required*."""
    found = _ENDED_AFTER.search(rest)
    return found is not None and _CONCESSION.search(found[0]) is None


def _is_negated(tokens: Sequence[Token], since: int, at: int) -> bool:
    for back in range(at - 1, max(since, at - 8) - 1, -1):
        token = tokens[back]
        if token.value in _BREAKS or token.part == "stop" or _opens_anew(tokens, back):
            return False
        if token.value in _ENDINGS or token.value in _NOTS:
            before = values(tokens[max(0, back - 6) : back])
            if _OBSERVED & {*before} or "than" in values(tokens[at : at + 5]):
                return False  # "you sometimes skip …", "not more than …"
            return _takes_back(token.value, before, values(tokens[back + 1 : at + 1]))
    return False


def _opens_anew(tokens: Sequence[Token], at: int) -> bool:
    """*avoid linters and embrace assertions*: a verb of its own after *and*."""
    return tokens[at].value == "and" and tokens[at + 1].part in ("word", "verb", "contains")


def _takes_back(word: str, before: list[str], after: list[str]) -> bool:
    """Whether a negation takes a rule back, rather than stress it: *don't forget to*."""
    if word == "longer":
        return before[-1:] == ["no"]
    if word == "without":  # "never write a method without …"
        return not _NOTS & {*before}
    if before[-1:] in (["even"], ["if"]) or _EXCESS & {*after}:
        return False
    if word in _NOTS:
        return len(after) == 1 or after[0] in _DOING
    return not _NOTS & {*before[-2:]}
