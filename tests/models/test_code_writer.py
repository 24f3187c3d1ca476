"""The code writer: whatever the rules, the code parses and follows them under both readings.

The checks here are written apart from the package's scorers, over `ast` alone, so that a mistake
shared by the writer and a scorer does not go unseen; the official scorer has its say as well.
"""

from __future__ import annotations

import ast
import keyword
import re
import string
import tokenize
from collections.abc import Iterator
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycode.models.code_writer import write_code
from memorycode.rules import (
    CASE_PATTERNS,
    DIGIT_PATTERN,
    OBJECT_KINDS,
    Constraint,
    ConstraintKind,
    ObjectKind,
    Rule,
    rule_from,
)
from memorycode.scoring.official import OfficialScorer

QUERIES = (
    "function that sorts numbers",
    "Stack class with push and pop methods",
    "class",
    "function to return",
    "",
    "写一个函数",
    'function that prints """ and ``` and \\',
)
NAMES: tuple[ObjectKind, ...] = (
    *("function", "function argument", "variable", "method", "attribute"),
)
PRESENCES = tuple(
    kind
    for kind in OBJECT_KINDS
    if kind.split()[-1] in ("docstring", "try", "assert", "annotation", "comment")
)
DECORATED: tuple[ObjectKind, ...] = ("function decorator", "method decorator", "class decorator")

WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=6)
IDENTIFIERS = WORDS.filter(lambda word: not keyword.iskeyword(word))


def follows(code: str, rule: Rule) -> bool:
    """Whether the code follows the rule under the strict reading and, for names, the pattern."""
    objects = list(_objects(ast.parse(code), rule.object))
    constraint = rule.constraint
    match constraint.kind:
        case "name":
            return all((constraint.value in found) is constraint.positive for found in objects)
        case "presence" if rule.object == "comment":
            return constraint.positive is ("COMMENT" in _token_types(code))
        case "presence":
            return all(bool(found) is constraint.positive for found in objects)
        case "digit":
            names = [name for found in objects for name in found]
            return all(len(re.findall(r"\d", name)) == 1 and name[-1].isdigit() for name in names)
        case _:
            names = [name for found in objects for name in found]
            return all(re.match(str(rule.check), name) for name in names)


def _token_types(code: str) -> set[str]:
    tokens = tokenize.generate_tokens(StringIO(code).readline)
    return {tokenize.tok_name[token.type] for token in tokens}


def _objects(tree: ast.Module, kind: ObjectKind) -> Iterator[list[str]]:
    """One list for every object of a kind; a missing part of an object is an empty list."""
    nodes = list(ast.walk(tree))
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    methods = [part for node in classes for part in node.body if isinstance(part, ast.FunctionDef)]
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef) and n not in methods]
    owners = methods if kind.startswith("method") else functions
    stores = [n for n in nodes if isinstance(getattr(n, "ctx", None), ast.Store)]
    match kind.split()[-1]:
        case "function":
            yield from ([node.name] for node in functions)
        case "method":
            yield from ([node.name] for node in methods if node.name != "__init__")
        case "class":
            yield from ([node.name] for node in classes)
        case "argument":
            yield from ([arg.arg for arg in node.args.args] for node in functions)
        case "variable":
            yield from ([node.id] for node in stores if isinstance(node, ast.Name))
        case "attribute":
            yield from ([node.attr] for node in stores if isinstance(node, ast.Attribute))
        case "decorator":
            decorated = classes if kind == "class decorator" else owners
            yield from ([ast.unparse(d) for d in node.decorator_list] for node in decorated)
        case "docstring":
            yield from ([d] if (d := ast.get_docstring(node)) else [] for node in owners)
        case "try":
            yield from ([""] * sum(isinstance(s, ast.Try) for s in n.body) for n in owners)
        case "assert":
            yield from ([""] * sum(isinstance(s, ast.Assert) for s in n.body) for n in owners)
        case "annotation":
            yield from (_annotations(node) for node in owners)
        case "import":
            yield [a.name for node in nodes if isinstance(node, ast.Import) for a in node.names]


