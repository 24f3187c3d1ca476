"""Rules that no name can satisfy together are told from those that one can."""

from __future__ import annotations

import pytest

from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN, ObjectKind, Rule
from memorycode.scoring.compatibility import clashing, most_followed, satisfiable
from memorycode.scoring.official import OfficialScorer

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
