"""The highest score of an answer in which every object occurs that a rule speaks of.

Some rules cannot hold together: under the paper's patterns a name that must end in ``_x`` cannot
end in a digit too. For each object the largest part of its rules counts that one name can follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from memorycode.analysis.aggregation import mean
from memorycode.dialogue import Dialogue
from memorycode.frozen import Frozen
from memorycode.protocols import Scorer
from memorycode.rules import ObjectKind, Rule
from memorycode.scoring.compatibility import satisfiable

_MOST_RULES = 10
"""Rules of one object up to which every combination is tried; beyond, the first that fit count."""


class Ceiling(Frozen):
    """Means over dialogues, 0 to 1; None where there are none.

    `short_history` and `long_history` are the questions after the last session, `session` those
    after each session alone (mean of a dialogue's sessions first).
    """

    short_history: float | None
    long_history: float | None
    session: float | None


class Clash(NamedTuple):
    """The distinct rules of one object, of which no name can follow all.

    Of `total` rules one name can follow `best`; a rule that is asked for twice counts twice.
    """

    object: ObjectKind
    rules: tuple[Rule, ...]
    best: int
    total: int


class Ceilings:
    """Ceilings under one scorer; what was worked out for some rules is kept."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._best: dict[tuple[tuple[Rule, int], ...], int] = {}

    def history(self, dialogue: Dialogue) -> float | None:
        """The ceiling of a dialogue's questions after the last session; None without rules."""
        return self._score(dialogue.rules(dialogue.last))

    def sessions(self, dialogue: Dialogue) -> float | None:
        """The mean ceiling of a dialogue's sessions, each asked about alone."""
        scores = (self._score(session.rules) for session in dialogue.sessions)
        return mean(scores)

    def clashes(self, rules: Sequence[Rule]) -> list[Clash]:
        """The objects for which no name can follow all rules, in the order first told."""
        groups = ((kind, group, self._most(group)) for kind, group in _by_object(rules))
        return [
            Clash(kind, tuple(group), best, group.total())
            for kind, group, best in groups
            if best < group.total()
        ]

    def overall(self, dialogues: Sequence[Dialogue]) -> Ceiling:
        histories = [(dialogue.is_short, self.history(dialogue)) for dialogue in dialogues]
        sessions = [self.sessions(dialogue) for dialogue in dialogues]
        return Ceiling(
            short_history=mean(h for short, h in histories if short),
            long_history=mean(h for short, h in histories if not short),
            session=mean(sessions),
        )

    def _score(self, rules: Sequence[Rule]) -> float | None:
        if not rules:
            return None
        lost = sum(clash.total - clash.best for clash in self.clashes(rules))
        return 1 - lost / len(rules)

    def _most(self, group: Counter[Rule]) -> int:
        key = tuple(group.items())
        if key not in self._best:
            self._best[key] = self._largest(group)
        return self._best[key]

    def _largest(self, group: Counter[Rule]) -> int:
        """How many of an object's rules one name can follow at most."""
        if len(group) > _MOST_RULES:
            return self._first_that_fit(group)
        parts = (part for n in range(1, len(group) + 1) for part in combinations(group, n))
        weighed = sorted(((_weight(part, group), part) for part in parts), key=lambda p: -p[0])
        return next((weight for weight, part in weighed if self._fits(part)), 0)

    def _first_that_fit(self, group: Counter[Rule]) -> int:
        kept: list[Rule] = []
        for rule, _ in group.most_common():
            if self._fits([*kept, rule]):
                kept.append(rule)
        return _weight(kept, group)

    def _fits(self, rules: Sequence[Rule]) -> bool:
        return not _contradict(rules) and satisfiable(rules, self._scorer)


def _by_object(rules: Sequence[Rule]) -> Iterator[tuple[ObjectKind, Counter[Rule]]]:
    groups: dict[ObjectKind, Counter[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.object, Counter())[rule] += 1
    return iter(groups.items())


def _contradict(rules: Sequence[Rule]) -> bool:
    """Whether one rule asks for what another forbids."""
    asked, forbidden = (
        {(c.kind, c.value) for c in (rule.constraint for rule in rules) if c.positive is wanted}
        for wanted in (True, False)
    )
    return not asked.isdisjoint(forbidden)


def _weight(rules: Sequence[Rule], group: Counter[Rule]) -> int:
    return sum(group[rule] for rule in rules)
