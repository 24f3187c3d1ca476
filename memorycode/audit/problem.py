"""What an audit finds: one thing wrong, and where."""

from __future__ import annotations

from typing import Literal, get_args

from memorycode.frozen import Frozen
from memorycode.rules import Rule

ProblemKind = Literal[
    "never_stated",
    "garbled",
    "hinted",
    "left_to_mentee",
    "withdrawn",
    "not_in_gold",
    "odd_label",
    "contradiction",
    "shared_question",
    "clash",
    "duplicate",
]
"""Six kinds about what a text says, then its labels, its fields, its rules, and repetitions.

``never_stated``: nobody says the gold rule. ``garbled``: it is said with another value or of
another object, in broken words, or in two ways. ``hinted``: it has to be guessed.
``left_to_mentee``: its value or its object is said by the mentee alone. ``withdrawn``: the text
takes it back. ``not_in_gold``: the text states a rule that gold does not have.
``shared_question``: two active families have one question. ``clash``: no name can follow these
rules together under a scorer.
"""

PROBLEM_KINDS: tuple[ProblemKind, ...] = get_args(ProblemKind)

TEXT_KINDS: frozenset[ProblemKind] = frozenset(PROBLEM_KINDS[:6])
"""The kinds that a reader of the session can confirm or reject."""


class Problem(Frozen):
    """One finding. `session` is None where it concerns the dialogue as a whole."""

    dialogue: int
    session: int | None
    kind: ProblemKind
    detail: str


def rule_words(rule: Rule) -> str:
    """A rule in a few words: ``method prefix 'x_'``, ``function docstring``."""
    constraint = rule.constraint
    if constraint.kind == "presence":
        return rule.object if constraint.positive else f"no {rule.object}"
    kind = "" if constraint.kind == "name" else f" {constraint.kind}"
    value = f" {constraint.value!r}" if constraint.value else ""
    return f"{'' if constraint.positive else 'no '}{rule.object}{kind}{value}"
