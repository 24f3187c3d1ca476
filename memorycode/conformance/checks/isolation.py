"""Nothing reaches a recall that the strategy was not shown."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from memorycode.conformance.finding import ConformanceCheck
from memorycode.conformance.subject import Passages, Subject, everything_in, passages_of
from memorycode.conformance.synthetic_dialogues import (
    QUERIES,
    SyntheticDialogue,
    marks_in,
)
from memorycode.dialogue import AskAfter, Dialogue, Instruction
from memorycode.errors import Fault, ModelError, NotApplicable
from memorycode.protocols import Recall
from memorycode.rules import Constraint, rule_from
from memorycode.running.episode import PreparedPrompt
from memorycode.running.plan import Question, plan_episodes

_THREADS = 8
_LABELLED, _ASKED_ON_THE_WAY = range(71, 75), range(75, 77)
"""Dialogues of other people and companies each, for strategies that look at some alone."""

_REACHED = "the labels are for oracles (oracle = True) alone"
_PATIENCE = 3600.0
"""Seconds to wait for the other threads: the kit ends a check that hangs long before."""


# ── between dialogues ─────────────────────────────────────────────────────────────────────────


def _no_bleed(subject: Subject) -> str:
    other, own = subject.synthetic(10, 8), subject.synthetic(14, 8, people_of=10)

    def look(recalls: Sequence[Recall], how: str) -> Passages:
        for mark, number in marks_in(everything_in(recalls)):
            if number != own.dialogue.number:
                raise Fault(f"a dialogue played {how} recalled {mark!r}, said in another dialogue")
        return passages_of(recalls)

    alone = look(subject.start(own.dialogue).play(), "on its own")
    subject.start(other.dialogue).play()
    plays = {"after another": subject.start(own.dialogue).play}
    plays["in turns with another"] = lambda: _in_turns(subject, own, other)
    for how, play in plays.items():
        if look(play(), how) != alone:
            what = f"a dialogue played {how} recalled something else than alone"
            subject.blame_difference(own.dialogue, alone, what)
    return "a dialogue alone, after another and in turns with another: the same recall"


def _in_turns(
    subject: Subject, own: SyntheticDialogue, other: SyntheticDialogue
) -> tuple[Recall, ...]:
    first, second = subject.start(other.dialogue), subject.start(own.dialogue)
    for index in range(len(own.marks)):
        first.observe(index)
        second.observe(index)
        first.recalls()
    return second.recalls()


def _threads(subject: Subject) -> str:
    dialogues = [subject.synthetic(20 + number, 5) for number in range(_THREADS)]
    one_by_one = [passages_of(subject.start(each.dialogue).play()) for each in dialogues]
    in_step = threading.Barrier(_THREADS)

    def play(each: SyntheticDialogue) -> Passages:
        try:
            playthrough = subject.start(each.dialogue)
            for index in range(len(each.marks)):
                in_step.wait(_PATIENCE)  # so that their sessions come between one another
                playthrough.observe(index)
            in_step.wait(_PATIENCE)
            return passages_of(playthrough.recalls())
        except Fault:
            in_step.abort()
            raise

    with ThreadPoolExecutor(_THREADS) as pool:
        played = [pool.submit(play, each) for each in dialogues]
    faults = [error for future in played if isinstance(error := future.exception(), Fault)]
    if faults:
        raise Fault(f"with {_THREADS} dialogues at once, {faults[0]}")
    for each, alone, future in zip(dialogues, one_by_one, played, strict=True):
        if future.result() != alone:
            what = f"with {_THREADS} dialogues at once, one recalled something else than alone"
            subject.blame_difference(each.dialogue, alone, what)
    return f"{_THREADS} dialogues at once in threads: the recalls of one after another"


# ── within a dialogue ─────────────────────────────────────────────────────────────────────────


def _no_gold(subject: Subject) -> str:
    if subject.is_oracle:
        raise NotApplicable("an oracle: it is shown the gold labels and marked in every table")
    for number in _LABELLED:
        _check_labels(subject, subject.synthetic(number, 5).dialogue)
    return "other gold labels on the same transcripts: the same recall, nothing of the labels in it"


def _check_labels(subject: Subject, told: Dialogue) -> None:
    with_canaries = told.model_copy(
        update={"sessions": tuple(s.model_copy(update=_labels(s.index)) for s in told.sessions)}
    )
    plain = [prepared.context for _, prepared in _run(subject, told, "last")]
    found = [prepared for _, prepared in _run(subject, with_canaries, "last")]
    for prepared in found:
        if canary := _first_of(map(_canary, range(len(told.sessions))), _text(prepared)):
            raise Fault(f"recalled {canary!r}, which stands in the gold labels alone; {_REACHED}")
    if [prepared.context for prepared in found] != plain:
        what = f"other gold labels on the same transcripts changed the recall; {_REACHED}"
        subject.blame_difference(told, passages_of(subject.start(told).play()), what)


def _canary(index: int) -> str:
    return f"canary{index}q"


def _labels(index: int) -> dict[str, object]:
    """Labels with a canary, for sessions that had other ones or none."""
    word = _canary(index)
    instruction = Instruction(
        family=index,
        version=0,
        rule=rule_from("function", Constraint(kind="prefix", value=f"{word}_")),
        text=f"always start function names with '{word}_'",
        eval_query=QUERIES[0],
    )
    labels = (instruction,) if index % 3 else ()
    return {"instructions": labels, "types": (word,), "topics": (word,)}


def _no_future(subject: Subject) -> str:
    asked = sum(_check_future(subject, subject.synthetic(n, 5)) for n in _ASKED_ON_THE_WAY)
    return f"asked {asked} times on the way: nothing of a later session"


def _check_future(subject: Subject, told: SyntheticDialogue) -> int:
    """How often it was asked. Raises `Fault`."""
    asked = 0
    for question, prepared in _run(subject, told.dialogue, "every"):
        seen = question.session
        indices = [p if isinstance(p, int) else p.session for p in prepared.context.passages]
        for index in indices:
            if index is not None and not 0 <= index <= seen:
                raise Fault(f"after session {seen} a passage claims to come from session {index}")
        if found := _first_of(told.marks[seen + 1 :], _text(prepared)):
            at = told.marks.index(found)
            raise Fault(f"after session {seen} it recalled {found!r}, said in session {at}")
        asked += 1
    return asked


def _run(
    subject: Subject, dialogue: Dialogue, ask_after: AskAfter
) -> Iterator[tuple[Question, PreparedPrompt]]:
    """Play as a run does, with all that it has in memory, the gold labels among it."""
    runner = subject.start(dialogue).runner
    (episode,) = plan_episodes(dialogue, "history", ask_after)
    try:
        for due in runner.play(0, episode, wanted=lambda _: True, stopped=lambda: False):
            if due.prepared is None:
                raise Fault(due.failure)
            subject.counted(due.prepared.recall)
            yield due.repeats[0], due.prepared
    except ModelError as error:
        raise Fault(f"the model cannot be used: {error}") from error


def _text(prepared: PreparedPrompt) -> str:
    return f"{prepared.context.model_dump_json()} {dict(prepared.recall.notes)}".casefold()


def _first_of(marks: Iterable[str], text: str) -> str | None:
    return next((mark for mark in marks if mark in text), None)


NO_BLEED = ConformanceCheck(
    "no_bleed",
    "a dialogue is played alone, after another of the same people and in turns with it",
    _no_bleed,
    compares=True,
)
NO_GOLD = ConformanceCheck(
    "no_gold",
    "as a run plays it, with gold labels that stand in no transcript",
    _no_gold,
    compares=True,
)
NO_FUTURE = ConformanceCheck(
    "no_future",
    "as a run plays it, asked after every session",
    _no_future,
    compares=True,
)
THREADS = ConformanceCheck(
    "threads",
    f"{_THREADS} dialogues are played at once, each in a thread of its own",
    _threads,
    compares=True,
)
