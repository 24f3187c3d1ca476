"""What the model of one table cannot see: clashing numbers, missing phrases, wrong variables."""

from __future__ import annotations

import string
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from memorycode.generation.seeds import Persona, Phrases
from memorycode.generation.value_faults import value_faults
from memorycode.generation.wording import RULE_VARIABLES, phrase_key

if TYPE_CHECKING:
    from memorycode.generation.pool import SeedPool

_PEOPLE = frozenset({"mentor", "mentee", "company"})
_ABOUT = _PEOPLE | {"about"}

_VARIABLES = {
    "change_reference": _PEOPLE | RULE_VARIABLES | {"when"},
    "change_old": _PEOPLE | RULE_VARIABLES | {"old"},
    "filler_again": _ABOUT,
    "filler_talk": _ABOUT,
    "filler_again_talk": _ABOUT,
    "filler_instruction_change": _ABOUT,
    "filler_instruction_question_by_mentee": _ABOUT,
}
"""What the lines of an act may name, where it is more than the people."""

_WORK = (
    "first_day", "work_talk", "work_start", "task_start", "trouble_middle", "work_middle",
    "work_end",
)  # fmt: skip
"""Acts whose lines may name the words."""


class SeedFault(NamedTuple):
    """What is wrong, in which part of the pool and at which key of its file."""

    part: str
    key: str
    problem: str


def faults(pool: SeedPool) -> Iterator[SeedFault]:
    """All faults, file by file."""
    yield from _twice("instruction", [seed.number for seed in pool.instructions])
    topics = [seed.number for seed in pool.fillers]
    yield from _twice("filler", topics)
    # A session stores one number for its filler, of either sort.
    numbers = [seed.number for seed in pool.filler_instructions]
    yield from _twice("filler_instruction", numbers)
    for index, number in enumerate(numbers):
        if number in topics:
            key = f"filler_instruction[{index}].number"
            place = f"filler[{topics.index(number)}]"
            problem = f"the number {number} is taken by {place} of fillers.toml"
            yield SeedFault("filler_instructions", key, problem)
    for key, problem in value_faults(pool.instructions):
        yield SeedFault("instructions", key, problem)
    yield from _unworded(pool)
    yield from _untalked(pool)
    for part, key, text, allowed in _formatted(pool):
        problem = _format_problem(text, allowed)
        if problem:
            yield SeedFault(part, key, problem)


def _twice(table: str, numbers: list[int]) -> Iterator[SeedFault]:
    for index, number in enumerate(numbers):
        first = numbers.index(number)
        if first < index:
            problem = f"the number {number} is taken by {table}[{first}]"
            yield SeedFault(f"{table}s", f"{table}[{index}].number", problem)


def _unworded(pool: SeedPool) -> Iterator[SeedFault]:
    for seed in pool.instructions:
        for version in range(len(seed.versions)):
            key = phrase_key(seed.rule(version))
            if key not in pool.phrases.rule:
                problem = f"missing; family {seed.number} of instructions.toml needs it"
                yield SeedFault("phrases", f"rule.{key}", problem)


def _untalked(pool: SeedPool) -> Iterator[SeedFault]:
    """Topics without talk of their own need that of the phrases."""
    for own, common in (("talk", "filler_talk"), ("again", "filler_again_talk")):
        without = (i for i, seed in enumerate(pool.fillers) if not getattr(seed, own))
        index = next(without, None)
        if index is not None and not getattr(pool.phrases, common):
            problem = f"missing; filler[{index}] of fillers.toml has no {own} of its own"
            yield SeedFault("phrases", common, problem)


# ── variables ─────────────────────────────────────────────────────────────────────────────────

_Formatted = tuple[str, str, str, frozenset[str]]
"""A text that is formatted: part, key, the text itself and the variables it may name."""


def _formatted(pool: SeedPool) -> Iterator[_Formatted]:
    yield from _acts(pool.phrases)
    yield from _rules(pool.phrases)
    for role in ("mentor", "mentee"):
        yield from _personas(role, getattr(pool.people, role))
    for index, filler in enumerate(pool.fillers):
        for field in ("talk", "again"):
            for key, text in _texts(f"filler[{index}].{field}", getattr(filler, field)):
                yield "fillers", key, text, _PEOPLE
    for index, seed in enumerate(pool.filler_instructions):
        for place, version in enumerate(seed.versions):
            key = f"filler_instruction[{index}].versions[{place}].say"
            yield "filler_instructions", key, version.say, _PEOPLE


def _acts(phrases: Phrases) -> Iterator[_Formatted]:
    words = _PEOPLE | {"colleague", *phrases.words}
    variables = {**_VARIABLES, **dict.fromkeys(_WORK, words)}
    for act, lines in phrases:
        if act not in ("rule", "words", "when"):
            for key, text in _texts(act, lines):
                yield "phrases", key, text, variables.get(act, _PEOPLE)


def _rules(phrases: Phrases) -> Iterator[_Formatted]:
    more = {
        "topic": frozenset(),
        "word": frozenset(),
        "change": _PEOPLE | {"old"},
        "gone": _PEOPLE | {"old", "when"},
        "same": _PEOPLE | {"others"},
        "correction": _PEOPLE | {"wrong"},
        "misheard_by_mentee": _PEOPLE | {"wrong"},
    }
    for rule, worded in phrases.rule.items():
        for field, lines in worded:
            for key, text in _texts(f"rule.{rule}.{field}", lines):
                yield "phrases", key, text, RULE_VARIABLES | more.get(field, _PEOPLE)


def _personas(role: str, personas: tuple[Persona, ...]) -> Iterator[_Formatted]:
    for index, persona in enumerate(personas):
        yield "people", f"{role}[{index}].text", persona.text, frozenset({"name"})
        for field in ("of_rules", "in_passing"):
            for key, text in _texts(f"{role}[{index}].{field}", getattr(persona, field)):
                yield "people", key, text, _PEOPLE


def _texts(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """The texts of a nested list, each with its key."""
    if isinstance(value, str):
        yield key, value
        return
    for index, item in enumerate(value):
        yield from _texts(f"{key}[{index}]", item)


def _format_problem(text: str, allowed: frozenset[str]) -> str:
    """Why `text` cannot be formatted with the variables `allowed`; empty if it can."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        return f"{error} in {text!r}; a literal brace is written twice"
    for _, name, spec, conversion in parts:
        if name is not None and (name not in allowed or spec or conversion):
            known = ", ".join(f"{{{variable}}}" for variable in sorted(allowed))
            return f"{{{name}}} in {text!r} is no variable here; there are {known}"
    return ""
