"""Patterns meet names as in `re.match`, in linear time where the release's own pattern is not."""

from __future__ import annotations

import itertools
import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycode.rules import CASE_PATTERNS, DIGIT_PATTERN
from memorycode.scoring.matching import MAX_PATTERN, TOTAL_SECONDS, Budget, match_name

CAMEL = CASE_PATTERNS["camel"]
ARABIC_THREE, FULLWIDTH_A, SUPERSCRIPT_TWO = "\u0663", "\uff21", "\u00b2"
LETTERS = ["A", "Z", "a", "z", "0", "9", "_", "é", "É", ARABIC_THREE, FULLWIDTH_A]


@given(st.text(st.sampled_from([*LETTERS, SUPERSCRIPT_TWO, "\n", " ", "ſ"]), max_size=11))
def test_camel_case_is_what_the_release_has(name: str) -> None:
    assert match_name(CAMEL, name) == bool(re.match(CAMEL, name))


def test_camel_case_on_every_short_name() -> None:
    """One letter of each class, all names of up to six: capital, small, digit, Unicode digit,
    other, line end (which `$` forgives once)."""
    for length in range(7):
        for letters in itertools.product("Aa0\u0663_\n", repeat=length):
            name = "".join(letters)
            assert match_name(CAMEL, name) == bool(re.match(CAMEL, name)), ascii(name)


@given(st.text(max_size=8))
def test_camel_case_on_any_text(name: str) -> None:
    assert match_name(CAMEL, name) == bool(re.match(CAMEL, name))


@pytest.mark.parametrize(
    "name", ["A" + "a" * 59 + "_", "Aa0" * 20 + "_", "A" + "a" * 1_000_000 + "!"]
)
def test_camel_case_does_not_hang(name: str) -> None:
    assert not match_name(CAMEL, name)


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("^a_.*", "a_merge", True),
        ("^a_.*", "merge_a_", False),
        ("a_", "xa_", False),  # `re.match`, not `re.search`
        (r".*\d$", "f1", True),
        (r".*\d$", "f1\n", True),  # `$` forgives a line end
        (CASE_PATTERNS["snake"], "merge_lists", True),
        (CASE_PATTERNS["upper"], "MAX_SIZE rest", True),
    ],
)
def test_other_patterns_are_plain(pattern: str, name: str, matches: bool) -> None:
    assert match_name(pattern, name) is matches


LITERAL = st.text(st.sampled_from(["a", "_", "b", "é", ARABIC_THREE, "-", " ", "#"]), max_size=3)
TEXT = st.text(
    st.sampled_from(["a", "b", "_", "é", "1", ARABIC_THREE, "\n", "\r", "-", "#"]), max_size=9
)


@given(LITERAL.filter(bool), TEXT)
def test_the_releases_other_forms_are_what_re_has(literal: str, name: str) -> None:
    """Line ends in the name included: docstrings and comments are matched too."""
    escaped = re.escape(literal)
    for pattern in (f"^{escaped}.*", f".*{escaped}$", f".*{escaped}.*"):
        assert match_name(pattern, name) == bool(re.match(pattern, name)), pattern


@given(TEXT)
def test_the_releases_fixed_forms_are_what_re_has(name: str) -> None:
    for pattern in (DIGIT_PATTERN, *CASE_PATTERNS.values()):
        assert match_name(pattern, name) == bool(re.match(pattern, name)), pattern


def test_every_form_on_every_short_name() -> None:
    patterns = ["^a_.*", ".*_a$", ".*aa.*", DIGIT_PATTERN, CASE_PATTERNS["upper"]]
    for length in range(6):
        for letters in itertools.product("aA_1\u0663\n", repeat=length):
            name = "".join(letters)
            for pattern in patterns:
                assert match_name(pattern, name) == bool(re.match(pattern, name)), (pattern, name)


ODD = st.lists(
    st.sampled_from(
        [*"ab_.*+?|()[]^$", r"\w", r"\d", r"\b", r"\1", "(?:", "(?=", "{2}", "{1,}", "[^a]", "a|b"]
    ),
    max_size=12,
).map("".join)


@settings(max_examples=400)
@given(ODD, st.text(st.sampled_from("ab_1é"), max_size=8))
def test_unknown_patterns_are_what_re_has(pattern: str, name: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = bool(re.match(pattern, name))
    except re.error:
        expected = False
    assert match_name(pattern, name) == expected


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("(a+)+b{e}", "aac"),
        ("(a+)+b{e}", "aab{e}"),
        ("(a+)+[[:alpha:]]", "aab"),
        ("(a+)+[[:alpha:]]", "aah]"),
        (r"(a+)+\{e}", "aa{e}"),
        ("(a+)+b{}", "aab"),
        ("(a+)+b{,2}$", "aabb"),
        ("(a+)+b{2}$", "aab"),
    ],
)
def test_what_only_the_regex_package_reads_as_more_than_letters(pattern: str, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert match_name(pattern, name) == bool(re.match(pattern, name))


EXPONENTIAL = [
    r"(a+)+$",
    r"(a|aa)+$",
    r"(.*)*x$",
    r"(?:a?){40}a{40}$",
    r"(\\w+\\s?)+:$",
    r"((a*)*)*b",
    r"(.*)\\1\\1!",
    ".*.*.*.*.*.*!",
]


@pytest.mark.parametrize("pattern", EXPONENTIAL)
def test_a_pattern_that_backtracks_without_end_matches_nothing_in_time(pattern: str) -> None:
    assert not match_name(pattern, "a" * 39 + "_")
    assert not match_name(pattern, "a" * 100_000 + "_")


def test_all_matches_of_an_answer_share_a_budget() -> None:
    budget = Budget()
    for number in range(100):
        for pattern in EXPONENTIAL:
            match_name(pattern, "a" * 50 + str(number), budget)
    assert not match_name("(a+)+", "a", Budget(seconds=0))
    assert budget.seconds <= TOTAL_SECONDS


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:(?:(?:a{999}){999}){999})*",
        "(?:" * 90 + "a" + "){2,}" * 90,
        "(?:a{0000000999}){999}" * 2 + "(b*)*",
        "(" * 10_000 + "a" + ")" * 10_000,
        "(?i)[\0-\U0010ffff]*" * 20,
        "a" * (MAX_PATTERN + 1),
        "a" * 10_000_000,
        "(?:" * 160 + ")",
        "a{99999999999999999999}",
        "(?P<a>b)(?P<a>c)",
        "(",
        "*",
    ],
)
def test_a_pattern_that_cannot_be_compiled_within_bounds_matches_nothing(pattern: str) -> None:
    assert not match_name(pattern, "a" * 30)


def test_a_pattern_that_warns_still_compiles() -> None:
    """``[[`` makes `re` warn of a possible nested set, which warning filters can turn into an
    error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert match_name("[[a]+", "[a")
