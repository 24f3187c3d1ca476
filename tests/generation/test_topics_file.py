"""The release's ``topics.json`` as a pool: loads, is put into words, and errors name the key."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memorycode.errors import SeedError
from memorycode.generation.generate import generate_dialogues
from memorycode.generation.pool import SeedPool
from memorycode.generation.settings import GenerationSettings
from memorycode.scoring.detection import detect

RELEASE = os.environ.get("MEMORYCODE_RELEASE", "")

TOPICS: dict[str, Any] = {
    "contexts": [{"mentor": "Ada", "mentee": "Bo", "company": "Cog"}],
    "personas": {"mentor": ["[mentor] is {kind}."], "mentee": ["[mentee] listens to [mentee]."]},
    "instructions": [
        {
            "id": 6,
            "text": ["functions begin with 'k_'", "functions begin with 'l_'"],
            "regex": [["function", "^k_.*"], ["function", "^l_.*"]],
            "eval_query": "function that bakes bread",
            "shuffle_updates": True,
        },
        {
            "id": 51,
            "text": ["put the '@log' decorator from the 'tools' module on methods"],
            "regex": [["method decorator", ["log", True]]],
            "eval_query": "Oven class",
            "shuffle_updates": True,
        },
    ],
    "fillers": [{"id": 0, "text": "Bread for the party"}, {"id": 1, "text": "HR and the oven"}],
    "fillers_instruction": [{"id": 101, "text": ["Wear an apron", "wear a hat"]}],
}


def write(folder: Path, **changed: object) -> Path:
    file = folder / "topics.json"
    file.write_text(json.dumps(TOPICS | changed), encoding="utf-8")
    return file


def test_a_topics_file_is_a_pool(tmp_path: Path) -> None:
    pool = SeedPool.load(write(tmp_path))
    assert SeedPool.load(tmp_path) == pool
    prefix, decorator = pool.instructions
    assert prefix.rule(1).check == "^l_.*"
    assert prefix.text(1) == "functions begin with 'l_'"
    assert (decorator.module, decorator.rule(0).check) == ("tools", ("log", True))
    assert [seed.about for seed in pool.fillers] == ["bread for the party", "HR and the oven"]
    assert pool.filler_instructions[0].versions[0].say == "Please wear an apron."
    assert pool.people.names == ("Ada", "Bo")
    assert pool.people.mentor[0].text.format(name="Ada") == "Ada is {kind}."
    assert pool.people.mentee[0].text.format(name="Bo") == "Bo listens to Bo."
    assert pool.phrases == SeedPool.load().phrases


def test_dialogues_can_be_made_of_it(tmp_path: Path) -> None:
    pool = SeedPool.load(write(tmp_path))
    settings = GenerationSettings(n_dialogues=3, n_sessions=(8,), instruction_share=(1, 1))
    for dialogue in generate_dialogues(settings, seed=1, pool=pool):
        told = [i for session in dialogue.sessions for i in session.instructions]
        assert {i.text for i in told} == {
            t for item in TOPICS["instructions"] for t in item["text"]
        }
        for session in dialogue.sessions:
            stated = {found.rule for found in detect(session.text, dialogue.context.mentor)}
            assert stated == set(session.rules)


@pytest.mark.parametrize(
    ("changed", "key", "problem"),
    [
        ({"fillers": None}, "fillers", "want a list"),
        ({"fillers": [{"id": 0}]}, "fillers[0].text", "missing"),
        ({"fillers": [{"id": 0, "text": ""}]}, "fillers[0].text", "empty"),
        ({"contexts": [{"mentor": 3}]}, "contexts[0].mentor", "want a string"),
        ({"personas": {"mentor": [], "mentee": ["x"]}}, "people.mentor", "want at least 1 of them"),
        (
            {"instructions": [{"id": 6, "text": ["a"], "regex": [["function", "("]]}]},
            "instructions[0].regex[0]",
            "does not compile",
        ),
        (
            {"instructions": [{"id": 6, "text": ["a"], "regex": []}]},
            "instructions[0].regex",
            "run in parallel",
        ),
        (
            {
                "instructions": [
                    {
                        "id": 6,
                        "text": ["a", "b"],
                        "regex": [["function", "^k_.*"], ["class", "^k_.*"]],
                        "eval_query": "q",
                    }
                ]
            },
            "instructions[0].regex[1]",
            "another family",
        ),
        (
            {
                "instructions": [
                    {"id": 7, "text": ["a"], "regex": [["function", "^k_.*"]], "eval_query": "q"}
                ]
            },
            "instructions[0]",
            "family 6, not 7",
        ),
        (
            {
                "instructions": [
                    {"id": 6, "text": ["a"], "regex": [["function", r"^a\ b.*"]], "eval_query": "q"}
                ]
            },
            "instructions[0].regex[0]",
            "want the beginning of a name",
        ),
        (
            {
                "instructions": [
                    {"id": 6, "text": ["a"], "regex": [["function", "^a_.*"]], "eval_query": ""}
                ]
            },
            "instructions[0].eval_query",
            "empty",
        ),
    ],
)
def test_a_fault_is_reported_with_file_and_key(
    tmp_path: Path, changed: dict[str, object], key: str, problem: str
) -> None:
    file = write(tmp_path, **changed)
    with pytest.raises(SeedError) as caught:
        SeedPool.load(file)
    assert caught.value.file == str(file)
    assert caught.value.key == key
    assert problem in caught.value.problem


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "topics.json").write_text("{", encoding="utf-8")
    with pytest.raises(SeedError, match=r"topics\.json: not JSON"):
        SeedPool.load(tmp_path)


@pytest.mark.skipif(not RELEASE, reason="MEMORYCODE_RELEASE is not set")
def test_the_releases_file_has_the_same_rules_as_our_pool() -> None:
    theirs, ours = SeedPool.load(Path(RELEASE) / "topics.json"), SeedPool.load()
    assert (len(theirs.fillers), len(theirs.filler_instructions)) == (51, 30)
    for one, other in zip(theirs.instructions, ours.instructions, strict=True):
        assert (one.number, one.module, one.versions) == (
            other.number,
            other.module,
            other.versions,
        )
    settings = GenerationSettings(n_dialogues=6, n_sessions=(10, 25))
    assert all(generate_dialogues(settings, seed=1, pool=theirs))
