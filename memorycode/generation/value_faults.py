"""What a rule cannot ask: an object that has no such thing, a value that no code could show.

Such a rule could be told, and every answer would violate it.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator

from memorycode.generation.seeds import InstructionSeed
from memorycode.rules import OBJECT_KINDS, ConstraintKind, ObjectKind
from memorycode.scoring.matching import MAX_PATTERN
from memorycode.scoring.parsing import quiet

_NAMED: tuple[ObjectKind, ...] = (
    "function", "function argument", "class", "method", "attribute", "variable",
)  # fmt: skip
_CALLED = tuple(kind for kind in OBJECT_KINDS if kind == "import" or kind.endswith("decorator"))
"""What is asked for by its name."""
_PRESENT = tuple(kind for kind in OBJECT_KINDS if kind not in _NAMED + _CALLED)

_OBJECTS: dict[ConstraintKind, tuple[ObjectKind, ...]] = {
    "presence": _PRESENT,
    "name": _CALLED,
    **dict.fromkeys(("prefix", "suffix", "contains", "digit", "case", "pattern"), _NAMED),
}
"""The objects of which a kind of rule can be asked."""


def value_faults(seeds: Iterable[InstructionSeed]) -> Iterator[tuple[str, str]]:
    """The key and the problem of each fault."""
    for index, seed in enumerate(seeds):
        key = f"instruction[{index}]"
        if seed.object not in _OBJECTS[seed.kind]:
            known = ", ".join(_OBJECTS[seed.kind])
            yield f"{key}.object", f"{seed.kind} is not asked of {seed.object!r}; it is of {known}"
            continue
        for version, told in enumerate(seed.versions):
            if problem := _value_problem(seed, told.value):
                yield f"{key}.versions[{version}]", f"{problem}, found {told.value!r}"
        if seed.module and not _is_dotted_name(seed.module):
            yield f"{key}.module", f"want a module's name as in an import, found {seed.module!r}"


def _value_problem(seed: InstructionSeed, value: str) -> str:
    """What a value should be; empty where it is."""
    match seed.kind:
        case "prefix" if not _is_name(value):
            return "want the beginning of a name: letters, digits and underscores, no digit first"
        case "suffix" | "contains" if not (value and _is_name(f"n{value}")):
            return "want a part of a name: letters, digits and underscores"
        case "name" if seed.object == "import" and not _is_dotted_name(value):
            return "want a module's name as in an import"
        case "name" if seed.object != "import" and not _is_dotted_name(value, parts=1):
            return "want a decorator's bare name (`module` says where it comes from)"
        case "pattern":
            return _pattern_problem(value)
    return ""


def _is_name(text: str) -> bool:
    """Whether Python reads the text as a name, and leaves it as it is."""
    return text.isidentifier() and unicodedata.normalize("NFKC", text) == text


def _is_dotted_name(text: str, parts: int | None = None) -> bool:
    names = text.split(".")
    fits = parts is None or len(names) == parts
    return fits and all(_is_name(name) and not keyword.iskeyword(name) for name in names)


def _pattern_problem(pattern: str) -> str:
    if not 0 < len(pattern) <= MAX_PATTERN:
        return f"want a regular expression of up to {MAX_PATTERN} characters"
    try:
        with quiet():
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError, ValueError) as error:
        return f"want a regular expression ({error})"
    return ""
