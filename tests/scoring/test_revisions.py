"""A verdict that changes has to raise its scorer's revision: records keep verdicts by revision."""

from __future__ import annotations

import json

import pytest

from memorycode.scoring.rule_cache import WordingReader
from memorycode.scoring.scorers import SCORER_NAMES, make_scorer
from tests.golden.revisions import (
    FILE,
    SPEAKERS,
    answers,
    current,
    readings_hash,
    rules,
    texts,
    verdicts_hash,
)

KEPT = json.loads(FILE.read_text(encoding="utf-8"))
JUDGES = [*SCORER_NAMES, WordingReader.name]


@pytest.fixture(scope="module")
def now() -> dict[str, dict[str, object]]:
    return current()


@pytest.mark.parametrize("name", JUDGES)
def test_what_is_said_changes_with_the_revision_alone(
    now: dict[str, dict[str, object]], name: str
) -> None:
    if now[name]["revision"] == KEPT[name]["revision"]:
        assert now[name] == KEPT[name], (
            f"{name} says something else than before: raise its revision, then "
            "run python -m tests.golden.revisions"
        )
    else:
        pytest.fail(f"{name} has a new revision: run python -m tests.golden.revisions")


def test_all_that_is_judged_is_kept(now: dict[str, dict[str, object]]) -> None:
    assert sorted(now) == sorted(KEPT) == sorted(JUDGES)


def test_the_hash_sees_a_single_verdict() -> None:
    """The test above can fail: one verdict of thousands, one reading of hundreds."""
    strict = make_scorer("strict")
    last = list(answers())[-1]

    class Changed:
        name, revision = "strict", 1

        def judge(self, answer, rules, elicited):  # type: ignore[no-untyped-def]
            verdicts = strict.judge(answer, rules, elicited)
            return ["absent", *verdicts[1:]] if answer == last else verdicts

    class Deaf(WordingReader):
        def rules_in(self, text, speakers):  # type: ignore[no-untyped-def]
            found = list(super().rules_in(text, speakers))
            return found[:-1] if text == heard else found

    heard = next(text for text in texts() if list(WordingReader().rules_in(text, SPEAKERS)))
    assert verdicts_hash(Changed()) != verdicts_hash(strict)
    assert readings_hash(Deaf()) != readings_hash(WordingReader())


def test_the_answers_and_texts_say_all_that_can_be_said() -> None:
    said = {
        verdict
        for answer in answers()
        for verdict in make_scorer("strict").judge(answer, rules(), [False] * len(rules()))
    }
    assert said == {"followed", "violated", "absent", "unparsable"}
    read = [list(WordingReader().rules_in(text, SPEAKERS)) for text in texts()]
    assert 0.3 < sum(map(bool, read)) / len(read) < 1
