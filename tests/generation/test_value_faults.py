"""Rules that no answer could follow are refused where the pool is read, with file and key."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memorycode
from memorycode.datasets import load_dataset
from memorycode.errors import SeedError
from memorycode.generation.job import generate_folder
from memorycode.generation.pool import SeedPool
from memorycode.generation.renderers import RendererChoice
from memorycode.generation.style import DIFFICULTIES, Style

SEEDS = Path(memorycode.__file__).parent.parent / "seeds"
PLACE = 51
"""Where a family that is added stands among the instructions."""

MORE_PHRASES = """
[rule.no_import]
topic = "do without the '{value}' module"
state = ["Please do not import the '{value}' module any more."]
paraphrase = ["We get by without {value} here."]
why = ["It is slow."]
repeat = ["Not {value}, then."]

[rule.pattern]
topic = "name {things} as {value}"
state = ["Please name all {things} like '{value}'."]
paraphrase = ["All {things} look like {value}, please."]
why = ["It is nicer."]
repeat = ["Like {value}."]
"""


@pytest.fixture
def add(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder of the project's seeds with one more family."""

    def added(object: str, kind: str, *values: str, **more: str) -> Path:
        folder = Path(shutil.copytree(SEEDS, tmp_path / "seeds"))
        fields = "".join(f"{key} = '{value}'\n" for key, value in more.items())
        versions = ", ".join(f"'{value}'" for value in values)
        with (folder / "instructions.toml").open("a", encoding="utf-8") as file:
            file.write(
                f"\n[[instruction]]\nnumber = 60\nobject = '{object}'\nkind = '{kind}'\n"
                f"versions = [{versions}]\nqueries = ['class for a shelf of books']\n{fields}"
            )
        with (folder / "phrases.toml").open("a", encoding="utf-8") as file:
            file.write(MORE_PHRASES)
        return folder

    return added


@pytest.mark.parametrize(
    ("object", "kind", "value", "wanted"),
    [
        ("class", "prefix", "a b", "want the beginning of a name"),
        ("class", "prefix", "(.*", "want the beginning of a name"),
        ("class", "prefix", "1a", "want the beginning of a name"),
        ("class", "prefix", "ﬁ_", "want the beginning of a name"),
        ("class", "suffix", "-x", "want a part of a name"),
        ("class", "contains", "a.b", "want a part of a name"),
        ("class", "pattern", "(.*", "want a regular expression (missing )"),
        ("class", "pattern", "x" * 501, "want a regular expression of up to 500 characters"),
        ("class", "pattern", "", "want a regular expression of up to 500 characters"),
        ("import", "name", "", "want a module's name"),
        ("import", "name", "a b", "want a module's name"),
        ("import", "name", "os.", "want a module's name"),
        ("import", "name", "import", "want a module's name"),
        ("import", "name", "(.*", "want a module's name"),
        ("function decorator", "name", "", "want a decorator's bare name"),
        ("function decorator", "name", "@cache", "want a decorator's bare name"),
        ("function decorator", "name", "functools.cache", "want a decorator's bare name"),
    ],
)
def test_a_value_that_no_code_can_show(
    add: Callable[..., Path], object: str, kind: str, value: str, wanted: str
) -> None:
    folder = add(object, kind, value)
    with pytest.raises(SeedError) as caught:
        SeedPool.load(folder)
    assert caught.value.file == str(folder / "instructions.toml")
    assert caught.value.key == f"instruction[{PLACE}].versions[0]"
    assert wanted in caught.value.problem


@pytest.mark.parametrize("kind", ["prefix", "suffix", "contains", "case"])
def test_a_value_that_is_wanting(add: Callable[..., Path], kind: str) -> None:
    with pytest.raises(SeedError, match=rf"\[{PLACE}\]: versions\[0\]: value '' does not go with"):
        SeedPool.load(add("class", kind, ""))


@pytest.mark.parametrize(
    ("object", "kind", "value"),
    [
        ("import", "prefix", "K"),
        ("function docstring", "contains", "K"),
        ("comment", "digit", ""),
        ("method try", "case", "upper"),
        ("function", "presence", ""),
        ("import", "presence", ""),
        ("class decorator", "presence", ""),
        ("function", "name", "load"),
        ("function docstring", "name", "Args"),
    ],
)
def test_an_object_that_has_no_such_thing(
    add: Callable[..., Path], object: str, kind: str, value: str
) -> None:
    with pytest.raises(SeedError) as caught:
        SeedPool.load(add(object, kind, value))
    assert caught.value.key == f"instruction[{PLACE}].object"
    assert f"{kind} is not asked of {object!r}" in caught.value.problem


