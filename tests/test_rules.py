"""Checks in the release's form and their meaning are two sides of one thing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycode.rules import (
    CASE_PATTERNS,
    OBJECT_KINDS,
    Check,
    Constraint,
    Family,
    Rule,
    constraint_of,
    rule_from,
)

VALUES = st.text(st.characters(codec="ascii", min_codepoint=33), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("check", "kind", "value"),
    [
        ("^q_.*", "prefix", "q_"),
        (".*_q$", "suffix", "_q"),
        (".*tmp.*", "contains", "tmp"),
        (r".*\d$", "digit", ""),
        (CASE_PATTERNS["camel"], "case", "camel"),
        (True, "presence", ""),
        (("cache", True), "name", "cache"),
        ("^(a|b)_.*", "pattern", "^(a|b)_.*"),
        ("[a-z]+", "pattern", "[a-z]+"),
    ],
)
def test_a_check_means(check: Check, kind: str, value: str) -> None:
    constraint = constraint_of(check)
    assert (constraint.kind, constraint.value) == (kind, value)


@given(st.sampled_from(["prefix", "suffix", "contains"]), VALUES)
def test_any_literal_survives_the_way_to_a_check_and_back(kind: str, value: str) -> None:
    constraint = Constraint.model_validate({"kind": kind, "value": value})
    assert rule_from("function", constraint).constraint == constraint


@pytest.mark.parametrize("check", [False, ("pickle", False)])
def test_a_forbidding_check_is_negative(check: Check) -> None:
    rule = Rule(object="import", check=check)
    assert not rule.constraint.positive
    assert rule_from("import", rule.constraint) == rule


def test_versions_share_a_family_and_named_rules_do_not() -> None:
    assert (
        Rule(object="method", check="^a_.*").family == Rule(object="method", check="^zz_.*").family
    )
    retry = Rule(object="method decorator", check=("retry", True)).family
    assert retry != Rule(object="method decorator", check=("cache", True)).family
    assert retry.number == 32
    assert Family(object="import", kind="name", name="never_seen").number is None


def test_every_family_of_the_release_has_its_number(release: Path) -> None:
    topics = json.loads((release / "topics.json").read_text())
    for topic in topics["instructions"]:
        for object_, check in topic["regex"]:
            rule = Rule.model_validate({"object": object_, "check": check})
            assert rule.family.number == topic["id"]
            assert rule_from(rule.object, rule.constraint) == rule


def test_all_kinds_of_object_are_known() -> None:
    assert len(OBJECT_KINDS) == len(set(OBJECT_KINDS)) == 19
