"""The scorer that means what a rule says. How it differs from the paper's: docs/scorers.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter

from memorycode.protocols import Verdict
from memorycode.rules import Check, ObjectKind, Rule
from memorycode.scoring.answer_code import read_code
from memorycode.scoring.code_objects import CodeObjects, collect, is_chosen
from memorycode.scoring.definitions import Definition
from memorycode.scoring.matching import Budget
from memorycode.scoring.name_checks import all_follow, any_follows
from memorycode.scoring.parsing import BRIEF

KEPT_ANSWERS = 10_000
"""Short answers whose objects are kept, some 5 kB each: more than one model's to the release."""


class StrictScorer:
    """Judges all of an answer's code by what the rules mean; a `Scorer`."""

    name = "strict"
    revision = 2

    def judge(self, answer: str, rules: Sequence[Rule], elicited: Sequence[bool]) -> list[Verdict]:
        """One verdict per rule; never raises. An absent object is a violation where `elicited`."""
        objects = _kept(answer) if len(answer) <= BRIEF else _objects_of(answer)
        verdicts = judge_objects(objects, rules)
        return [
            "violated" if is_elicited and verdict == "absent" else verdict
            for verdict, is_elicited in zip(verdicts, elicited, strict=True)
        ]


def judge_objects(objects: CodeObjects | None, rules: Sequence[Rule]) -> list[Verdict]:
    """One verdict per rule on code with these objects; None: code that does not parse."""
    if objects is None:
        return ["unparsable"] * len(rules)
    budget = Budget()
    verdicts: dict[tuple[ObjectKind, Check], Verdict] = {}
    for rule in rules:
        key = (rule.object, rule.check)
        if key not in verdicts:
            verdicts[key] = _verdict(objects, *key, budget)
    return [verdicts[rule.object, rule.check] for rule in rules]


def _objects_of(answer: str) -> CodeObjects | None:
    code = read_code(answer)
    return None if code is None else collect(code)


_kept = lru_cache(maxsize=KEPT_ANSWERS)(_objects_of)


def _verdict(objects: CodeObjects, kind: ObjectKind, check: Check, budget: Budget) -> Verdict:
    test = _Test(check, budget)
    if kind in _PARTS:
        definitions, holds = _PARTS[kind]
        found = definitions(objects)
        if not found:
            return "absent"
        follows = all(holds(test, definition) for definition in found)
    elif kind in _WHOLE_CODE:
        follows = _WHOLE_CODE[kind](test, objects)
    else:
        names = _NAMES[kind](objects)
        if not names and check is not False:
            return "absent"
        follows = test.names(names)
    return "followed" if follows else "violated"


class _Test:
    """What a check asks of names, of a definition, and of the code as a whole."""

    def __init__(self, check: Check, budget: Budget) -> None:
        self._check, self._budget = check, budget

    def names(self, names: Sequence[str]) -> bool:
        """Every name follows a pattern; a name that is wanted, or must not be, is looked for."""
        if isinstance(self._check, str):
            return all_follow(self._check, names, self._budget)
        if isinstance(self._check, tuple):
            return (self._check[0] in names) is self._check[1]
        return bool(names) is self._check

    def docstring(self, definition: Definition) -> bool:
        return self._text(definition.docstring)

    def _text(self, text: str) -> bool:
        if isinstance(self._check, str):
            return bool(text) and all_follow(self._check, (text,), self._budget)
        if isinstance(self._check, tuple):
            return (self._check[0] in text) is self._check[1]
        return bool(text) is self._check

    def annotations(self, definition: Definition) -> bool:
        return definition.annotated == ("no" if self._check is False else "fully")

    def has_try(self, definition: Definition) -> bool:
        return definition.has_try is (self._check is not False)

    def has_assert(self, definition: Definition) -> bool:
        return definition.has_assert is (self._check is not False)

    def decorators(self, definition: Definition) -> bool:
        if isinstance(self._check, str):
            return any_follows(self._check, definition.decorators, self._budget)
        return self.names(definition.decorators)

    def imports(self, objects: CodeObjects) -> bool:
        if isinstance(self._check, str):
            return any_follows(self._check, objects.modules, self._budget)
        if isinstance(self._check, tuple):
            name, wanted = self._check
            return any(_is_within(module, name) for module in objects.modules) is wanted
        return bool(objects.modules) is self._check

    def comments(self, objects: CodeObjects) -> bool:
        if isinstance(self._check, bool):
            return objects.has_comment is self._check
        if isinstance(self._check, tuple):
            text, wanted = self._check
            return any(text in comment for comment in objects.comments) is wanted
        comments = objects.comments
        return bool(comments) and all_follow(self._check, comments, self._budget)


def _is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _chosen(names: Iterable[str]) -> list[str]:
    return [name for name in names if is_chosen(name)]


_FUNCTIONS = attrgetter("functions")
_METHODS = attrgetter("methods")
_CLASSES = attrgetter("classes")

_NAMES: Mapping[ObjectKind, Callable[[CodeObjects], Sequence[str]]] = {
    "function": lambda objects: _chosen(found.name for found in objects.functions),
    "function argument": lambda objects: _chosen(
        name for found in objects.functions for name in found.arguments
    ),
    "class": lambda objects: _chosen(found.name for found in objects.classes),
    "method": lambda objects: _chosen(found.name for found in objects.methods),
    "attribute": attrgetter("attributes"),
    "variable": attrgetter("variables"),
}
"""Kinds that are names: where nothing has one, nothing can be judged."""

_Part = tuple[Callable[[CodeObjects], Sequence[Definition]], Callable[[_Test, Definition], bool]]
_PARTS: Mapping[ObjectKind, _Part] = {
    "function docstring": (_FUNCTIONS, _Test.docstring),
    "function try": (_FUNCTIONS, _Test.has_try),
    "function assert": (_FUNCTIONS, _Test.has_assert),
    "function annotation": (_FUNCTIONS, _Test.annotations),
    "function decorator": (_FUNCTIONS, _Test.decorators),
    "method docstring": (_METHODS, _Test.docstring),
    "method try": (_METHODS, _Test.has_try),
    "method assert": (_METHODS, _Test.has_assert),
    "method annotation": (_METHODS, _Test.annotations),
    "method decorator": (_METHODS, _Test.decorators),
    "class decorator": (_CLASSES, _Test.decorators),
}
"""Kinds that every function, method or class is to have, or must not have."""

_WHOLE_CODE: Mapping[ObjectKind, Callable[[_Test, CodeObjects], bool]] = {
    "import": _Test.imports,
    "comment": _Test.comments,
}
"""Kinds that are looked for in the code as a whole, where having none is an answer too."""
