"""Which objects the strict scorer sees: all of them, each under its own name."""

from __future__ import annotations

import textwrap

import pytest

from memorycode.scoring.answer_code import read_code
from memorycode.scoring.code_objects import CodeObjects, collect


def objects(code: str) -> CodeObjects:
    read = read_code(textwrap.dedent(code))
    assert read is not None
    return collect(read)


VARIABLES = [
    ("x = 1", "x"),
    ("x = y = 1", "x y"),
    ("x: int", "x"),
    ("x: int = 1", "x"),
    ("x += 1", "x"),
    ("(x, [y, *z]), w = a", "w x y z"),
    ("x[0] = y.z = 1", ""),
    ("for x, (y, z) in a: 0", "x y z"),
    ("async def f():\n async for x in a: 0\n async with b as y: 0", "x y"),
    ("with a as x, b as (y, *z): 0", "x y z"),
    ("try: 0\nexcept E as x: 0\nexcept F: y = 1", "x y"),
    ("try: 0\nexcept* E as x: 0", "x"),
    ("try: 0\nexcept (x := E): 0", "x"),
    ("if (x := a): 0", "x"),
    ("while (x := a) or (y := b): 0\nelse: z = 1", "x y z"),
    ("f(a, b=(x := 1))", "x"),
    ("return_ = f'{(x := 1)}'", "return_ x"),
    ("def f(a=(x := 1), *, b: (y := 2) = 3) -> (z := 4): 0", "x y z"),
    ("@d(x := 1)\n@e\ndef f(): 0", "x"),
    ("class A(b, c=(x := 1)): 0", "x"),
    ("f = lambda a: (x := a)", "f x"),
    ("a([x for x in b if (y := x)])", "x y"),
    ("return_ = {x: y for x, y in a}", "return_ x y"),
    ("f(x for x in a for y in x)", "x y"),
    ("f(\n  x\n  for x in a\n)", "x"),
    ("for x in [y for y in a]: 0", "x y"),
    ("for x in (y := a): 0", "x y"),
    ("if (\n  (x := a)\n): 0", "x"),
    ("for x in (\n  y\n  for y in a\n): 0", "x y"),
    ("if a: b([x for x in c])", "x"),
    ("assert all(x for x in a)", "x"),
    ("def f():\n  'for each'\n  # for all\n  return [x for x in a]", "x"),
    ("match a:\n case [x, *y]: 0\n case {'k': z, **w}: 0", "w x y z"),
    ("match a:\n case A(x, b=y) | A(y, b=x) as z if (w := z): 0", "w x x y y z"),
    ("match (x := a):\n case _: y = 1", "x y"),
    ("global x\ndel y\nimport z\ndef w(v): 0\nclass C: 0", ""),
    ("def f(a):\n  a = 1", "a"),
    ("_ = __all__ = __ = 1", "__"),
    ("class A:\n  def m(self):\n    x = [y for y in a]", "x y"),
    ("class A:\n  b = [y for y in a]", "y"),
    ("class A:\n  def m(self):\n    for self.b in x: 0\n    class B:\n      c = 1\n    z = 1", "z"),
]


@pytest.mark.parametrize(("code", "names"), VARIABLES)
def test_variables(code: str, names: str) -> None:
    assert sorted(objects(code).variables) == names.split()


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("b = c = 1", "b c"),
        ("b: int", "b"),
        ("for b in a: c = 1", "b c"),
        ("with a as b: 0", "b"),
        ("if (b := a): c = 1\n  else: d = 1", "b c d"),
        ("__slots__ = ('b',)\n  _ = 1", ""),
        ("def m(self): self.b = self.c = 1", "b c"),
        ("def m(self): self.b: int = 1", "b"),
        ("def m(self): self.b: int", "b"),
        ("def m(self): self.b += 1", "b"),
        ("def m(self): self.b, (self.c, *self.d) = x", "b c d"),
        ("def m(self):\n    for self.b in x: 0\n    with y as self.c: 0", "b c"),
        ("def m(self): [0 for self.b in x]", "b"),
        ("async def m(self):\n    if a:\n      try: self.b = 1\n      finally: self.c = 1", "b c"),
        ("def m(self):\n    def f(): self.b = 1", "b"),
        ("def m(self): self.a.b = other.c = self.d[0] = 1", ""),
        ("def m(self): x = self.b; del self.c", ""),
        ("@classmethod\n  def m(cls): cls.b = 1", "b"),
        ("def m(this): this.b = 1", "b"),
        ("@staticmethod\n  def m(other): other.b = 1", ""),
        ("def __init__(self, /): self.b = 1", "b"),
        ("class B:\n    b = 1", "b"),
    ],
)
def test_attributes(body: str, names: str) -> None:
    assert sorted(objects(f"class A:\n  {body}").attributes) == names.split()


def test_outside_a_class_nothing_is_an_attribute() -> None:
    assert objects("def f(self): self.a = 1\nx.b = 1").attributes == []


def test_functions_and_methods() -> None:
    found = objects("""
        class Outer:
            if a:
                def under_if(self): 0
            else:
                async def under_else(self): 0
            try:
                def under_try(self): 0
            finally:
                0
            with a:
                def under_with(self): 0
            def __init__(self):
                def in_dunder(): 0
            def method(self):
                def in_method():
                    async def in_function(): 0
                class Local:
                    def of_local(self): 0
            class Inner:
                @property
                def of_inner(self): 0

        def plain():
            while a:
                async def in_loop(): 0
    """)
    assert sorted(found.name for found in found.methods) == [
        "method",
        "of_inner",
        "of_local",
        "under_else",
        "under_if",
        "under_try",
        "under_with",
    ]
    assert sorted(found.name for found in found.functions) == [
        "in_dunder",
        "in_function",
        "in_loop",
        "in_method",
        "plain",
    ]
    assert sorted(found.name for found in found.classes) == ["Inner", "Local", "Outer"]


def test_a_walrus_or_comprehension_is_found_wherever_it_stands() -> None:
    """The short cut that leaves most expressions alone must not lose one."""
    padding = "y = 'for'\n" * 3
    for code, names in VARIABLES:
        padded = f"{padding}if a:\n  0\n{code}\n{padding}"
        assert sorted(objects(padded).variables) == sorted([*"yyyyyy", *names.split()]), code


def test_a_long_chain_of_elifs_is_followed_to_its_end() -> None:
    code = "if a:\n pass\n" + "elif a:\n pass\n" * 700 + "else:\n x = 1"
    assert objects(code).variables == ["x"]
