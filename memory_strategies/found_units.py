"""What memories have in common that keep units of talk and recall those that a search finds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from memorycode.dialogue import AskAfter, SessionView
from memorycode.errors import PluginError, UsageError
from memorycode.messages import without_half_pairs
from memorycode.protocols import Hit, Passage, Recall, StrategyContext, Unit
from memorycode.retrieval.top_k import Candidates, said_of_all, top_k
from memorycode.retrieval.units import UnitKind, check_unit, cut_session
from memorycode.transcripts import joined, turns_of

DEFAULT_K = 20
"""mem0's own number of memories that a search finds, for all alike."""

Units = Mapping[int, Unit]
"""Units by their place in the order of time."""


def units_of(session: SessionView, kind: UnitKind = "turn") -> list[Unit]:
    """The units of a session in order, a turn with its speaker's name; blank ones are left out."""
    return [
        Unit(text=without_half_pairs(unit.text), session=unit.session)
        for unit in cut_session(session, kind)
        if unit.text.strip()
    ]


def is_mentees(unit: Unit, session: SessionView) -> bool:
    """Whether the mentee says this turn: for libraries that tell a user from an assistant."""
    turn = turns_of(session.model_copy(update={"text": unit.text}))[0]
    return turn.speaker == session.speakers.mentee != ""


class Portion:
    """How much of what was found is recalled, said by `k` as `top_k` reads it: a number, or
    ``budget`` for as many as the run's budget holds, and so on."""

    def __init__(self, context: StrategyContext, strategy: str, k: int | str) -> None:
        """Raises `UsageError` for a k that means nothing, or that the gold labels decide."""
        self._top_k = top_k(k)
        if self._top_k.is_oracle:
            raise UsageError(
                f"{strategy}: k={k} counts the gold labels, which {strategy} is not shown; "
                "give a number, or budget"
            )
        self._context, self._strategy = context, strategy

    def recall(
        self, units: Units, search: Callable[[int], Sequence[Hit]], notes: Mapping[str, JsonValue]
    ) -> Recall:
        """The units found in time order, those of one session in one passage; `search` is handed
        how many hits are looked at."""
        candidates = Candidates(
            units=len(units),
            tokens=lambda place: self._context.cost(_passage(units, [place])),
            budget=self._context.token_budget,
        )
        depth = self._top_k.depth(candidates)
        hits = self._checked(search(depth), units) if depth else []
        sessions: dict[int, list[int]] = {}
        for place in sorted(hit.position for hit in hits[: self._top_k(hits, candidates)]):
            sessions.setdefault(units[place].session, []).append(place)
        passages = tuple(_passage(units, sessions[session]) for session in sorted(sessions))
        taken = sum(map(len, sessions.values()))
        all_taken = said_of_all(taken, len(units))
        return Recall(passages=passages, notes={"units": taken, **all_taken, **notes})

    def _checked(self, hits: Sequence[Hit], units: Units) -> list[Hit]:
        """Each unit once, at its best."""
        best: dict[int, Hit] = {}
        for hit in hits:
            if hit.position not in units:
                raise PluginError(
                    f"{self._strategy} found unit {hit.position}, but {len(units)} are stored"
                )
            best.setdefault(hit.position, hit)
        return list(best.values())


def _passage(units: Units, places: Sequence[int]) -> Passage:
    texts = [units[place].text for place in places]
    return Passage(text=joined(texts), session=units[places[0]].session)


class FoundUnits(ABC):
    """A memory that stores units and recalls those that it finds for the query, in time order."""

    oracle: bool = False
    ask_after: AskAfter = "last"

    def __init__(
        self, context: StrategyContext, strategy: str, k: int | str, unit: UnitKind = "turn"
    ) -> None:
        """Raises `UsageError` for a k or a unit that means nothing; `strategy` is named there."""
        self._portion = Portion(context, strategy, k)
        self._unit = check_unit(unit)
        self._units: dict[int, Unit] = {}

    def observe(self, session: SessionView) -> None:
        """Store the session's units."""
        units = units_of(session, self._unit)
        if units:
            first = len(self._units)
            self._units |= dict(enumerate(self._store(session, units, first), first))

    def recall(self, query: str) -> Recall:
        """The best units for `query`; `notes` say how many. A blank query finds nothing."""
        search = self._search if query.strip() else _nothing
        return self._portion.recall(self._units, lambda k: search(query, k), self._notes())

    def _notes(self) -> Mapping[str, JsonValue]:
        return {}

    @abstractmethod
    def _store(self, session: SessionView, units: Sequence[Unit], first: int) -> Sequence[Unit]:
        """Store a session's units, one at least; says what was stored, in order. Its places
        count on from `first`."""

    @abstractmethod
    def _search(self, query: str, k: int) -> Sequence[Hit]:
        """The best `k` units by their places, best first; something is stored."""


def _nothing(query: str, k: int) -> Sequence[Hit]:
    del query, k
    return ()
