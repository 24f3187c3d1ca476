"""Where the strict scorer departs from the paper's, and by how much: for docs/scorers.md.

Run it as ``python tests/prove/compare_scorers.py`` (some minutes); the environment variable
``MEMORYCODE_RELEASE`` names the folder that holds ``dataset`` and ``outputs``. It prints, for the
recorded models, how many verdicts the scorers give differently; and for each difference between the
scorers how many verdicts would change if that one alone were undone. A verdict may need two of them
to change, or owe its change to any of two, so the differences do not add up to the total.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import load_outputs
from memorycode.dialogue import Dialogue, Setting
from memorycode.protocols import Verdict
from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN
from memorycode.running.plan import Question, plan_episodes
from memorycode.scoring import code_objects, definitions, name_checks, strict
from memorycode.scoring.answer_code import Code, read_code
from memorycode.scoring.code_objects import collect
from memorycode.scoring.definitions import Definition
from memorycode.scoring.extraction import extract_code
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.parsing import parse
from memorycode.scoring.strict import judge_objects

SETTINGS: tuple[Setting, ...] = ("history", "session", "instruction")
Patch = Callable[[], AbstractContextManager[Any]]
Moves = Counter[tuple[Verdict, Verdict]]


def main() -> None:
    named = os.environ.get("MEMORYCODE_RELEASE")
    if not named:
        sys.exit("compare_scorers: set MEMORYCODE_RELEASE to the folder with dataset/ and outputs/")
    release = Path(named)
    dialogues = load_dataset(release / "dataset")
    effects: dict[str, Moves] = {}
    for folder in sorted((release / "outputs").iterdir()):
        total: Moves = Counter()
        for question, answer in asked(dialogues, folder):
            official = OfficialScorer().judge(answer, question.rules, question.elicited)
            strictly = strict_verdicts(question, read_code(answer))
            total.update(zip(official, strictly, strict=True))
            for name, verdicts in undone(question, answer):
                effects.setdefault(name, Counter()).update(zip(verdicts, strictly, strict=True))
        print_moves(f"{folder.name}, official -> strict", total)
    print()
    for name, moves in effects.items():
        print_moves(name, moves)


def asked(dialogues: Sequence[Dialogue], folder: Path) -> Iterator[tuple[Question, str]]:
    outputs = load_outputs(folder)
    for dialogue in dialogues:
        for setting in SETTINGS:
            for episode in plan_episodes(dialogue, setting, "last"):
                for question in episode.all_questions:
                    answers = outputs[dialogue.number].answers(setting, question.session)
                    yield question, answers[question.number]


def strict_verdicts(question: Question, code: Code | None) -> list[Verdict]:
    return called_for(question, judged(question, code))


def judged(question: Question, code: Code | None) -> list[Verdict]:
    return judge_objects(None if code is None else collect(code), question.rules)


def called_for(question: Question, verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [
        "violated" if is_elicited and verdict == "absent" else verdict
        for verdict, is_elicited in zip(verdicts, question.elicited, strict=True)
    ]


def undone(question: Question, answer: str) -> Iterator[tuple[str, list[Verdict]]]:
    """The verdicts of a strict scorer that lacks one of its differences."""
    code = read_code(answer)
    yield "elicited objects", judged(question, code)
    first = extract_code(answer).replace("\r\n", "\n").replace("\r", "\n")
    tree = parse(first)
    if tree is not None:
        yield "extraction: other blocks", strict_verdicts(question, Code(first, tree))
    else:
        yield "extraction: code the paper's does not find", ["unparsable"] * len(question.rules)
    for name, patched in UNDONE.items():
        with patched():
            yield name, strict_verdicts(question, code)


def print_moves(name: str, moves: Moves) -> None:
    moved = {move: count for move, count in moves.items() if move[0] != move[1]}
    print(f"{name}: {sum(moved.values())} of {moves.total()} verdicts")
    for (old, new), count in sorted(moved.items(), key=lambda row: -row[1]):
        print(f"  {count:6}  {old} -> {new}")


# ── how to undo each difference ───────────────────────────────────────────────────────────────


Collector = code_objects._Collector
FUNCTION_DEF, MEANING = Collector.function_def, name_checks._meaning


def visits(**changed: Callable[[Any, Any], None]) -> Patch:
    """Statements of these types are visited in another way."""
    by_type = {getattr(ast, name): visit for name, visit in changed.items()}
    return lambda: patch.dict(code_objects._VISITS, by_type)


def replaced(target: Any, name: str, new: Any) -> Patch:
    return lambda: patch.object(target, name, new)


def redefined(change: Callable[[Any, Definition], Definition]) -> Patch:
    """What a function's head says is read in another way."""

    def define(node: Any, decorators: tuple[str, ...], receiver: str) -> Definition:
        return change(node, definitions.define(node, decorators, receiver))

    return replaced(code_objects, "define", define)


