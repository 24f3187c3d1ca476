"""Evidence for a rule in what mentor and mentee say: finer than whether the detector finds it.

A rule has a *topic* (its value, or the word for what must be present) and an object. A reader puts
the two together where the mentor says both in one sentence or in two that follow each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from memorycode.rules import Constraint, Rule
from memorycode.scoring.detection.moods import is_directive
from memorycode.transcripts import sentences_of, turns_in

_TOPICS = {
    "annotation": r"\bannotat|\btype[- ]hint",
    "docstring": r"\bdoc[- ]?strings?\b",
    "try": r"\btry\b",
    "assert": r"\bassert",
    "comment": r"\bcomment",
    "upper": r"\bupper[- ]?case|\bcapital",
    "camel": r"\b(?:camel|pascal)[- ]?case",
    "snake": r"\bsnake[- _]?case",
    "digit": r"\bdigit",
}
"""The words for what a check without a value of its own is about."""

_OBJECTS = {
    "function argument": r"argument|parameter",
    "function": r"function",
    "method": r"method",
    "class": r"class",
    "attribute": r"attribute",
    "variable": r"variable",
}
"""The nouns for an object, the longer name first."""

_ANNOTATIONS = re.compile(r"(?i)\bannotations?\b|\btype[- ]hint")
_OPTIONAL = re.compile(
    r"(?i)\b(?<!not )(?<!just )(?<!merely )(?<!only )optional\b|"
    r"\b(?:don[’']t|do not|needn[’']t) (?:worry about|bother)\b|\bno need to\b|"
    r"\b(?:not|no longer|isn[’']t|aren[’']t) (?:necessary|required|needed|mandatory)\b|"
    r"\bunnecessary\b"
)
_PAST = re.compile(
    r"(?i)\b(?:previously|earlier|formerly|last time|no longer|not any ?more|reverse|used to)\b"
)
_DROPPED = re.compile(rf"{_PAST.pattern}|\b(?:stop|quit|not) (?:us|writ|add)(?:e|ing)\b")
_ADDRESSED = re.compile(r"(?i)\b(?:you|your|yours|we|our|us)\b")
_OF_COMMENTS = re.compile(
    r"(?i)\bhash sign\b|\bremarks?\b|\byou(?:rself)? wr(?:ite|ote)\b|"
    r"\byour (?:\w+ )?(?:code|files?)\b"
)
"""What is said of comments without the word."""
_TOO_MUCH = re.compile(r"(?i)\btoo (?:much|many)\b|\bover-?comment|\bexcess|\boverdo|\bredundant\b")
_QUOTED = re.compile(r"(?<!\w)['\"`‘“]@?([^'\"`’”\n]{1,40}?)[,.]?['\"`’”]")
_USE = re.compile(r"(?i)\bus(?:e|ing)\b")
_CLAUSE_END = re.compile(r"[;:,]")
_SUFFIX_MISLED = re.compile(r"(?i)\b(?:start|begin|prefix)")
_PREFIX_MISLED = re.compile(r"(?i)\b(?:end|ending|append|suffix)\b")


class Talk:
    """The sentences of one session's text, by speaker."""

    def __init__(self, text: str, mentor: str, mentee: str) -> None:
        self._mentor_turns: list[list[str]] = []
        self._mentee: list[str] = []
        for turn in turns_in(text, mentor, mentee):
            said = [sentence.text for sentence in sentences_of(turn)]
            if turn.by_mentor:
                self._mentor_turns.append(said)
            else:
                self._mentee += said

    def states_whole(self, rule: Rule) -> bool:
        """Whether the mentor says topic and object together, as something to do."""
        if rule.constraint.kind == "name" and not self.mentor_names(rule):
            return False
        return any(
            is_directive(passage) and _speaks_of(passage, rule) for passage in self._passages
        )

    def says_both(self, rule: Rule) -> bool:
        """Whether the mentor says topic and object together, in whatever mood."""
        if rule.constraint.value and not self.mentor_names(rule):
            return False
        return any(_speaks_of(passage, rule) for passage in self._passages)

    def mentor_names(self, rule: Rule) -> bool:
        """Whether the mentor says the topic, of whatever object."""
        return _topic(rule).search(self._mentor) is not None

    def mentee_names(self, rule: Rule) -> bool:
        """Whether the mentee says the topic, of whatever object."""
        return any(map(_topic(rule).search, self._mentee))

    def annotations_named(self) -> bool:
        """Whether anyone calls annotations so; to *annotate* code may mean to comment on it."""
        return any(map(_ANNOTATIONS.search, (self._mentor, *self._mentee)))

    def makes_optional(self, rule: Rule) -> bool:
        """Whether the mentor leaves it to the mentee's judgement."""
        return any(
            _OPTIONAL.search(sentence) and not _TOO_MUCH.search(sentence)
            for sentence in self._mentor_on(rule)
        )

    def takes_back(self, rule: Rule) -> bool:
        """Whether the mentor speaks of it as a thing of the past."""
        return any(map(_PAST.search, self._mentor_on(rule)))

    def other_spelling(self, constraint: Constraint) -> str | None:
        """A quotation of the mentor's that is the value but for capitals, blanks or stops."""
        if constraint.kind not in ("prefix", "suffix", "contains", "name"):
            return None
        return next(
            (
                match[1]
                for match in _QUOTED.finditer(self._mentor)
                if match[1] != constraint.value and _alike(match[1], constraint.value)
            ),
            None,
        )

    def misleads(self, rule: Rule) -> bool:
        """Whether each *use '…'* of the affix has a word for the other end of a name."""
        kind = rule.constraint.kind
        wrong = {"prefix": _PREFIX_MISLED, "suffix": _SUFFIX_MISLED}.get(kind)
        clauses = [
            clause
            for sentence in self._mentor_on(rule)
            for clause in _CLAUSE_END.split(sentence)
            if _topic(rule).search(clause) and _USE.search(clause)
        ]
        return wrong is not None and bool(clauses) and all(map(wrong.search, clauses))

    def open_on(self, rule: Rule, others: Sequence[Rule]) -> list[str]:
        """The mentor's sentences on the rule's object that must mean something else than `others`.

        What is asked in words that nothing else explains may be asked by the rule.
        """
        spoken_of = _OF_COMMENTS if rule.object == "comment" else _noun(rule)
        found = []
        for turn in self._mentor_turns:
            for sentence, following in zip(turn, [*turn[1:], ""], strict=True):
                # "One of your methods is called 'x'. It should be 'q_x'": the value comes after.
                whole = sentence if spoken_of.search(following) else f"{sentence} {following}"
                if (
                    spoken_of.search(sentence)
                    and _ADDRESSED.search(sentence)
                    and not _DROPPED.search(sentence)
                    and not any(_speaks_of(whole, other) for other in others)
                ):
                    found.append(sentence)
        return found

    def likens(self, rule: Rule, others: Sequence[Rule]) -> bool:
        """Whether the mentor wants the object to be like another one: *as with our functions*."""
        if thing_of(rule) is None:
            return False
        return any(
            noun.search(sentence)
            for sentence in self.open_on(rule, others)
            for noun in _other_nouns(rule)
        )

    def _mentor_on(self, rule: Rule) -> list[str]:
        """The mentor's sentences with the rule's topic."""
        return [s for turn in self._mentor_turns for s in turn if _topic(rule).search(s)]

    @cached_property
    def _mentor(self) -> str:
        return "\n".join(" ".join(turn) for turn in self._mentor_turns)

    @cached_property
    def _passages(self) -> tuple[str, ...]:
        """Each sentence of the mentor's, and each two that follow each other in a turn."""
        return tuple(self._all_passages())

    def _all_passages(self) -> Iterator[str]:
        for turn in self._mentor_turns:
            yield from turn
            yield from (f"{first} {second}" for first, second in pairwise(turn))


