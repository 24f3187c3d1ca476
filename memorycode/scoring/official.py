"""The paper's scorer, to the last digit: every quirk of the released evaluator is meant.

What it does not see (a second argument, an asynchronous function, a ``try`` within a ``with``) it
does not judge; the strict scorer is the one that means what a rule says.
"""

from __future__ import annotations

from collections.abc import Sequence

from memorycode.protocols import Verdict
from memorycode.rules import Check, ObjectKind, Rule
from memorycode.scoring.extraction import extract_code
from memorycode.scoring.matching import Budget, match_name
from memorycode.scoring.objects import Item, objects_of

_ALWAYS_THERE: frozenset[ObjectKind] = frozenset({"comment", "import"})
"""Kinds that are judged even where the code has none of them."""


class OfficialScorer:
    """The released evaluator; a `Scorer`."""

    name = "official"
    revision = 1

    def judge(
        self,
        answer: str,
        rules: Sequence[Rule],
        elicited: Sequence[bool],  # noqa: ARG002  the paper leaves absent objects out anyway
    ) -> list[Verdict]:
        """One verdict per rule; for patterns that hang or do not compile see `match_name`."""
        objects = objects_of(extract_code(answer))
        if objects is None:
            return ["unparsable"] * len(rules)
        budget = Budget()
        return [
            _verdict(rule.object, rule.check, objects.get(rule.object, ()), budget)
            for rule in rules
        ]


def _verdict(kind: ObjectKind, check: Check, items: Sequence[Item], budget: Budget) -> Verdict:
    if not items and kind not in _ALWAYS_THERE:
        return "absent"
    return "followed" if _follow(kind, check, items, budget) else "violated"


def _follow(kind: ObjectKind, check: Check, items: Sequence[Item], budget: Budget) -> bool:
    if isinstance(check, str):
        # Only the first argument or attribute is looked at, and no name at all is a violation.
        names = [item[0] for item in items if item]
        return bool(names) and all(match_name(check, name, budget) for name in names)
    if isinstance(check, bool):
        return all(items) if check else not any(items)
    name, wanted = check
    if kind in _ALWAYS_THERE:
        return (name in items) is wanted
    return all((name in item) is wanted for item in items)
