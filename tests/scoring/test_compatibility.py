"""Rules that no name can satisfy together are told from those that one can."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

import pytest

from memorycode.protocols import Verdict
from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN, Constraint, ObjectKind, Rule, rule_from
from memorycode.scoring.compatibility import clashing, most_followed, satisfiable
from memorycode.scoring.official import OfficialScorer
from memorycode.scoring.scorers import SCORER_NAMES, ScorerName, make_scorer

OFFICIAL = OfficialScorer()


def rules(*checks: str, object: ObjectKind = "function") -> list[Rule]:
    return [Rule(object=object, check=check) for check in checks]


@pytest.mark.parametrize(
    "checks",
    [
        (),
        ("^a_.*", ".*chx.*", ".*_b$"),
        ("^a_.*", ".*chx.*", DIGIT_PATTERN),
        (".*_v2$", DIGIT_PATTERN),
        (CASE_PATTERNS["upper"], DIGIT_PATTERN),
        (CASE_PATTERNS["camel"], DIGIT_PATTERN, ".*chx.*"),
        (CASE_PATTERNS["snake"], "^a_.*", ".*_b$"),
        (CASE_PATTERNS["camel"], "^K.*"),
        ("^_.*", CASE_PATTERNS["snake"]),
    ],
)
def test_one_name_can_do_it(checks: tuple[str, ...]) -> None:
    assert satisfiable(rules(*checks), OFFICIAL)


@pytest.mark.parametrize(
    "checks",
    [
        (".*_a$", DIGIT_PATTERN),
        (".*_a$", ".*_b$"),
        (CASE_PATTERNS["upper"], "^a_.*"),
        (CASE_PATTERNS["camel"], ".*_b$"),
        (CASE_PATTERNS["snake"], CASE_PATTERNS["upper"]),
        ("^1.*",),
    ],
)
def test_no_name_can_do_it(checks: tuple[str, ...]) -> None:
    assert not satisfiable(rules(*checks), OFFICIAL)


def test_rules_of_different_objects_do_not_meet() -> None:
    assert satisfiable([*rules(".*_a$"), *rules(DIGIT_PATTERN, object="method")], OFFICIAL)


def test_rules_that_are_not_about_names_do_not_matter() -> None:
    others = [
        Rule(object="function", check=True),
        Rule(object="import", check=("secrets", True)),
        Rule(object="function", check=r"^(?:get|set)_\w+$"),
    ]
    assert satisfiable([*others, *rules(".*_a$")], OFFICIAL)


def test_of_two_prefixes_the_longer_one_may_begin_with_the_other() -> None:
    for checks in (("^a_.*", "^a_b_.*"), ("^a_b_.*", "^a_.*"), (".*_b$", ".*_a_b$")):
        assert satisfiable(rules(*checks), OFFICIAL)
        assert clashing(rules(*checks), OFFICIAL) == frozenset()


def test_the_rules_that_clash_are_named_and_no_others() -> None:
    suffix, digit, prefix = rules(".*_a$", DIGIT_PATTERN, "^b_.*")
    assert clashing([suffix, prefix, digit], OFFICIAL) == {suffix, digit}


def test_what_is_no_rule_on_names_counts_as_followed() -> None:
    suffix, digit = rules(".*_a$", DIGIT_PATTERN)
    free = Rule(object="function", check=r"^(?:get|set)_\w+$")
    assert most_followed({suffix: 1, digit: 1, free: 2}, OFFICIAL) == (3, True)
    assert most_followed({Rule(object="comment", check=True): 2}, OFFICIAL) == (2, True)


VALUES = (
    *("a", "i", "n", "d", "ot", "_", "__", "__a", "a__", "___", "_a", "a_", "ab", "abc", "1", "a1"),
    *("1a", "Ab", "A", "if", "No", "é", "\u0303x", "日本", "a-b", "x" * 490, "x" * 600),
)
"""Letters that meet in names: keywords, dunder names, what Python normalizes, what is too long."""


def _drawn(rng: random.Random) -> Rule:
    match rng.choice(("prefix", "suffix", "contains", "traits")):
        case "traits":
            checks = (*CASE_PATTERNS.values(), DIGIT_PATTERN)
            return Rule(object="method", check=rng.choice(checks))
        case kind:
            value = rng.choice(VALUES) + rng.choice(("", "", *VALUES))
            return rule_from("method", Constraint(kind=kind, value=value))


@pytest.mark.parametrize("name", SCORER_NAMES)
def test_the_rules_that_clash_are_those_of_the_pairs_that_no_name_follows(
    name: ScorerName,
) -> None:
    scorer, rng = make_scorer(name), random.Random(5)
    some = 0
    for _ in range(300):
        drawn = [_drawn(rng) for _ in range(rng.randint(2, 5))]
        distinct = list(dict.fromkeys(drawn))
        pairs = [pair for pair in combinations(distinct, 2) if not satisfiable(pair, scorer)]
        assert clashing(drawn, scorer) == {rule for pair in pairs for rule in pair}, drawn
        some += 0 < len(pairs) < len(distinct)
    assert some > 50


class _Counting(OfficialScorer):
    """Counts the verdicts that it gives."""

    def __init__(self) -> None:
        self.verdicts = 0

    def judge(self, answer: str, rules: Sequence[Rule], elicited: Sequence[bool]) -> list[Verdict]:
        self.verdicts += len(rules)
        return super().judge(answer, rules, elicited)


def _verdicts_for(times: int) -> int:
    """Those that are given on so many rules that hold together, so many that do not, and traits."""
    letters = str.maketrans("0123456789", "abcdefghij")
    words = [f"{number:04}".translate(letters) for number in range(times)]
    values = [f".*{word}.*" for word in words] + [f"^{word}_.*" for word in words]
    scorer = _Counting()
    clashing(rules(*values, DIGIT_PATTERN, *CASE_PATTERNS.values()), scorer)
    return scorer.verdicts


def test_twice_as_many_rules_are_judged_no_more_than_twice_as_often() -> None:
    few, many = _verdicts_for(100), _verdicts_for(200)
    assert 200 < few < many <= 2 * few
