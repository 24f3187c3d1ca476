"""A session cut into the units that are retrieved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from memorycode.dialogue import SessionView
from memorycode.errors import UsageError
from memorycode.extras import check_installed
from memorycode.protocols import Unit
from memorycode.transcripts import Turn, joined, turns_of

UnitKind = str
"""``session`` (the paper's), ``exchange`` (the mentor's turn and the answer to it), ``turn``, or
``window:N``: pieces of at most 4 N characters, which are about N tokens of English."""

_WINDOW = re.compile(r"window:(\d{1,6})")
_CHARACTERS_PER_TOKEN = 4
Speaker = Literal["all", "mentor"]


def check_unit(kind: str) -> UnitKind:
    """The kind, if there is one of this name.

    Raises `UsageError` otherwise, and `PluginError` where what cuts windows is not installed.
    """
    window = _WINDOW.fullmatch(kind)
    if window and int(window[1]):
        _check_splitter(kind)
        return kind
    if kind in ("session", "exchange", "turn"):
        return kind
    raise UsageError(f"unit is {kind!r}; it is session, exchange, turn or window:N (N tokens)")


def cut_session(session: SessionView, kind: UnitKind, speaker: Speaker = "all") -> list[Unit]:
    """The units of a session in order; with `speaker` ``mentor`` of the mentor's turns alone.

    Together they hold all of its text but for white space at the edges. A session without text is
    one unit if the unit is the session, else it has none.
    """
    turns = turns_of(session)
    if speaker == "mentor":
        turns = [turn for turn in turns if turn.by_mentor]
    if kind == "session":
        texts = [session.text if speaker == "all" else _joined(turns)]
    elif kind == "turn":
        texts = [turn.text for turn in turns]
    elif kind == "exchange":
        texts = [_joined(exchange) for exchange in _exchanges(turns)]
    else:
        texts = _windows(_joined(turns), kind)
    return [Unit(text=text, session=session.index) for text in texts]


def _joined(turns: Sequence[Turn]) -> str:
    return joined(turn.text for turn in turns)


def _exchanges(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """Each opened by a turn of the mentor's; what comes before the first is one of its own."""
    exchange: list[Turn] = []
    for turn in turns:
        if turn.by_mentor and exchange:
            yield exchange
            exchange = []
        exchange.append(turn)
    if exchange:
        yield exchange


def _check_splitter(kind: UnitKind) -> None:
    check_installed({f"the unit {kind}": {"langchain": ("langchain_text_splitters",)}})


def _windows(text: str, kind: UnitKind) -> list[str]:
    _check_splitter(kind)
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    window = _WINDOW.fullmatch(kind)
    size = int(window[1]) * _CHARACTERS_PER_TOKEN if window else 0
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=0, keep_separator="end", separators=["\n\n", ". ", " ", ""]
    )
    return list(splitter.split_text(text))
