"""errors.py has every exception of the project, and its tree is the one that there is."""

from __future__ import annotations

import ast
import builtins
from functools import cache
from pathlib import Path

from memorycode import errors

ROOT = Path(__file__).parents[1]

BESIDE_WHAT_THEY_CARRY = {"ReplyRefused"}
"""Those that stand elsewhere, which the tree says."""


@cache
def _exceptions() -> dict[str, Path]:
    """The classes whose ancestors are exceptions, by name, with the file that defines them."""
    bases: dict[str, set[str]] = {}
    files: dict[str, Path] = {}
    for folder in ("memorycode", "memory_strategies", "baselines"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    bases[node.name] = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
                    files[node.name] = file
    known = {
        name
        for name, value in vars(builtins).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    found: set[str] = set()
    while more := {name for name, of in bases.items() if of & (known | found)} - found:
        found |= more
    return {name: files[name] for name in found}


def test_every_exception_stands_in_errors() -> None:
    elsewhere = {name for name, file in _exceptions().items() if file.name != "errors.py"}
    assert elsewhere == BESIDE_WHAT_THEY_CARRY


def test_the_tree_is_that_of_the_classes() -> None:
    tree = (errors.__doc__ or "").replace("│", " ").splitlines()
    parents: list[tuple[int, str]] = []
    told: dict[str, str] = {}
    for line in tree:
        head = line.replace("├── ", "    ").replace("└── ", "    ")
        name = head.split()[0] if head.split() else ""
        if name.rstrip(",") not in _exceptions() or not line.startswith("    "):
            continue
        depth = len(head) - len(head.lstrip())
        parents = [(at, above) for at, above in parents if at < depth]
        told[name] = parents[-1][1] if parents else ""
        parents.append((depth, name))
    assert told.keys() == _exceptions().keys()
    for name, parent in told.items():
        if name not in BESIDE_WHAT_THEY_CARRY:
            base = getattr(errors, name).__bases__[0].__name__
            assert base == (parent or "Exception"), name