def thing_of(rule: Rule) -> str | None:
    """What a rule speaks of: functions, for their names as for their docstrings; of comments and
    imports there is nothing more to say."""
    return next((name for name in _OBJECTS if rule.object.startswith(name)), None)


def _speaks_of(passage: str, rule: Rule) -> bool:
    """Whether topic and object are both in a passage."""
    constraint = rule.constraint
    if not _topic(rule).search(passage):
        decorators = constraint.kind == "name" and re.search(r"\bdecorators?\b", passage)
        if not decorators or "@" in passage:
            return False  # "two decorators for all functions" speaks for those named later
    if rule.object == "comment":
        return True
    if rule.object == "import":
        return "import" in passage
    return _noun(rule).search(passage) is not None


@lru_cache(maxsize=4096)
def _topic(rule: Rule) -> re.Pattern[str]:
    constraint = rule.constraint
    value = re.escape(constraint.value)
    values = {
        "prefix": rf"(?<!\w){value}",
        "suffix": rf"{value}(?!\w)",
        "name": rf"(?<!\w){value}(?!\w)",
        "contains": value,
    }
    if constraint.kind in values:
        return re.compile(values[constraint.kind])
    word = {"presence": rule.object.split()[-1], "case": constraint.value}
    return re.compile(f"(?i){_TOPICS[word.get(constraint.kind, 'digit')]}")


@lru_cache(maxsize=256)
def _noun(rule: Rule) -> re.Pattern[str]:
    """The object as a rule speaks of it: in the plural, or each one of them.

    *It counts function calls* speaks of no function in particular.
    """
    noun = _OBJECTS[thing_of(rule) or rule.object]
    return re.compile(
        rf"(?i)\b(?:{noun})(?:e?s\b|\W+(?:names?|naming)\b)|"
        rf"\b(?:each|every|any|new|a|an)\W+(?:python\W+)?(?:{noun})\b(?!\W+(?:or|call|signature))"
    )


@lru_cache(maxsize=256)
def _other_nouns(rule: Rule) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(rf"(?i)\b(?:{noun})(?:e?s\b|\W+names?\b)")
        for name, noun in _OBJECTS.items()
        if name != thing_of(rule)
    )


def _alike(quoted: str, value: str) -> bool:
    """The same letters in the same order, with no more than capitals, blanks or stops changed."""
    return _letters(quoted) == _letters(value) != ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()
