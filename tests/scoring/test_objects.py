"""Which objects the paper's evaluator sees, quirk by quirk."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence

import pytest

from memorycode.rules import ObjectKind
from memorycode.scoring import objects
from memorycode.scoring.objects import objects_of
from memorycode.scoring.parsing import SHORT


def seen(code: str, kind: ObjectKind) -> list[list[str] | str]:
    """The items of a kind, sorted, since their order has no meaning."""
    found = objects_of(textwrap.dedent(code))
    assert found is not None
    items: Sequence[Sequence[str]] = found.get(kind, ())
    return sorted((item if isinstance(item, str) else list(item) for item in items), key=str)


METHODS = """
    class Outer:
        def __init__(self, a):
            self.a = a
            self.b, self.c = a
            self.d: int = a
            self.e = self.f = a
            other.g = a
            self.h.i = a
            if a:
                self.j = a
            x = a

        def run(self):
            def helper():
                pass
            class Inner:
                def deep(self):
                    pass
            def after():
                pass

        def __len__(self):
            def in_dunder():
                pass

        async def fetch(self):
            def in_async():
                pass

        class Nested:
            def inner(self):
                pass

        def last(self):
            pass

    def outside():
        class Local:
            def local_method(self):
                pass
        def nested():
            pass
"""


def test_a_function_nested_in_a_method_is_a_method() -> None:
    assert seen(METHODS, "method") == [
        ["after"],
        ["deep"],
        ["helper"],
        ["in_async"],
        ["in_dunder"],
        ["inner"],
        ["last"],
        ["local_method"],
        ["run"],
    ]


def test_functions_stand_outside_every_class() -> None:
    assert seen(METHODS, "function") == [["nested"], ["outside"]]


def test_classes_wherever_they_stand() -> None:
    assert seen(METHODS, "class") == [["Inner"], ["Local"], ["Nested"], ["Outer"]]


def test_attributes_are_plain_assignments_to_self_right_in_init() -> None:
    assert seen(METHODS, "attribute") == [["a", "e", "f"]]


def test_an_init_without_attributes_counts_and_a_class_without_init_does_not() -> None:
    assert seen("class A:\n def __init__(self): pass", "attribute") == [[]]
    assert seen("class A: pass", "attribute") == []
    assert seen("def __init__(self):\n self.a = 1", "attribute") == []
    assert seen("def __init__(self):\n self.a = 1", "function") == [["__init__"]]


def test_asynchronous_functions_are_not_counted_but_entered() -> None:
    code = "async def f(a):\n 'doc'\n x = 1\n def g(b): pass"
    assert seen(code, "function") == [["g"]]
    assert seen(code, "function argument") == [["b"]]
    assert seen(code, "variable") == [["x"]]


def test_arguments_are_the_ordinary_ones_of_each_function() -> None:
    code = "def f(a, b=1, *c, d, **e): pass\ndef g(x, /, y): pass\ndef h(): pass"
    assert seen(code, "function argument") == [["a", "b"], ["y"], []]


def test_arguments_of_methods_are_not_looked_at() -> None:
    assert seen("class A:\n def f(self, a): pass", "function argument") == []


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("a = b = 1", ["a", "b"]),
        ("a, (b, c), d = e", ["a", "d"]),
        ("[a, b] = c", []),
        ("a, *b = c", ["a"]),
        ("a.b = c[d] = 1", []),
        ("a: int = 1\nb: int", ["a", "b"]),
        ("a.b: int = 1", []),
        ("a += 1", []),
        ("for a in b: pass", []),
        ("with a as b: pass", []),
        ("(a := 1)", []),
        ("class A:\n a = 1\n def f(self):\n  b = 1", ["a", "b"]),
        ("class A:\n def __init__(self):\n  a = 1", ["a"]),
        ("lambda: (a := 1)", []),
    ],
)
def test_variables(code: str, names: list[str]) -> None:
    assert seen(code, "variable") == [[name] for name in names]


BLOCKS = [
    "if a:\n x = 1\nelif b:\n x = 1\nelse:\n x = 1",
    "for a in b:\n x = 1\nelse:\n x = 1",
    "while a:\n x = 1\nelse:\n x = 1",
    "with a:\n x = 1",
    "try:\n x = 1\nexcept a:\n x = 1\nexcept b:\n x = 1\nelse:\n x = 1\nfinally:\n x = 1",
    "try:\n x = 1\nexcept* a:\n x = 1\nelse:\n x = 1\nfinally:\n x = 1",
    "match a:\n case 1:\n  x = 1\n case _:\n  x = 1",
    "def f():\n x = 1",
    "class A:\n x = 1",
    "async def f():\n x = 1\n async for a in b:\n  x = 1\n else:\n  x = 1\n async with a:\n  x = 1",
]


@pytest.mark.parametrize("code", BLOCKS)
def test_every_block_is_entered(code: str) -> None:
    assert len(seen(code, "variable")) == code.count("x = 1")


def test_every_kind_of_statement_with_a_body_is_tried_above() -> None:
    """A Python with a new kind of block must not go unnoticed."""
    blocks = {
        kind
        for kind in ast.stmt.__subclasses__()
        if {"body", "cases"} & set(kind._fields) and kind.__name__ != "TypeAlias"
    }
    tried = {type(node) for code in BLOCKS for node in ast.walk(ast.parse(code))}
    assert blocks <= tried


@pytest.mark.parametrize(
    ("body", "statements"),
    [
        ("try: pass\n except: pass", {"try": 1, "assert": 0}),
        ("try: pass\n except* a: pass", {"try": 0, "assert": 0}),
        ("with a:\n  assert b\n  try: pass\n  finally: pass", {"try": 0, "assert": 0}),
        ("assert a\n assert b", {"try": 0, "assert": 2}),
    ],
)
@pytest.mark.parametrize("kind", ["function", "method"])
def test_try_and_assert_right_in_the_body(
    body: str, statements: dict[str, int], kind: ObjectKind
) -> None:
    function = f"def f(self):\n {body}\n"
    code = function if kind == "function" else "class A:\n" + textwrap.indent(function, " ")
    kinds: dict[str, ObjectKind] = {
        "try": "function try" if kind == "function" else "method try",
        "assert": "function assert" if kind == "function" else "method assert",
    }
    for name, count in statements.items():
        assert [len(item) for item in seen(code, kinds[name])] == [count]


@pytest.mark.parametrize(
    ("signature", "count"),
    [
        ("(a)", 0),
        ("(a: int, b)", 1),
        ("(a: int, b: int) -> int", 3),
        ("() -> None", 1),
        ("(*, a: int)", 0),
        ("(*a: int, **b: int)", 0),
        ("(a: int, /)", 0),
    ],
)
def test_annotations_of_ordinary_arguments_and_return(signature: str, count: int) -> None:
    assert [len(i) for i in seen(f"def f{signature}: pass", "function annotation")] == [count]
    method = f"class A:\n def f{signature}: pass"
    assert [len(item) for item in seen(method, "method annotation")] == [count]


def test_decorators_by_their_last_name() -> None:
    lines = ["@a", "@b.c", "@d(1)", "@e.f(1)(2)", "@g[0]"]
    names = ["a", "c", "d", "f"]
    assert seen("\n".join([*lines, "def f(): pass"]), "function decorator") == [names]
    assert seen("\n".join([*lines, "class A: pass"]), "class decorator") == [names]
    method = "\n ".join(["class A:", *lines, "def f(self): pass"])
    assert seen(method, "method decorator") == [names]
    assert seen("def f(): pass", "function decorator") == [[]]


@pytest.mark.parametrize(
    ("docstring", "is_there"),
    [
        ("'text'", True),
        ("''", False),
        ("'  '", False),
        ("'\\n\\t'", True),  # cleaning keeps white space after the first line
        ("b'text'", False),
        ("f'text'", False),
        ("'a' 'b'", True),
        ("1", False),
        ("x = 'text'", False),
    ],
)
def test_docstrings_that_are_not_empty_once_cleaned(docstring: str, is_there: bool) -> None:
    code = f"def f():\n {docstring}\n"
    function = ast.parse(code).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert bool(ast.get_docstring(function)) is is_there
    assert [bool(item) for item in seen(code, "function docstring")] == [is_there]
    method = "class A:\n" + textwrap.indent(code, " ")
    assert [bool(item) for item in seen(method, "method docstring")] == [is_there]


def test_imports_are_plain_ones_by_module() -> None:
    code = "import a, b.c as d\nfrom e import f\ndef g():\n import h"
    assert seen(code, "import") == ["a", "b.c", "h"]


def test_comments_are_whatever_follows_a_hash() -> None:
    assert seen("x = '# no'  # yes\n# more", "comment") == [["# no'  # yes", "# more"]]
    assert seen("x = 1", "comment") == [[]]


def test_code_that_does_not_parse_has_no_objects() -> None:
    assert objects_of("def f(:") is None


def test_a_long_chain_of_elifs_is_followed_to_its_end() -> None:
    code = "if a:\n pass\n" + "elif a:\n pass\n" * 700 + "else:\n x = 1"
    assert seen(code, "variable") == [["x"]]


def test_the_cache_is_bounded() -> None:
    assert objects._kept.cache_info().maxsize == objects.CACHED_CODES


def test_long_code_is_not_kept() -> None:
    before = objects._kept.cache_info().misses
    assert objects_of("long = 1" + " " * SHORT) is not None
    assert objects._kept.cache_info().misses == before
