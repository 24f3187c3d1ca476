"""The seed pool: what it must cover, and errors that name the file and the key."""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from pathlib import Path

import pytest

import memorycode
from memorycode.errors import SeedError
from memorycode.generation.pool import FILES, SeedPool
from memorycode.generation.seed_faults import faults
from memorycode.generation.wording import wording
from memorycode.rules import Rule

SEEDS = Path(memorycode.__file__).parent.parent / "seeds"
RELEASE = os.environ.get("MEMORYCODE_RELEASE", "")


@pytest.fixture(scope="module")
def pool() -> SeedPool:
    return SeedPool.load()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder of seeds, for now a copy of the project's."""
    return Path(shutil.copytree(SEEDS, tmp_path / "seeds"))


def edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_pool_covers_every_family_of_the_release(pool: SeedPool) -> None:
    assert sorted(seed.number for seed in pool.instructions) == list(range(51))
    assert [seed.rule(0).family.number for seed in pool.instructions] == [
        seed.number for seed in pool.instructions
    ]


def test_the_pool_is_as_large_as_promised(pool: SeedPool) -> None:
    assert len(pool.fillers) >= 80
    assert len(pool.filler_instructions) >= 30
    assert all(len(seed.versions) >= 2 for seed in pool.filler_instructions)
    assert len(pool.people.mentor) >= 6
    assert len(pool.people.mentee) >= 6


def test_every_family_has_questions_of_its_own(pool: SeedPool) -> None:
    questions = [query for seed in pool.instructions for query in seed.queries]
    assert all(len(seed.queries) >= 2 for seed in pool.instructions)
    assert len(set(questions)) == len(questions)


def test_no_question_gives_its_rule_away(pool: SeedPool) -> None:
    words = re.compile(
        r"docstring|comment|annotat|\btry\b|assert|decorat|@|import|prefix|suffix|camel|snake|"
        r"uppercase|chx|digit|attribute|argument|variable|_\w",
        re.IGNORECASE,
    )
    for seed in pool.instructions:
        for query in seed.queries:
            assert not words.search(query), query


def test_questions_ask_for_the_object(pool: SeedPool) -> None:
    in_classes = ("class", "method", "attribute")
    for seed in pool.instructions:
        if seed.object.split()[0] in in_classes:
            assert all("class" in query for query in seed.queries)
        elif seed.object.startswith("function"):
            assert all(query.startswith("function") for query in seed.queries)


def test_a_pools_hash_is_of_its_content(pool: SeedPool, folder: Path) -> None:
    assert SeedPool.load(folder).hash == pool.hash
    edit(folder, "people.toml", '"Birchway Systems"', '"Mine Ltd"')
    assert SeedPool.load(folder).hash != pool.hash


def test_versions_may_have_lines_of_their_own(folder: Path) -> None:
    edit(folder, "instructions.toml", 'versions = ["chx"]', 'versions = ["chx"]\ntexts = ["in"]')
    assert SeedPool.load(folder).instructions[1].text(0) == "in"
    edit(folder, "instructions.toml", 'texts = ["in"]', 'texts = ["in", "out"]')
    with pytest.raises(SeedError, match=r"instruction\[1\]: texts: 2 for 1 versions"):
        SeedPool.load(folder)


def test_a_users_folder_replaces_the_seeds(folder: Path) -> None:
    edit(folder, "people.toml", '"Birchway Systems"', '"Mine Ltd"')
    assert "Mine Ltd" in SeedPool.load(folder).people.companies


@pytest.mark.parametrize(
    ("edited", "key", "problem"),
    [
        (
            ("instructions.toml", 'kind = "case"', 'kind = "colour"'),
            "instruction[0].kind",
            "'presence', 'name' or 'pattern', found 'colour'",
        ),
        (
            ("instructions.toml", "number = 1\n", "number = 2\n"),
            "instruction[1]",
            "family 1, not 2",
        ),
        (("instructions.toml", "queries = [", "quest = ["), "instruction[0].queries", "missing"),
        (("instructions.toml", '"a_", "b_"', '"a_", "a_"'), "instruction[6]", "twice"),
        (("instructions.toml", '["secrets"]', '["secrets", "re"]'), "instruction[25]", "families"),
        (("instructions.toml", "[[instruction]]", "[[rule]]"), "instruction", "nothing else"),
        (
            ("instructions.toml", '"camel", "snake"', '"kebab", "snake"'),
            "instruction[0]",
            "value 'kebab' does not go with case",
        ),
        (
            ("instructions.toml", '["chx"]', '[{ value = "chx", positive = false }]'),
            "instruction[1]",
            "positive = false does not go with contains",
        ),
        (
            ("instructions.toml", '["chx"]', '["c\\nhx"]'),
            "instruction[1].versions[0].value",
            "want one line",
        ),
        (("fillers.toml", "number = 1\n", "number = 0\n"), "filler[1].number", "filler[0]"),
        (("fillers.toml", 'about = "the plants"', 'about = ""'), "filler[1].about", "empty"),
        (
            ("filler_instructions.toml", "number = 103", "number = 7"),
            "filler_instruction[2].number",
            "filler[7]",
        ),
        (
            ("filler_instructions.toml", "Please set", "{who} set"),
            "filler_instruction[0].versions[0].say",
            "{who}",
        ),
        (("people.toml", '"Aaliyah"', '"Aaliyah: x"'), "names[0]", "want a speaker's name"),
        (("people.toml", '"Aaliyah"', '"Akua"'), "names", "twice"),
        (("people.toml", '"{name} is calm', '"{nom} is calm'), "mentor[0].text", "{nom}"),
        (("phrases.toml", "[rule.digit]", "[rule.number]"), "rule.digit", "missing; family 45"),
        (
            ("phrases.toml", "Welcome to {company}", "Welcome to {firm}"),
            "meeting[0][0]",
            "{company}",
        ),
        (("phrases.toml", "Welcome to {company}", "Welcome {"), "meeting[0][0]", "brace"),
        (
            ("phrases.toml", "Welcome to {company}", "Hi {mentor.__class__}"),
            "meeting[0][0]",
            "no variable",
        ),
        (
            ("phrases.toml", "instead of {old}", "instead of {new}"),
            "rule.prefix.change[0]",
            "{old}",
        ),
        (("phrases.toml", "closing = [", "ending = ["), "closing", "missing"),
    ],
)
def test_a_fault_is_reported_with_file_and_key(
    folder: Path, edited: tuple[str, str, str], key: str, problem: str
) -> None:
    edit(folder, *edited)
    with pytest.raises(SeedError) as caught:
        SeedPool.load(folder)
    assert caught.value.file == str(folder / edited[0])
    assert caught.value.key == key
    assert problem in caught.value.problem


