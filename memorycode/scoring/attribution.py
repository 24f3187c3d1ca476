"""Where a violated rule was lost: in the data, in the memory, or by the model.

The first cause that fits is the cause. A text "has" a rule where the detector finds its object and
check there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from memorycode.dialogue import Session, Speakers
from memorycode.frozen import Frozen
from memorycode.protocols import Recall, RuleReader, Scorer, Verdict
from memorycode.rules import Rule
from memorycode.scoring.compatibility import clashing

Cause = Literal[
    "unsatisfiable",
    "not_told",
    "stale_recalled",
    "not_recalled",
    "recalled_not_followed",
    "stale_obedience",
]
"""In the order in which they are tried.

``unsatisfiable``: another active rule and this one hold together for no name. ``not_told``: no
session told so far has the rule. ``stale_recalled``: an older version is in the recalled context,
the current one is not. ``not_recalled``: neither is. ``stale_obedience``: the current one is, and
the code obeys an older version. ``recalled_not_followed``: the current one is, and the code obeys
no version.
"""

CAUSES: tuple[Cause, ...] = get_args(Cause)

Causes = Mapping[int, Cause]
"""The cause of each violated rule, by the rule's position in the question."""


class RulesFound(Frozen):
    """Of the `active` rules of a question, how many the recalled context has (`current`), and how
    many it has in an older version alone (`stale`)."""

    active: int
    current: int
    stale: int


class Attributor:
    """Finds causes for the questions about one history: the sessions a strategy was shown."""

    def __init__(self, sessions: Sequence[Session], speakers: Speakers, reader: RuleReader) -> None:
        """`reader` finds the rules that transcripts and recalls state."""
        self._sessions, self._speakers, self._reader = sessions, speakers, reader
        self._latest: tuple[Recall, frozenset[Rule]] | None = None
        self._stated: dict[int, frozenset[Rule]] = {}
        self._older: dict[int, Mapping[Rule, Sequence[Rule]]] = {}
        self._clashes: dict[tuple[int, str], frozenset[Rule]] = {}

    def causes(
        self,
        answer: str,
        rules: Sequence[Rule],
        verdicts: Sequence[Verdict],
        *,
        session: int,
        recall: Recall,
        scorer: Scorer,
    ) -> Causes:
        """One cause for every verdict ``violated``, none for any other.

        `rules` are those that hold after `session`, `recall` is what the question was asked with.
        """
        violated = [n for n, verdict in enumerate(verdicts) if verdict == "violated"]
        if not violated:
            return {}
        clashing_rules = self._clashing(rules, session, scorer)
        stated, recalled = self._stated_until(session), self._recalled(recall)
        older_versions = self._older_versions(session)

        def cause(rule: Rule) -> Cause:
            if rule in clashing_rules:
                return "unsatisfiable"
            if rule not in stated:
                return "not_told"
            older = older_versions.get(rule, ())
            if rule not in recalled:
                return "not_recalled" if recalled.isdisjoint(older) else "stale_recalled"
            obeys_old = "followed" in scorer.judge(answer, older, [False] * len(older))
            return "stale_obedience" if obeys_old else "recalled_not_followed"

        return {position: cause(rules[position]) for position in violated}

    def found(self, rules: Sequence[Rule], *, session: int, recall: Recall) -> RulesFound:
        """What a recall has of the rules that hold after `session`."""
        recalled, older = self._recalled(recall), self._older_versions(session)
        lost = [rule for rule in rules if rule not in recalled]
        return RulesFound(
            active=len(rules),
            current=len(rules) - len(lost),
            stale=sum(not recalled.isdisjoint(older.get(rule, ())) for rule in lost),
        )

    def _clashing(self, rules: Sequence[Rule], session: int, scorer: Scorer) -> frozenset[Rule]:
        key = session, scorer.name
        if key not in self._clashes:
            self._clashes[key] = clashing(rules, scorer)
        return self._clashes[key]

    def _stated_until(self, session: int) -> frozenset[Rule]:
        if session not in self._stated:
            texts = (s.text for s in self._sessions if s.index <= session)
            self._stated[session] = self._rules(texts)
        return self._stated[session]

    def _older_versions(self, session: int) -> Mapping[Rule, Sequence[Rule]]:
        """By rule, the other versions of its family that were told so far."""
        if session not in self._older:
            families: dict[int, dict[Rule, None]] = {}
            for told in self._sessions:
                if told.index <= session:
                    for instruction in told.instructions:
                        families.setdefault(instruction.family, {})[instruction.rule] = None
            self._older[session] = {
                rule: [other for other in versions if other is not rule]
                for versions in families.values()
                for rule in versions
            }
        return self._older[session]

    def _recalled(self, recall: Recall) -> frozenset[Rule]:
        if self._latest is None or self._latest[0] is not recall:
            texts = (passage.text for passage in recall.passages)
            self._latest = recall, self._rules(texts)
        return self._latest[1]

    def _rules(self, texts: Iterable[str]) -> frozenset[Rule]:
        return frozenset(
            rule for text in texts for rule in self._reader.rules_in(text, self._speakers)
        )