@pytest.mark.parametrize("module", ["a b", "(.*", ".."])
def test_a_module_that_nothing_can_come_from(add: Callable[..., Path], module: str) -> None:
    with pytest.raises(SeedError) as caught:
        SeedPool.load(add("function decorator", "name", "cache", module=module))
    assert caught.value.key == f"instruction[{PLACE}].module"


@pytest.mark.parametrize(
    ("object", "kind", "values"),
    [
        ("class", "prefix", ("K", "T", "_", "é_")),
        ("class", "suffix", ("K", "_t", "2b")),
        ("class", "contains", ("tmp", "_x_", "q9")),
        ("import", "name", ("xml.etree.ElementTree",)),
        ("class decorator", "name", ("dataclass",)),
        ("class", "pattern", ("^[A-Z]{3}",)),
    ],
)
def test_what_can_be_checked_is_welcome(
    add: Callable[..., Path], object: str, kind: str, values: tuple[str, ...]
) -> None:
    family = SeedPool.load(add(object, kind, *values)).instructions[PLACE]
    assert tuple(version.value for version in family.versions) == values


# ── what is said and not heard ────────────────────────────────────────────────────────────────

SMALL: dict[str, Any] = {"dialogues": 3, "sessions": (2,)}


@pytest.mark.parametrize(
    ("object", "kind", "value"),
    [
        ("class", "prefix", "é_"),
        ("class", "suffix", "12"),
        ("class", "contains", "docstring"),
        ("class", "prefix", "K" * 31),
        ("function", "case", "snake"),
        ("class", "pattern", "^[A-Z]{3}"),
    ],
)
def test_a_rule_that_is_never_found_again_ends_it_before_it_begins(
    add: Callable[..., Path], tmp_path: Path, object: str, kind: str, value: str
) -> None:
    folder = add(object, kind, value)
    with pytest.raises(SeedError) as caught:
        generate_folder(tmp_path / "out", pool=folder, **SMALL)
    assert caught.value.file == str(folder / "instructions.toml")
    assert caught.value.key == f"instruction[{PLACE}].versions[0]"
    assert f"{object} {kind} {value!r}" in caught.value.problem
    assert not (tmp_path / "out").exists()


def test_in_other_words_it_may_be_told(add: Callable[..., Path], tmp_path: Path) -> None:
    folder = add("class", "pattern", "^[A-Z]{3}")
    done = generate_folder(tmp_path / "out", pool=folder, difficulty="implicit", **SMALL)
    assert done.made == (1, 2, 3)


def test_a_rule_that_forbids_is_told_in_other_words(
    add: Callable[..., Path], tmp_path: Path
) -> None:
    folder = add("import", "name", "pickle")
    file = folder / "instructions.toml"
    text = file.read_text(encoding="utf-8")
    forbids = '[{ value = "pickle", positive = false }]'
    file.write_text(text.replace("['pickle']", forbids), encoding="utf-8")
    with pytest.raises(SeedError, match=r"no line of state in \[rule\.no_import\]"):
        generate_folder(tmp_path / "out", pool=folder, **SMALL)
    every = SMALL | {"sessions": (120,), "dialogues": 1, "difficulty": "paraphrased"}
    done = generate_folder(tmp_path / "out", pool=folder, **every)
    assert done.made == (1,)
    told = [i for d in load_dataset(done.path) for s in d.sessions for i in s.instructions]
    assert ("pickle", False) in [instruction.rule.check for instruction in told]


def test_changes_are_heard_too(add: Callable[..., Path], tmp_path: Path) -> None:
    folder = add("class", "prefix", "K")
    phrases = folder / "phrases.toml"
    text = phrases.read_text(encoding="utf-8")
    at = text.index("change = [", text.index("[rule.upper]"))
    end = text.index("]", at)
    phrases.write_text(f"{text[:at]}change = ['Forget {{old}}.'{text[end:]}", encoding="utf-8")
    with pytest.raises(SeedError, match=r"no line of change in \[rule\.upper\]") as caught:
        generate_folder(tmp_path / "out", pool=folder, **SMALL)
    assert caught.value.key == "instruction[0].versions[0]"


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_projects_own_pool_is_heard(difficulty: Any) -> None:
    choice = RendererChoice(style=Style(difficulty=difficulty))
    assert list(choice.unreachable_rules(SeedPool.load())) == []


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_releases_pool_is_heard(difficulty: Any, release: Path) -> None:
    choice = RendererChoice(style=Style(difficulty=difficulty))
    assert list(choice.unreachable_rules(SeedPool.load(release / "topics.json"))) == []
