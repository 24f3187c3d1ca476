"""A rule that a text states, and which rule a claim amounts to."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, cast

from memorycode.frozen import Frozen
from memorycode.rules import (
    OBJECT_KINDS,
    Constraint,
    ConstraintKind,
    Family,
    ObjectKind,
    Rule,
    rule_from,
)
from memorycode.scoring.detection.claims import NAMED_OBJECTS, NAMING, Topic

Wording = Literal["plain", "implied", "completed"]


class Detection(Frozen):
    """A rule and where it is said: ``text[start:end]``.

    `wording` tells how: ``plain``; ``implied`` where it is a paraphrase, its value spelt out in
    words or its place left to the value's looks; ``completed`` where the mentor left a part of it
    to the mentee.
    """

    rule: Rule
    start: int
    end: int
    wording: Wording = "plain"

    @property
    def family(self) -> Family:
        return self.rule.family


@lru_cache(maxsize=4096)
def rules_of(topic: Topic, value: str, objects: tuple[str, ...]) -> tuple[tuple[Rule, Family], ...]:
    """The rules that a whole claim makes; objects that no rule of its topic knows are left out."""
    rules = [_rule(topic, value, kind) for kind in objects]
    return tuple((rule, rule.family) for rule in rules if rule is not None)


def _rule(topic: Topic, value: str, kind: str) -> Rule | None:
    if topic in NAMING:
        constraint = Constraint(kind=cast(ConstraintKind, topic), value=value)
        fits = kind in NAMED_OBJECTS and (topic != "case" or kind == "class")
        return rule_from(cast(ObjectKind, kind), constraint) if fits else None
    named = topic in ("decorator", "import")
    constraint = Constraint(kind="name", value=value) if named else Constraint(kind="presence")
    name = topic if topic in ("import", "comment") else f"{kind} {topic}"
    return rule_from(name, constraint) if name in OBJECT_KINDS else None
