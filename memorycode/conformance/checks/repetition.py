"""The same again is the same again, and asking is not telling."""

from __future__ import annotations

import json

from memorycode.conformance.finding import ConformanceCheck
from memorycode.conformance.subject import Subject, passages_of
from memorycode.conformance.synthetic_dialogues import QUERIES
from memorycode.conformance.witness import (
    HASH_SEED,
    another_hash_seed,
    steady_recalls,
    witnessed,
)
from memorycode.errors import Fault
from memorycode.protocols import Recall


def _recall_twice(subject: Subject) -> str:
    playthrough = subject.start(subject.synthetic(31, 6).dialogue)
    playthrough.observe_all()
    for query in (*QUERIES, QUERIES[0]):
        first, second = (passages_of([playthrough.recall(query)]) for _ in range(2))
        if first != second:
            raise Fault(
                "asked the same again, with no session in between, it recalled something else"
            )
    return "asked twice, recalled twice the same"


def _recall_is_frozen(subject: Subject) -> str:
    playthrough = subject.start(subject.synthetic(32, 6).dialogue)
    for index in range(3):
        playthrough.observe(index)
    early = tuple(map(playthrough.handed_out, QUERIES))
    before = [_frozen(recall) for recall in early]
    for index in range(3, 6):
        playthrough.observe(index)
        playthrough.recalls()
    if [_frozen(recall) for recall in early] != before:
        raise Fault(
            "a recall that was handed out changed when later sessions came; hand out copies of "
            "lists and dictionaries that go on growing"
        )
    return "a recall after three sessions is the same after three more"


def _frozen(recall: Recall) -> tuple[object, ...]:
    passages = [(passage.text, passage.session) for passage in recall.passages]
    return passages, json.dumps(dict(recall.notes))


def _observe_after_recall(subject: Subject) -> str:
    dialogue = subject.synthetic(33, 9).dialogue
    quiet = passages_of(subject.start(dialogue).play())
    asked = subject.start(dialogue)
    for index in range(len(dialogue.sessions)):
        asked.observe(index)
        asked.recalls()
    if passages_of(asked.recalls()) != quiet:
        what = "asked after every session it recalled something else in the end than asked once"
        subject.blame_difference(dialogue, quiet, what)
    return "asked after every session or only at the end: the same in the end"


def _same_seed(subject: Subject) -> str:
    first, second = (passages_of(steady_recalls(subject)) for _ in range(2))
    if second != first:
        raise Fault(
            "played twice with the same seed it recalled different things; draw from context.rng "
            "alone"
        )
    if [list(recall) for recall in witnessed(subject).recalled] != first:
        raise Fault(
            f"a fresh process with {HASH_SEED}={another_hash_seed()} recalled something else; the "
            "order of a set, hash() of a text, and sys.argv differ from process to process"
        )
    return "twice here and in a fresh process: the same recall"


RECALL_TWICE = ConformanceCheck(
    "recall_twice", "the same question twice, with nothing in between", _recall_twice, compares=True
)
RECALL_IS_FROZEN = ConformanceCheck(
    "recall_is_frozen",
    "a recall is kept while three more sessions are observed",
    _recall_is_frozen,
    compares=True,
)
OBSERVE_AFTER_RECALL = ConformanceCheck(
    "observe_after_recall",
    f"{len(QUERIES)} questions after every session, beside none before the end",
    _observe_after_recall,
    compares=True,
)
SAME_SEED = ConformanceCheck(
    "same_seed",
    "the same dialogue with the same seed, twice here and in a process with another hash seed",
    _same_seed,
    compares=True,
)
