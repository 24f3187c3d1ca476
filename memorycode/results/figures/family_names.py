"""Short names for families of rules, as figures show them."""

from __future__ import annotations

from memorycode.rules import ConstraintKind, Rule

_KINDS: dict[ConstraintKind, str] = {
    "prefix": "prefix",
    "suffix": "suffix",
    "contains": "infix",
    "digit": "digit",
    "case": "case",
}


def family_name(rule: Rule) -> str:
    """``function prefix``, ``method @retry``, ``import gzip``, ``comment``."""
    family = rule.family
    if family.kind == "name" and family.object.endswith(" decorator"):
        return f"{family.object.removesuffix(' decorator')} @{family.name}"
    if family.kind in ("name", "pattern"):
        return f"{family.object} {family.name}"
    if family.kind == "presence":
        return family.object
    return f"{family.object} {_KINDS[family.kind]}"
