"""What a rule asks for, in words."""

from __future__ import annotations

from memorycode.rules import Rule

_NAMES = {
    "prefix": "names start with '{value}'",
    "suffix": "names end with '{value}'",
    "contains": "names contain '{value}'",
    "digit": "names contain a digit",
    "case": "names are in {case}",
    "presence": "{wanted}",
    "name": "'{value}' is {wanted}",
    "pattern": "names match {value}",
}
_CASES = {"upper": "UPPER_CASE", "camel": "CamelCase", "snake": "snake_case"}


def rule_words(rule: Rule) -> str:
    """``function: names start with 'k_'``; a pattern that no words fit is given as it stands."""
    constraint = rule.constraint
    asked = _NAMES[constraint.kind].format(
        value=constraint.value,
        case=_CASES.get(constraint.value, constraint.value),
        wanted="wanted" if constraint.positive else "not wanted",
    )
    return f"{rule.object}: {asked}"
