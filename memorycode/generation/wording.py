"""From a rule to the phrases and variables that put it into words."""

from __future__ import annotations

from dataclasses import dataclass

from memorycode.generation.seeds import InstructionSeed, Phrases, RulePhrases
from memorycode.rules import Constraint, Rule

_PLURAL = {"class": "classes"}

RULE_VARIABLES = frozenset(
    {"thing", "things", "names", "value", "module", "plain", "example", "example2"}
)
"""May stand in the phrases of a rule; ``{old}``, ``{when}``, ``{wrong}`` or ``{others}`` besides
in those that speak of another version or another object."""

_NAMES = {
    "function": ("load_rows", "count_words"),
    "function argument": ("limit", "column"),
    "method": ("send", "add_item"),
    "class": ("price_list", "mail_reader"),
    "attribute": ("width", "owner"),
    "variable": ("total", "line"),
}
"""Two names for each thing, to show a rule on."""


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


def object_noun(rule: Rule) -> str:
    """What a rule is about: a *method try* is about a method."""
    if rule.constraint.kind in ("presence", "name") and " " in rule.object:
        return rule.object.rsplit(" ", 1)[0]
    return rule.object


def plural(thing: str) -> str:
    return _PLURAL.get(thing, f"{thing}s")


def _variables(seed: InstructionSeed, version: int) -> dict[str, str]:
    rule = seed.rule(version)
    thing = object_noun(rule)
    first, second = _NAMES.get(thing, ("first", "second"))
    return {
        "thing": thing,
        "things": plural(thing),
        "names": f"{thing} names",
        "value": seed.versions[version].value,
        "module": seed.module,
        "plain": _cased(thing, first),
        "example": _obeying(rule.constraint, thing, first, "4", "{value}_{name}"),
        "example2": _obeying(rule.constraint, thing, second, "7", "{name}_{value}"),
    }


def _obeying(constraint: Constraint, thing: str, name: str, digit: str, place: str) -> str:
    """A name that keeps to a constraint; `name` is in lower case with underscores.

    `place` is the form in which a text that may stand anywhere is put in.
    """
    value = constraint.value
    if constraint.kind == "case":
        return {"upper": name.upper(), "camel": _camel(name)}.get(value, name)
    plain = _cased(thing, name)
    return {
        "prefix": f"{value}{plain}",
        "suffix": f"{plain}{value}",
        "contains": place.format(name=plain, value=value),
        "digit": f"{plain}{digit}",
    }.get(constraint.kind, plain)


def _cased(thing: str, name: str) -> str:
    return _camel(name) if thing == "class" else name


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