def test_topics_without_talk_need_that_of_the_phrases(pool: SeedPool) -> None:
    bare = tuple(seed.model_copy(update={"again": ()}) for seed in pool.fillers)
    silent = pool.phrases.model_copy(update={"filler_again_talk": ()})
    assert not list(faults(pool.model_copy(update={"fillers": bare})))
    (fault,) = faults(pool.model_copy(update={"fillers": bare, "phrases": silent}))
    assert (fault.part, fault.key) == ("phrases", "filler_again_talk")


def test_a_file_that_is_not_toml_is_named(folder: Path) -> None:
    (folder / "people.toml").write_text("names = [", encoding="utf-8")
    with pytest.raises(SeedError, match=r"people\.toml: not TOML"):
        SeedPool.load(folder)


def test_a_file_that_is_not_utf_8_is_named(folder: Path) -> None:
    (folder / "people.toml").write_bytes(b"names = ['\xff']")
    with pytest.raises(SeedError, match=r"people\.toml: not UTF-8"):
        SeedPool.load(folder)


@pytest.mark.parametrize("file", FILES.values())
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(SeedError, match=f"{re.escape(file)}: no such file"):
        SeedPool.load(folder)


def test_families_beyond_the_release_are_welcome(folder: Path) -> None:
    with (folder / "instructions.toml").open("a", encoding="utf-8") as file:
        file.write(
            '\n[[instruction]]\nnumber = 51\nobject = "class"\nkind = "prefix"\n'
            'versions = ["K"]\nqueries = ["class for a shelf"]\n'
        )
    assert SeedPool.load(folder).instructions[-1].rule(0) == Rule(object="class", check="^K.*")


def test_a_family_of_ones_own_may_not_take_a_number_of_the_release(folder: Path) -> None:
    edit(
        folder,
        "instructions.toml",
        'kind = "case"\nversions = ["upper", "camel", "snake"]',
        'kind = "prefix"\nversions = ["K"]',
    )
    with pytest.raises(SeedError, match=r"instruction\[0\].*0 to 50 are the release's"):
        SeedPool.load(folder)


# ── against the release ───────────────────────────────────────────────────────────────────────

needs_release = pytest.mark.skipif(not RELEASE, reason="MEMORYCODE_RELEASE is not set")


def _release_topics() -> object:
    return json.loads((Path(RELEASE) / "topics.json").read_text(encoding="utf-8"))


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return []


def _bare(text: str) -> str:
    """Letters and digits only, so that quotes, case and line breaks hide nothing."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


@needs_release
def test_versions_are_the_releases(pool: SeedPool) -> None:
    topics = _release_topics()
    assert isinstance(topics, dict)
    for seed, theirs in zip(pool.instructions, topics["instructions"], strict=True):
        ours = [seed.rule(version) for version in range(len(seed.versions))]
        checks = [(o, tuple(c) if isinstance(c, list) else c) for o, c in theirs["regex"]]
        assert [(rule.object, rule.check) for rule in ours] == checks


@needs_release
def test_no_sentence_of_the_release_is_in_the_seeds(pool: SeedPool) -> None:
    seeds = " | ".join(_bare(path.read_text(encoding="utf-8")) for path in SEEDS.glob("*.toml"))
    seeds += " | ".join(
        _bare(wording(seed, version, pool.phrases).topic)
        for seed in pool.instructions
        for version in range(len(seed.versions))
    )
    long = [text for text in _strings(_release_topics()) if len(text) > 45]
    assert len(long) > 50
    assert [text for text in long if _bare(text) in seeds] == []


@needs_release
def test_nothing_in_the_seeds_is_said_in_the_releases_dialogues() -> None:
    ours = {
        _bare(sentence)
        for path in SEEDS.glob("*.toml")
        for text in _strings(tomllib.loads(path.read_text(encoding="utf-8")))
        for sentence in re.split(r"(?<=[.!?]) ", text)
        if len(sentence) > 45
    }
    theirs = {
        _bare(sentence)
        for path in (Path(RELEASE) / "dataset").glob("*.json")
        for session in json.loads(path.read_text(encoding="utf-8"))["sessions"]
        for sentence in re.split(r"(?<=[.!?]) |\n+|\w+: ", session["text"])
        if len(sentence) > 45
    }
    assert len(ours) > 300
    assert not ours & theirs


@needs_release
def test_no_question_is_the_releases(pool: SeedPool) -> None:
    topics = _release_topics()
    assert isinstance(topics, dict)
    theirs = {_bare(item["eval_query"]) for item in topics["instructions"]}
    assert not theirs & {_bare(query) for seed in pool.instructions for query in seed.queries}
