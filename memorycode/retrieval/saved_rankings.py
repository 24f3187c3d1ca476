"""Rankings on disk: what was ranked once is replayed, without the retriever that ranked it.

A ranking is found again by what was ranked and for what: the units' texts in order, as a hash, and
the query. On disk it is a JSON line
``{"retriever", "oracle", "units", "query", "positions", "scores"}``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from memorycode.errors import Unreadable, UsageError
from memorycode.protocols import Hit, Unit
from memorycode.text_files import read_text
from memorycode.whole_file import own_replaced

FILE = "rankings.jsonl"


class SavedRanking(NamedTuple):
    """All units, best first, that a retriever found for a query; `oracle` if by gold labels."""

    retriever: str
    oracle: bool
    units: str
    query: str
    hits: Sequence[Hit]


class UnitsHash:
    """The hash of the units added so far."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, units: Iterable[Unit]) -> None:
        for unit in units:
            text = unit.text.encode("utf-8", "surrogatepass")
            self._digest.update(f"{unit.session} {len(text)} ".encode() + text)

    def __str__(self) -> str:
        return self._digest.hexdigest()[:32]


@contextlib.contextmanager
def rankings_writer(folder: Path) -> Generator[Callable[[Iterable[SavedRanking]], None]]:
    """A function that writes rankings; the file has its name once all are in it.

    Raises `UsageError` where it cannot be written, or another file has its name.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: rankings cannot be kept here: {error.strerror}") from error
    with (
        own_replaced(folder / FILE, _is_ranking) as part,
        part.open("w", encoding="utf-8") as file,
    ):
        yield lambda saved: file.writelines(json.dumps(_line(one)) + "\n" for one in saved)


def _is_ranking(file: Path) -> bool:
    try:
        with file.open(encoding="utf-8") as lines:
            _read(next(lines), "")
    except (UsageError, UnicodeDecodeError):
        return False
    return True


def _line(saved: SavedRanking) -> dict[str, object]:
    return {
        "retriever": saved.retriever,
        "oracle": saved.oracle,
        "units": saved.units,
        "query": saved.query,
        "positions": [hit.position for hit in saved.hits],
        "scores": [hit.score for hit in saved.hits],
    }


class Rankings(NamedTuple):
    """By the units' hash and the query; `oracle` says whether gold labels decided any of them."""

    oracle: bool
    found: Mapping[tuple[str, str], Sequence[Hit]]


def read_rankings(folder: Path, retriever: str | None) -> Rankings:
    """The rankings of one retriever, which need not be named where the folder has only one.

    Raises `UsageError` for a folder that has none of it, or is not in the form.
    """
    file = folder / FILE
    found: dict[str, dict[tuple[str, str], Sequence[Hit]]] = {}
    oracles: set[str] = set()
    try:
        text = read_text(file)
    except Unreadable as error:
        raise UsageError(f"{file}: {error}") from error
    for number, line in enumerate(StringIO(text), start=1):
        saved = _read(line, f"{file}, line {number}")
        found.setdefault(saved.retriever, {})[saved.units, saved.query] = saved.hits
        if saved.oracle:
            oracles.add(saved.retriever)
    if not found:
        raise UsageError(f"{file}: there is no ranking in it")
    named = retriever or (next(iter(found)) if len(found) == 1 else "")
    if named not in found:
        raise UsageError(f"{file}: say whose rankings; there are those of {', '.join(found)}")
    return Rankings(named in oracles, found[named])


def _read(line: str, where: str) -> SavedRanking:
    try:
        fields = json.loads(line)
        pairs = zip(fields["positions"], fields["scores"], strict=True)
        hits = tuple(_hit(position, score) for position, score in pairs)
        if len({hit.position for hit in hits}) < len(hits):
            raise ValueError("a position stands there twice")
        retriever, units, query = (fields[name] for name in ("retriever", "units", "query"))
        if not all(isinstance(text, str) for text in (retriever, units, query)):
            raise ValueError("retriever, units and query have to be texts")
        if not isinstance(oracle := fields["oracle"], bool):
            raise ValueError("oracle has to be true or false")
    except KeyError as error:
        raise UsageError(f"{where}: not a ranking: {error} is missing") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise UsageError(f"{where}: not a ranking: {error}") from error
    return SavedRanking(retriever, oracle, units, query, hits)


def _hit(position: object, score: object) -> Hit:
    if type(position) is not int or position < 0:
        raise ValueError(f"{position!r} is no position: they count from 0")
    if not isinstance(score, int | float) or math.isnan(score):
        raise ValueError(f"{score!r} is no score")
    return Hit(position=position, score=float(score))
