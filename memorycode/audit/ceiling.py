"""The highest score of an answer in which every object occurs that a rule speaks of.

Some rules cannot hold together: under the paper's patterns a name that must end in ``_x`` cannot
end in a digit too. For each object the largest part of its rules counts that one name can follow.
Where there are too many ways to try them all, what the best name found can follow counts instead:
the ceiling is then no higher than it should be, and said to be so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memorycode.dialogue import Dialogue
from memorycode.frozen import Frozen
from memorycode.protocols import Scorer
from memorycode.results.means import mean
from memorycode.rules import ObjectKind, Rule
from memorycode.scoring.compatibility import most_followed
from memorycode.scoring.name_search import Fit


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
    Without `is_best` not all names were tried, and another may follow more.
    """

    object: ObjectKind
    rules: tuple[Rule, ...]
    best: int
    total: int
    is_best: bool


class Ceilings:
    """Ceilings under one scorer; what was worked out for some rules is kept."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._fits: dict[tuple[tuple[Rule, int], ...], Fit] = {}

    def history(self, dialogue: Dialogue) -> float | None:
        """The ceiling of a dialogue's questions after the last session; None without rules."""
        return self._score(dialogue.rules(dialogue.last))

    def sessions(self, dialogue: Dialogue) -> float | None:
        """The mean ceiling of a dialogue's sessions, each asked about alone."""
        scores = (self._score(session.rules) for session in dialogue.sessions)
        return mean(scores)

    def clashes(self, rules: Sequence[Rule]) -> list[Clash]:
        """The objects for which no name can follow all rules, in the order first told."""
        groups = ((kind, group, self._fit(group)) for kind, group in _by_object(rules))
        return [
            Clash(kind, tuple(group), fit.followed, group.total(), fit.is_best)
            for kind, group, fit in groups
            if fit.followed < group.total()
        ]

    def is_sure(self, dialogue: Dialogue) -> bool:
        """Whether no other name was left to try, for the history and for each session."""
        asked = (dialogue.rules(dialogue.last), *(session.rules for session in dialogue.sessions))
        return all(clash.is_best for rules in asked for clash in self.clashes(rules))

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

    def _fit(self, group: Counter[Rule]) -> Fit:
        key = tuple(group.items())
        if key not in self._fits:
            # Of a rule and its contrary the one is kept that counts for more.
            lost = _contradicted(group)
            self._fits[key] = most_followed(group - lost, self._scorer)
        return self._fits[key]


def _by_object(rules: Sequence[Rule]) -> Iterator[tuple[ObjectKind, Counter[Rule]]]:
    groups: dict[ObjectKind, Counter[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.object, Counter())[rule] += 1
    return iter(groups.items())


def _contradicted(group: Counter[Rule]) -> Counter[Rule]:
    """The rules to give up where one asks for what another forbids: the side that counts less."""
    asked: dict[tuple[str, str], Counter[Rule]] = {}
    forbidden: dict[tuple[str, str], Counter[Rule]] = {}
    for rule, times in group.items():
        constraint = rule.constraint
        side = asked if constraint.positive else forbidden
        side.setdefault((constraint.kind, constraint.value), Counter())[rule] = times
    lost: Counter[Rule] = Counter()
    for key in asked.keys() & forbidden.keys():
        fewer = asked[key].total() < forbidden[key].total()
        lost += asked[key] if fewer else forbidden[key]
    return lost
