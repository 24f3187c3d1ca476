"""The audit of the published release: what is known of it is found, and little else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from memorycode.audit import AuditReport, audit_dataset

FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "dataset_facts.json").read_text(encoding="utf-8")
)
RELEASE = os.environ.get("MEMORYCODE_RELEASE", "")
needs_release = pytest.mark.skipif(not RELEASE, reason="MEMORYCODE_RELEASE names no folder")

FALSE_ALARMS = {(125, 0), (289, 3)}
"""Findings that a reader rejects or may reject; docs/audit.md says why."""

BEYOND_THE_LISTS = {
    *((113, 0), (223, 9), (231, 9), (279, 37), (339, 17), (347, 27)),  # stated, not in gold
    *((331, 27), (350, 36), (351, 57)),  # the object is the mentee's
    *((242, 16), (333, 16), (335, 89)),  # optional; member variables; a verb is missing
}
"""Findings that stand in no list and that a reader confirms."""


@lru_cache(maxsize=1)
def release_report() -> AuditReport:
    return audit_dataset(Path(RELEASE) / "dataset")


def places(name: str) -> set[tuple[int, int]]:
    return {(entry["dialogue"], entry["session"]) for entry in FACTS[name]}


def release_places(wanted: Callable[[str], bool]) -> set[tuple[int, int | None]]:
    return {(p.dialogue, p.session) for p in release_report().problems if wanted(p.kind)}


@needs_release
def test_release_counts() -> None:
    counts = release_report().counts
    assert {name: counts[name] for name in FACTS["counts"]} == FACTS["counts"]


@needs_release
def test_release_ceilings() -> None:
    wanted = FACTS["ceiling_official_when_every_object_occurs"]
    found = release_report().ceiling["official"].model_dump()
    for name in ("short_history", "long_history", "session"):
        assert found[name] == pytest.approx(wanted[name], abs=0.002)


@needs_release
def test_release_dialogues_whose_rules_clash() -> None:
    clashing = [d.dialogue for d in release_report().dialogues if (d.ceiling["official"] or 0) < 1]
    assert clashing == FACTS["dialogues_with_unsatisfiable_rules_under_official"]


@needs_release
def test_release_dialogues_with_shared_questions_have_fewer_of_them() -> None:
    shared = {d for d, _ in release_places(lambda kind: kind == "shared_question")}
    assert sorted(shared) == FACTS["dialogues_with_fewer_queries_than_rules"]


@needs_release
def test_release_sessions_that_garble_or_miss_their_rule() -> None:
    """By the text alone: other kinds of problem may fall on the same session."""
    texts = {(p.dialogue, p.session) for p in release_report().text_problems}
    beyond = release_places(lambda kind: kind == "not_in_gold")
    missed = places("anomalous_sessions") - (texts - beyond)
    assert len(missed) <= 2, missed


@needs_release
def test_release_rules_beyond_gold() -> None:
    found = release_places(lambda kind: kind == "not_in_gold")
    assert len(places("stated_not_in_gold") & found) >= 22


@needs_release
def test_release_labels() -> None:
    assert places("odd_labels") <= release_places(lambda kind: kind == "odd_label")


@needs_release
def test_release_findings_beyond_the_lists_have_been_read() -> None:
    """A new finding is to be read, and put in one of the two sets (and the docs)."""
    texts = {(p.dialogue, p.session) for p in release_report().text_problems}
    unlisted = texts - places("anomalous_sessions") - places("stated_not_in_gold")
    assert unlisted == BEYOND_THE_LISTS | FALSE_ALARMS
    assert len(FALSE_ALARMS) <= 5