def _annotations(node: ast.FunctionDef) -> list[str]:
    hints = [arg.annotation for arg in node.args.args if arg.arg != "self"] + [node.returns]
    return [""] if all(hints) else []


@st.composite
def name_rules(draw: st.DrawFn, kind: ObjectKind) -> list[Rule]:
    """Rules on names of a kind that one name can satisfy: no suffix beside the digit."""
    kinds: list[ConstraintKind] = draw(
        st.lists(st.sampled_from(["prefix", "suffix", "contains", "digit"]), unique=True)
    )
    if {"suffix", "digit"} <= set(kinds):
        kinds.remove("suffix")
    return [rule_from(kind, Constraint(kind=k, value=draw(_value(k)))) for k in kinds]


def _value(kind: ConstraintKind) -> st.SearchStrategy[str]:
    joined = {"prefix": "{}_", "suffix": "_{}", "contains": "{}"}
    form = joined.get(kind)
    return st.just("") if form is None else WORDS.map(form.format)


@st.composite
def class_rules(draw: st.DrawFn) -> list[Rule]:
    """A case, a digit, both or neither."""
    cases = draw(st.lists(st.sampled_from(sorted(CASE_PATTERNS)), max_size=1))
    digits = draw(st.lists(st.just(DIGIT_PATTERN), max_size=1))
    checks = [CASE_PATTERNS[case] for case in cases] + digits
    return [Rule(object="class", check=check) for check in draw(st.permutations(checks))]


@st.composite
def other_rules(draw: st.DrawFn) -> list[Rule]:
    """Presences, demanded or forbidden, and names of decorators and modules."""
    present = draw(st.dictionaries(st.sampled_from(PRESENCES), st.booleans()))
    named = draw(
        st.lists(st.tuples(st.sampled_from((*DECORATED, "import")), IDENTIFIERS, st.booleans()))
    )
    # A rule on a name, and the opposite rule on the same one, are versions of one family.
    families = {(kind, name): positive for kind, name, positive in named if name != "pedantic"}
    rules = [Rule(object=kind, check=check) for kind, check in present.items()]
    return rules + [Rule(object=k, check=(name, yes)) for (k, name), yes in families.items()]


@st.composite
def rule_sets(draw: st.DrawFn) -> list[Rule]:
    rules = [rule for kind in NAMES for rule in draw(name_rules(kind))]
    return draw(st.permutations(rules + draw(class_rules()) + draw(other_rules())))


@settings(deadline=None)
@given(rules=rule_sets(), query=st.sampled_from(QUERIES))
def test_satisfiable_rules_are_all_followed(rules: list[Rule], query: str) -> None:
    code = write_code(rules, query)

    assert [rule for rule in rules if not follows(code, rule)] == []
    verdicts = OfficialScorer().judge(f"```python\n{code}```", rules, [False] * len(rules))
    assert [rule for rule, v in zip(rules, verdicts, strict=True) if v != "followed"] == []


@settings(deadline=None)
@given(
    rules=st.lists(
        st.builds(
            Rule,
            object=st.sampled_from(OBJECT_KINDS),
            check=st.booleans()
            | st.text(max_size=12)
            | st.text(max_size=8).map(lambda text: f"^{re.escape(text)}.*")
            | st.tuples(st.text(max_size=12), st.booleans()),
        )
    ),
    query=st.text(max_size=60),
)
def test_hostile_rules_and_questions_still_give_code_that_parses(
    rules: list[Rule], query: str
) -> None:
    code = write_code(rules, query)

    ast.parse(code)
    assert "```" not in code


@pytest.mark.parametrize("query", QUERIES)
def test_every_object_that_a_rule_may_speak_of_is_there(query: str) -> None:
    tree = ast.parse(write_code([], query))

    for kind in (*NAMES, "class"):
        assert any(_objects(tree, kind)), kind


