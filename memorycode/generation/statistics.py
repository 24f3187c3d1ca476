"""What a set of dialogues is made of: the paper's Table 2, and the shares behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from memorycode.dialogue import Dialogue, Session
from memorycode.frozen import Frozen


class GroupStatistics(Frozen):
    """Means and shares over a group of dialogues.

    `sessions`, `instructions`, `updates` (instructions of a family told before) and `active` (rules
    that hold at the end) are means per dialogue; the first three are Table 2. `carrying` is the
    share of sessions with instructions, `alone` the share of those that have no filler,
    `per_carrying` the instructions of one. `fillers` has the shares of sessions by type of filler,
    `lengths` by length. `depths` counts the families that changed by how often they did,
    `distance` is the mean number of sessions from a version to the one that replaces it,
    `returns` the share of updates that bring an earlier version back. A mean or share of nothing
    is None.
    """

    dialogues: int
    sessions: float
    instructions: float
    updates: float
    active: float
    carrying: float
    alone: float | None
    per_carrying: float | None
    fillers: dict[str, float]
    lengths: dict[str, float]
    depths: dict[int, int]
    distance: float | None
    returns: float | None


class Statistics(Frozen):
    """Of the dialogues of up to 15 sessions, of the longer ones, and of all; None where there are
    no such dialogues."""

    short: GroupStatistics | None
    long: GroupStatistics | None
    all: GroupStatistics | None


def statistics(dialogues: Iterable[Dialogue]) -> Statistics:
    """The statistics of dialogues, which are looked at one by one and may be any number."""
    short, long, everything = _Tally(), _Tally(), _Tally()
    for dialogue in dialogues:
        everything.add(dialogue)
        (short if dialogue.is_short else long).add(dialogue)
    return Statistics(short=short.result(), long=long.result(), all=everything.result())


@dataclass
class _Tally:
    """Sums over dialogues."""

    counts: Counter[str] = field(default_factory=Counter)
    fillers: Counter[str] = field(default_factory=Counter)
    lengths: Counter[str] = field(default_factory=Counter)
    depths: Counter[int] = field(default_factory=Counter)

    def add(self, dialogue: Dialogue) -> None:
        self.counts["dialogues"] += 1
        self.counts["active"] += len(dialogue.active_instructions(dialogue.last))
        told: dict[int, list[int]] = {}
        since: dict[int, int] = {}
        for session in dialogue.sessions:
            self._session(session)
            for instruction in session.instructions:
                versions = told.setdefault(instruction.family, [])
                if versions:
                    self.counts["updates"] += 1
                    self.counts["distance"] += session.index - since[instruction.family]
                    self.counts["returns"] += instruction.version in versions
                versions.append(instruction.version)
                since[instruction.family] = session.index
        self.depths.update(len(versions) - 1 for versions in told.values() if len(versions) > 1)

    def _session(self, session: Session) -> None:
        filler = [kind for kind in session.types if kind.startswith("filler")]
        self.counts["sessions"] += 1
        self.counts["instructions"] += len(session.instructions)
        self.counts["carrying"] += bool(session.instructions)
        self.counts["alone"] += bool(session.instructions) and not filler
        self.fillers.update(filler)
        self.lengths[session.length] += 1

    def result(self) -> GroupStatistics | None:
        n = self.counts["dialogues"]
        if not n:
            return None
        counts = self.counts
        sessions, carrying, updates = counts["sessions"], counts["carrying"], counts["updates"]
        return GroupStatistics(
            dialogues=n,
            sessions=sessions / n,
            instructions=counts["instructions"] / n,
            updates=updates / n,
            active=counts["active"] / n,
            carrying=carrying / sessions,
            alone=_ratio(counts["alone"], carrying),
            per_carrying=_ratio(counts["instructions"], carrying),
            fillers={kind: count / sessions for kind, count in sorted(self.fillers.items())},
            lengths={length: count / sessions for length, count in sorted(self.lengths.items())},
            depths=dict(sorted(self.depths.items())),
            distance=_ratio(counts["distance"], updates),
            returns=_ratio(counts["returns"], updates),
        )


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
