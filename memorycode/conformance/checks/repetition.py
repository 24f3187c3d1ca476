"""The same again is the same again, and asking is not telling."""

from __future__ import annotations

import json
import os
import subprocess

from memorycode.conformance.finding import ConformanceCheck
from memorycode.conformance.interpreter import end, start_python, tell
from memorycode.conformance.subject import Passages, Subject, passages_of
from memorycode.conformance.synthetic_dialogues import QUERIES, synthetic_dialogue
from memorycode.errors import Fault
from memorycode.protocols import Recall

STEADY_DIALOGUE = (30, 12)
"""Number and sessions of the dialogue that is played in several processes."""

_HASH_SEED = "PYTHONHASHSEED"


def _recall_twice(subject: Subject) -> str:
    playthrough = subject.start(synthetic_dialogue(31, 6).dialogue)
    playthrough.observe_all()
    for query in (*QUERIES, QUERIES[0]):
        first, second = (passages_of([playthrough.recall(query)]) for _ in range(2))
        if first != second:
            raise Fault(
                "asked the same again, with no session in between, it recalled something else"
            )
    return "asked twice, recalled twice the same"


def _recall_is_frozen(subject: Subject) -> str:
    playthrough = subject.start(synthetic_dialogue(32, 6).dialogue)
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
    dialogue = synthetic_dialogue(33, 9).dialogue
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
    another = "2" if os.environ.get(_HASH_SEED) == "1" else "1"
    fresh = start_python("memorycode.conformance.replay", **{_HASH_SEED: another})
    tell(fresh, subject.conditions.model_dump_json())
    try:
        first = passages_of(_steady(subject))
        if passages_of(_steady(subject)) != first:
            raise Fault(
                "played twice with the same seed it recalled different things; draw from "
                "context.rng alone"
            )
        if _read(fresh) != first:
            raise Fault(
                f"a fresh process with {_HASH_SEED}={another} recalled something else; the order "
                "of a set, or hash() of a text, differs from process to process"
            )
    finally:
        end(fresh)
    return "twice here and in a fresh process: the same recall"


def steady_recalls(subject: Subject) -> str:
    """What a fresh process prints: the passages recalled, as JSON."""
    return json.dumps(passages_of(_steady(subject)))


def _steady(subject: Subject) -> tuple[Recall, ...]:
    return subject.start(synthetic_dialogue(*STEADY_DIALOGUE).dialogue).play()


def _read(process: subprocess.Popen[str]) -> Passages:
    said, _ = process.communicate()
    if process.returncode:
        raise Fault(f"a fresh process ended with exit status {process.returncode}: {said.strip()}")
    return [[(text, session) for text, session in recall] for recall in json.loads(said)]


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