def test_names_come_from_the_question() -> None:
    function = write_code([], "function that joins two lists")
    klass = write_code([], "Warehouse class with put away and take out methods")

    assert "def joins_two_lists(" in function
    assert "class Warehouse:" in klass
    assert "def put_away(self)" in klass


def test_words_that_spell_a_keyword_are_no_name() -> None:
    assert "def return_value(" in write_code([], "function to return")


@pytest.mark.parametrize("suffix_first", [True, False])
def test_a_suffix_beside_the_digit_keeps_what_can_be_kept(suffix_first: bool) -> None:
    """No name ends in both. The suffix at the end and a digit before it break the official digit
    alone; the other way round would break the suffix under both readings."""
    rules = [
        Rule(object="function", check=r".*_zz$"),
        Rule(object="function", check=DIGIT_PATTERN),
    ]
    code = write_code(rules if suffix_first else rules[::-1], "function that sorts numbers")

    assert "def sorts_numbers1_zz(" in code


def test_of_two_rules_that_clash_the_later_is_followed() -> None:
    upper = Rule(object="class", check=CASE_PATTERNS["upper"])
    prefix = Rule(object="class", check="^k_.*")

    assert "class SORTS_NUMBERS:" in write_code([prefix, upper], "function that sorts numbers")
    assert "class k_" in write_code([upper, prefix], "function that sorts numbers")


def test_a_suffix_that_ends_in_a_digit_serves_both() -> None:
    rules = [
        Rule(object="function", check=r".*_v2$"),
        Rule(object="function", check=DIGIT_PATTERN),
    ]

    assert "def sorts_numbers_v2(" in write_code(rules, "function that sorts numbers")


@pytest.mark.parametrize("pattern", [r"^get_\w+$", r"^_[a-z]+$", r"^[a-z]+\d\Z", r"^[ijk]$"])
def test_an_unknown_pattern_is_met_by_trying_names(pattern: str) -> None:
    rule = Rule(object="function", check=pattern)

    assert follows(write_code([rule], "function that sorts numbers"), rule)


def test_an_argument_and_a_variable_may_share_their_only_name() -> None:
    kinds: tuple[ObjectKind, ...] = ("function argument", "variable")
    rules = [Rule(object=kind, check="^tmp$") for kind in kinds]
    tree = ast.parse(write_code(rules, "function that sorts numbers"))

    assert [list(_objects(tree, kind)) for kind in kinds] == [[["tmp"]], [["tmp"]]]


def test_a_pattern_that_no_name_meets_leaves_the_other_rules_in_force() -> None:
    rules = [Rule(object="function", check="^a_.*"), Rule(object="function", check="(")]

    assert follows(write_code(rules, "function that sorts numbers"), rules[0])


@pytest.mark.parametrize("kind", [*NAMES, "class"])
def test_what_a_rule_forbids_is_left_out(kind: ObjectKind) -> None:
    tree = ast.parse(write_code([Rule(object=kind, check=False)], "function that sorts numbers"))

    assert not any(_objects(tree, kind))


@pytest.mark.parametrize("value", ["a b", "1_", "x-", "e\u0301_", "ﬁ_", "x" * 500, "a\n"])
def test_affixes_that_no_identifier_can_hold_are_passed_over(value: str) -> None:
    rules = [
        Rule(object="function", check=f"^{re.escape(value)}.*"),
        Rule(object="function", check=".*_ok$"),
    ]

    assert "def sorts_numbers_ok(" in write_code(rules, "function that sorts numbers")


def test_decorators_are_imported_once_and_may_be_dotted() -> None:
    rules = [
        Rule(object="function decorator", check=("retry", True)),
        Rule(object="method decorator", check=("retry", True)),
        Rule(object="class decorator", check=("tools.seal", True)),
        Rule(object="class decorator", check=("not a name", True)),
    ]
    code = write_code(rules, "function that sorts numbers")

    assert code.count("import") == 1
    assert "from pedantic import retry\n" in code
    assert "@tools.seal\nclass" in code
