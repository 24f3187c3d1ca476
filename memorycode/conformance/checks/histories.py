"""Histories that a data set may hold: none, one session, many, and texts that nobody expects."""

from __future__ import annotations

import time

from memorycode.conformance.finding import ConformanceCheck
from memorycode.conformance.subject import Playthrough, Subject
from memorycode.conformance.synthetic_dialogues import QUERIES, with_texts
from memorycode.dialogue import Dialogue
from memorycode.errors import Fault
from memorycode.messages import without_half_pairs

_MANY = 300

_CUT = "\ufffd"
"""What half a surrogate pair becomes in a recall."""

_UNCUT = "cut texts as str, never as UTF-16, escaped JSON or bytes"

_ODD_TEXTS: dict[str, str] = {
    "an empty text": "",
    "white space alone": " \n\t\n\u00a0\u2028 \r\n",
    "no speaker's name": "Always start function names with 'odd_'.\n\nAll right.",
    "speakers whom nobody knows": "Zed: Always end names with '_odd'.\n\nYan: Never.",
    "names without words": "Tolu:\n\nMira:\n\n:\n\n**Mira:**",
    "a line of 200 KB": "Mira: Always " + "write short lines, " * 11_000,
    "a word of 200 KB": "Mira: " + "x" * 200_000,
    "right-to-left text and marks": "Mira: \u202eתמיד \u200fname\u200e \u2066'_odd'\u2069\u202c",
    "NUL and other control characters": "Mira: Always\x00 end\x1b[31m names\x07 with '_\x00'.\x7f",
    "emoji and combined characters": "Mira: Always 👩🏽‍💻 e\u0301\u0323 '🫖_' 🇪🇺.\n\nTolu: 👍🏾",
    "emoji alone": "Mira: Always " + "👩🏽‍💻👍" * 2000,
    # What readers of JSON make of half a surrogate pair before a strategy sees it.
    "half a surrogate pair": without_half_pairs("Mira: Always '\ud83d_' and \udc4d\ud83d."),
    "braces and per cents": "Mira: Always {write} {0} {{ %s %(x)d {mentor.__class__} \\g<0> [/b].",
    "marks of a prompt": "Mira: </session>\n```\n<|endoftext|> [INST] Session 99\n\n# System:",
    "line ends of every kind": "Mira: Always\r\nTolu: yes\rMira: never\x0b\x0c\x85Tolu: no",
    "a JSON text": '{"sessions": [{"text": "Mira: Always", "x": [[[[[[1e999, null]]]]]]}',
}


def _empty_history(subject: Subject) -> str:
    playthrough = subject.start(subject.synthetic(40, 1).dialogue)
    recall = playthrough.recall()
    if recall.sessions:
        raise Fault(f"before any session it recalled of sessions {_listed(recall.sessions)}")
    return f"before any session: {_amount(playthrough)}"


def _one_session(subject: Subject) -> str:
    playthrough = subject.start(subject.synthetic(41, 1).dialogue)
    playthrough.play()
    return f"after one session: {_amount(playthrough)}"


def _many_sessions(subject: Subject) -> str:
    started = time.perf_counter()
    playthrough = subject.start(subject.synthetic(42, _MANY).dialogue)
    playthrough.play()
    seconds = time.perf_counter() - started
    return f"{_MANY} sessions in {seconds:.1f} s: {_amount(playthrough)}"


def _odd_text(subject: Subject) -> str:
    told = subject.synthetic(44, 3).dialogue
    plain, context = [session.text for session in told.sessions], told.context
    for name, of_mira in _ODD_TEXTS.items():
        text = of_mira.replace("Mira", context.mentor).replace("Tolu", context.mentee)
        try:
            _play_whole(subject, with_texts(44, [plain[0], text, plain[1]], context))
            _play_whole(subject, with_texts(44, [text], context))
        except Fault as fault:
            raise Fault(f"{name}: {fault}") from fault
    return f"{len(_ODD_TEXTS)} odd texts, from {next(iter(_ODD_TEXTS))} to a word of 200 KB"


def _play_whole(subject: Subject, dialogue: Dialogue) -> None:
    """Raises `Fault` where a character comes back, or is sent on, that was cut in two."""
    playthrough = subject.start(dialogue)
    playthrough.observe_all()
    recalls = [playthrough.handed_out(query) for query in QUERIES]
    given = "".join(session.text for session in dialogue.sessions)
    recalled = "".join(passage.text for recall in recalls for passage in recall.passages)
    if _is_cut(recalled) or (_CUT in recalled and _CUT not in given):
        raise Fault(f"its recall holds half a character (as U+FFFD, or half a pair); {_UNCUT}")
    if subject.heard_halves:
        asked = ", ".join(sorted(subject.heard_halves))
        subject.heard_halves.clear()
        raise Fault(f"it sent half a surrogate pair to {asked}; {_UNCUT}")


def _is_cut(text: str) -> bool:
    return without_half_pairs(text) != text


def _amount(playthrough: Playthrough) -> str:
    recall = playthrough.recall()
    if not recall.text.strip():
        return "nothing recalled"
    tokens = sum(map(playthrough.runner.cost, recall.passages))
    count = len(recall.passages)
    return f"{count:,} passage{'s' if count > 1 else ''} of {tokens:,} tokens recalled"


def _listed(sessions: tuple[int, ...]) -> str:
    return ", ".join(map(str, sessions[:5]))


EMPTY_HISTORY = ConformanceCheck("empty_history", "it is asked before any session", _empty_history)
ONE_SESSION = ConformanceCheck("one_session", "it is asked after a single session", _one_session)
MANY_SESSIONS = ConformanceCheck(
    "many_sessions", f"it is asked after {_MANY} sessions", _many_sessions
)
ODD_TEXT = ConformanceCheck(
    "odd_text",
    "sessions that are empty, huge, unlabelled, or full of characters that nobody expects",
    _odd_text,
)
