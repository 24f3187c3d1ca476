"""Parsing survives every input, and says the same under every warning filter."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings

import pytest

from memorycode.scoring.parsing import MAX_TOKENS, parse

HOSTILE = {
    "null byte": "x = 1\0",
    "half a surrogate pair": "x = '\ud800'",
    "nested brackets": "(" * 10_000 + ")" * 10_000,
    "nested operators": "-" * 200_000 + "1",
    "nested attributes": "a" + ".b" * 30_000,
    "nested blocks": "".join("  " * depth + "if a:\n" for depth in range(500)) + "  " * 500 + "b",
    "many elifs": "if a:\n pass\n" + "elif a:\n pass\n" * 50_000,
    "long integer": "x = " + "1" * 100_000,
    "megabyte of statements": "a;" * 500_000,
    "megabyte of errors": "f(" + "a," * 500_000 + "b c)",
    "f-string of many fields": "f'" + "{a}" * 300_000 + "'",
    "long f-string of some fields": "f'" + "b" * 1_000_000 + "{a}" * 10_000 + "'",
    "ten megabytes": " " * 10_000_000,
    "open quote": "'" * 1_000_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_code_is_unparsable_at_once(kind: str) -> None:
    assert parse(HOSTILE[kind]) is None


@pytest.mark.parametrize(
    "code",
    [f"x = '{'a' * 1_000_000}'", f"# {'a' * 1_000_000}", "x" * 1_000_000, "\n" * 1_000_000],
)
def test_a_long_line_alone_is_no_reason(code: str) -> None:
    assert parse(code) is not None


def test_the_limit_is_far_above_what_models_write() -> None:
    assert parse("x = 1\n" * (MAX_TOKENS // 3)) is not None
    assert parse("x = 1\n" * (MAX_TOKENS // 3 + 1)) is None


WARNED = [r"x = '\d'", "x = 1if True else 2", "x = 1 is 1", "assert (a, 'b')"]


@pytest.mark.parametrize("code", WARNED)
def test_no_warning_leaks_and_none_becomes_an_error(code: str) -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        assert parse(code) is not None
    assert shown == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse(code) is not None


@pytest.mark.parametrize("option", ["error", "ignore", "always"])
def test_verdicts_do_not_depend_on_the_interpreters_filter(option: str) -> None:
    program = f"""
from memorycode.rules import Rule
from memorycode.scoring.official import OfficialScorer
rule = Rule(object="variable", check="^x.*")
print([OfficialScorer().judge(code, [rule], [True]) for code in {WARNED!r}])
"""
    done = subprocess.run(
        [sys.executable, "-W", option, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str([["followed"]] * 3 + [["absent"]])
    assert done.stderr == ""


def test_threads_leave_the_filters_as_they_were() -> None:
    before = list(warnings.filters)
    results: list[bool] = []

    def work() -> None:
        results.extend(parse(f"x = '\\d{number}'") is not None for number in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 200
    assert list(warnings.filters) == before


def test_long_code_beyond_ascii_is_not_read() -> None:
    assert parse("ﬁ" * 400_000) is not None
    assert parse("ﬁ" * 600_000) is None
