"""Is it a strategy, and does it hand back a recall? Without that there is nothing to check."""

from __future__ import annotations

from memorycode.conformance.finding import ConformanceCheck
from memorycode.conformance.subject import Subject, passages_of
from memorycode.errors import Fault, NotApplicable


def _builds(subject: Subject) -> str:
    first, second = (subject.start(subject.synthetic(1, 1).dialogue).strategy for _ in range(2))
    if first is second:
        raise Fault(
            "the factory handed out the same object twice; it must build a fresh one per dialogue"
        )
    if first.oracle != second.oracle:
        raise Fault(f"oracle was {first.oracle} and is {second.oracle} in the next instance")
    mark = "an oracle" if first.oracle else "no oracle"
    return f"{type(first).__name__}, {mark}, ask_after {first.ask_after!r}"


_TALKS = range(60, 66)
"""Dialogues in other words each, with other names and quotation marks."""


def _valid_recall(subject: Subject) -> str:
    recalls = subject.start(subject.synthetic(2, 6).dialogue).play()
    for passage in (passage for recall in recalls for passage in recall.passages):
        if not (passage.session is None or type(passage.session) is int):
            raise Fault(f"a passage's session is {passage.session!r}, want an index or None")
    counts = " and ".join(str(len(passages)) for passages in passages_of(recalls))
    return f"a Recall for each of two queries, of {counts} passages"


def _recalls_something(subject: Subject) -> str:
    if subject.recalls_nothing:
        raise NotApplicable("its class says recalls_nothing")
    recalled = [_recalls_of(subject, number) for number in _TALKS]
    if not any(recalled):
        raise Fault(
            f"nothing was recalled in {len(_TALKS)} dialogues: there is nothing to compare. "
            "Where that is meant, the class says recalls_nothing = True"
        )
    return f"something in {sum(recalled)} of {len(_TALKS)} dialogues"


def _recalls_of(subject: Subject, number: int) -> bool:
    """Whether anything is recalled of the kit's dialogue of that number."""
    recalls = subject.start(subject.synthetic(number, 8).dialogue).play()
    return any(recall.text.strip() for recall in recalls)


BUILDS = ConformanceCheck(
    "builds",
    "two instances are built; they are two, and oracle and ask_after are as they must be",
    _builds,
    essential=True,
)
VALID_RECALL = ConformanceCheck(
    "valid_recall",
    "after six sessions recall() returns a Recall of Passages, its notes are JSON",
    _valid_recall,
    essential=True,
)
RECALLS_SOMETHING = ConformanceCheck(
    "recalls_something",
    f"{len(_TALKS)} dialogues, each in other words: something is recalled of one at least",
    _recalls_something,
)