def matched(*patterns: str) -> Patch:
    """These checks are patterns, as the release has them."""
    return replaced(
        name_checks, "_meaning", lambda check: None if check in patterns else MEANING(check)
    )


def nothing(collector: Any, node: Any) -> None:
    pass


def only_bodies(collector: Any, node: Any) -> None:
    collector.later(node.body, getattr(node, "orelse", []))


def try_without_names(collector: Any, node: Any) -> None:
    if collector._scope.definition is not None:
        collector._scope.definition.has_try = True
    handlers = [handler.body for handler in node.handlers]
    collector.later(node.body, node.orelse, node.finalbody, *handlers)


def match_without_names(collector: Any, node: Any) -> None:
    collector.later(*(case.body for case in node.cases))


def plain_assign(collector: Any, node: Any) -> None:
    for target in node.targets:
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        for part in parts:
            if isinstance(part, ast.Name | ast.Attribute):
                collector.bind(part)


def bind_as_variable(collector: Any, name: str) -> None:
    collector._add(collector._found.variables, name)


def only_init_has_attributes(collector: Any, node: Any) -> None:
    FUNCTION_DEF(collector, node)
    if node.name != "__init__":
        collector._bodies[-1][1].receiver = ""


def nested_are_methods(collector: Any, node: Any) -> None:
    FUNCTION_DEF(collector, node)
    found = collector._found
    if not collector._scope.is_class and collector._scope.receiver:
        found.methods.append(found.functions.pop())


def first_argument(node: Any, found: Definition) -> Definition:
    return replace(found, arguments=tuple(arg.arg for arg in node.args.args[:1]))


def some_annotation(node: Any, found: Definition) -> Definition:
    annotations = [node.returns, *(arg.annotation for arg in node.args.args)]
    return replace(found, annotated="fully" if any(annotations) else "no")


def direct_statements(node: Any, found: Definition) -> Definition:
    types = {type(statement) for statement in node.body}
    return replace(found, has_try=ast.Try in types, has_assert=ast.Assert in types)


def direct_only() -> AbstractContextManager[Any]:
    stack = ExitStack()
    stack.enter_context(redefined(direct_statements)())
    stack.enter_context(patch.dict(code_objects._VISITS, {ast.Assert: nothing}))
    stack.enter_context(patch.dict(code_objects._VISITS, {ast.Try: try_unseen}))
    return stack


def try_unseen(collector: Any, node: Any) -> None:
    definition, collector._scope.definition = collector._scope.definition, None
    Collector.try_block(collector, node)
    collector._scope.definition = definition


UNDONE: dict[str, Patch] = {
    "variables: loop targets": visits(For=only_bodies, AsyncFor=only_bodies),
    "variables: comprehensions and walruses": replaced(
        code_objects, "lines_that_bind", lambda code: []
    ),
    "variables: with, except, match": visits(
        With=only_bodies, AsyncWith=only_bodies, Try=try_without_names, Match=match_without_names
    ),
    "names: augmented, starred and nested targets": visits(Assign=plain_assign, AugAssign=nothing),
    "names: class-level names are attributes": replaced(Collector, "bind_name", bind_as_variable),
    "attributes: set in any method": visits(FunctionDef=only_init_has_attributes),
    "arguments: all of them": redefined(first_argument),
    "functions: nested in methods": visits(FunctionDef=nested_are_methods),
    "functions: asynchronous": visits(AsyncFunctionDef=only_bodies),
    "methods: private names": replaced(
        code_objects, "_is_dunder", lambda name: name.startswith("__")
    ),
    "try and assert: nested in blocks": direct_only,
    "annotations: every parameter": redefined(some_annotation),
    "imports: from": visits(ImportFrom=nothing),
    "imports: submodules": replaced(strict, "_is_within", lambda module, name: module == name),
    "decorators: aliases": replaced(Collector, "_resolve_decorators", lambda collector: None),
    "comments: tokens": replaced(code_objects, "has_comment", lambda code: "#" in code),
    "meaning: single digit": matched(DIGIT_PATTERN),
    "meaning: CamelCase": matched(CASE_PATTERNS["camel"]),
    "meaning: other patterns": replaced(
        name_checks,
        "_meaning",
        lambda check: MEANING(check) if check in (DIGIT_PATTERN, CASE_PATTERNS["camel"]) else None,
    ),
}


if __name__ == "__main__":
    main()
