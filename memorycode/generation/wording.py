"""From a rule to the phrases and variables that put it into words."""

from __future__ import annotations

from dataclasses import dataclass

from memorycode.generation.seeds import InstructionSeed, Phrases, RulePhrases
from memorycode.rules import Rule

_PLURAL = {"class": "classes"}

RULE_VARIABLES = frozenset({"thing", "things", "names", "value", "module"})
"""May stand in the phrases of a rule, ``{old}`` besides in those of a change."""


@dataclass(frozen=True)
class Wording:
    """One version of an instruction: its phrases, the key they are found under, its variables."""

    key: str
    phrases: RulePhrases
    variables: dict[str, str]

    @property
    def topic(self) -> str:
        """The rule in one line."""
        return self.phrases.topic.format_map(self.variables)

    @property
    def word(self) -> str:
        """The value alone, as a later rule speaks of it."""
        return self.phrases.word.format_map(self.variables)


def wording(seed: InstructionSeed, version: int, phrases: Phrases) -> Wording:
    key = phrase_key(seed.rule(version))
    return Wording(key=key, phrases=phrases.rule[key], variables=_variables(seed, version))


def phrase_key(rule: Rule) -> str:
    """The key under ``[rule]`` in phrases.toml.

    The case for names in a case (``upper``); what must be present (``docstring``) or carries a
    name (``decorator``, ``import``); else the kind of the constraint (``prefix``). Rules that
    forbid have ``no_`` before it.
    """
    constraint = rule.constraint
    if constraint.kind == "case":
        key = constraint.value
    elif constraint.kind in ("presence", "name"):
        key = rule.object.split()[-1]
    else:
        key = constraint.kind
    return key if constraint.positive else f"no_{key}"


def _variables(seed: InstructionSeed, version: int) -> dict[str, str]:
    rule = seed.rule(version)
    thing: str = rule.object
    if rule.constraint.kind in ("presence", "name") and " " in thing:
        thing = thing.rsplit(" ", 1)[0]  # what a "method try" is about: a method
    return {
        "thing": thing,
        "things": _PLURAL.get(thing, f"{thing}s"),
        "names": f"{thing} names",
        "value": seed.versions[version].value,
        "module": seed.module,
    }
