"""Patterns meet names as in `re.match`, in linear time where the release's own pattern is not."""

from __future__ import annotations

import itertools
import re
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycode.rules import CASE_PATTERNS
from memorycode.scoring.matching import match_name

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
    start = time.process_time()
    assert not match_name(CAMEL, name)
    assert time.process_time() - start < 1


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


def test_a_pattern_that_warns_still_compiles() -> None:
    """``[[`` makes `re` warn of a possible nested set, which warning filters can turn into an
    error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert match_name("[[a]+", "[a")
