"""A setting is said once: command line, keywords, manifest and docs follow from its field."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field
from typer.testing import CliRunner

from memorycode import evaluate
from memorycode.ablation.grid import Grid
from memorycode.ablation.options import RetrievalOptions
from memorycode.cli.app import make_app
from memorycode.dialogue import Dialogue
from memorycode.errors import UsageError
from memorycode.experiment import Experiment, RunOptions, make_experiment
from memorycode.frozen import Frozen
from memorycode.generation.job import generate_folder
from memorycode.generation.options import GenerationOptions
from memorycode.options import Option, given_of, keywords_of, option_fields, table_of
from memorycode.running.execution import Execution, make_execution
from memorycode.running.folder import RunFolder
from memorycode.running.manifest import RunSettings
from memorycode.sources import dialogues_for


class _Settings(Frozen):
    depth: Annotated[int, Option("How deep.", metavar="LEVELS")] = Field(default=2, ge=1, le=9)
    names: Annotated[
        tuple[str, ...], Option("Which.", flag="--name", read=tuple, is_repeatable=True)
    ] = ()
    hidden: str = "no option"


class _More(_Settings):
    own: Annotated[bool, Option("Whether.")] = False


def test_a_model_s_own_fields_come_first_and_those_without_an_option_not_at_all() -> None:
    assert [one.name for one in option_fields(_More)] == ["own", "depth", "names"]


def test_bounds_are_those_of_the_field() -> None:
    depth = next(one for one in option_fields(_Settings) if one.name == "depth")
    assert (depth.flag, depth.bound("ge", "gt"), depth.bound("le")) == ("--depth", 1, 9)


def test_what_was_not_given_is_left_to_the_field() -> None:
    options = {"depth": None, "names": ["a", "b"], "own": False, "else": 3}
    assert given_of(_More, options) == {"names": ("a", "b"), "own": False}


def test_keywords_have_the_types_and_defaults_of_the_fields() -> None:
    (depth, names) = keywords_of(_Settings)
    assert (depth.name, depth.default, depth.annotation) == ("depth", 2, int)
    assert (names.default, names.kind) == ((), inspect.Parameter.KEYWORD_ONLY)


def test_the_table_has_a_line_for_each() -> None:
    assert table_of(_Settings).splitlines()[2:] == [
        "| `--depth` | `depth` | `2` | How deep. |",
        "| `--name` | `names` |  | Which. |",
    ]


@pytest.mark.parametrize(
    ("command", "models"),
    [
        ("run", (Experiment, Execution)),
        ("generate", (GenerationOptions,)),
        ("retrieve", (Grid, RetrievalOptions)),
    ],
)
def test_a_command_takes_every_option(command: str, models: tuple[type[Frozen], ...]) -> None:
    told = CliRunner().invoke(make_app(), [command, "--help"], env={"COLUMNS": "200"}).output
    for one in option_fields(*models):
        assert f"{one.flag} " in told


@pytest.mark.parametrize(
    ("function", "models"),
    [(evaluate, (Experiment, Execution)), (generate_folder, (GenerationOptions,))],
)
def test_a_function_shows_every_option_as_a_keyword(
    function: Callable[..., object], models: tuple[type[Frozen], ...]
) -> None:
    keywords = inspect.signature(function).parameters
    for one in option_fields(*models):
        assert keywords[one.name].default == one.field.get_default(call_default_factory=True)
    assert "options" not in keywords


def test_an_unknown_keyword_of_the_generator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"dialogs: there is no such option; .*, dialogues"):
        generate_folder(tmp_path / "out", dialogs=3)
    assert not (tmp_path / "out").exists()


def test_what_decides_how_questions_are_asked_is_in_the_manifest() -> None:
    for name, field in RunOptions.model_fields.items():
        assert RunSettings.model_fields[name].annotation == field.annotation


def test_an_unknown_keyword_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"contextbudget: there is no such option; .*, out"):
        evaluate([], contextbudget=3)


def test_an_execution_that_does_not_fit_says_which_option() -> None:
    with pytest.raises(UsageError, match="max_calls: want 1 or more, found 0"):
        make_execution({"max_calls": 0})
    with pytest.raises(UsageError, match="backend: want"):
        make_execution({"backend": "fibres"})


def test_evaluate_keeps_to_the_limit_of_dialogues(small_dialogue: Dialogue, tmp_path: Path) -> None:
    other = small_dialogue.model_copy(update={"number": small_dialogue.number + 1})
    evaluate([small_dialogue, other], strategies=["no_memory"], limit=1, out=tmp_path)
    assert len(list(RunFolder(tmp_path).dialogues())) == 1


def test_a_cache_and_none_do_not_go_together() -> None:
    told = CliRunner().invoke(make_app(), ["run", "--cache", "kept", "--no-cache"])
    assert isinstance(told.exception, UsageError)
    assert "--cache and --no-cache" in str(told.exception)


def test_an_empty_object_replaces_that_of_a_file() -> None:
    assert Experiment(body={"top_k": 1}).with_options(body={}, seed=None).body == {}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud83d"])
def test_a_body_that_cannot_be_sent_is_refused_before_anything_is(value: object) -> None:
    with pytest.raises(UsageError, match="body: it holds"):
        make_experiment({"body": {"more": [value]}})


@pytest.mark.parametrize(
    ("limit", "every", "numbers"),
    [(None, 1, [0, 1, 2, 3, 4, 5, 6]), (None, 3, [0, 3, 6]), (2, 3, [0, 3]), (2, 1, [0, 1])],
)
def test_every_nth_dialogue_is_taken_and_of_those_the_first(
    limit: int | None, every: int, numbers: list[int]
) -> None:
    experiment = make_experiment({"limit": limit, "every": every})
    assert list(range(7))[experiment.taken] == numbers
    generated = dialogues_for(make_experiment({"limit": 2, "every": 2}))
    assert generated == dialogues_for(make_experiment({"limit": 3}))[::2]


@pytest.mark.parametrize(
    ("former", "instead"),
    [("samples", "repeats .*; limit and every choose"), ("checkpoints", "ask.after")],
)
def test_the_former_name_of_an_option_says_what_to_write_instead(former: str, instead: str) -> None:
    for call in (
        lambda: make_experiment({former: "1"}),
        lambda: make_app()(["run", f"--{former}", "1"], standalone_mode=False),
    ):
        with pytest.raises(UsageError, match=f"{former} has another name now: .*{instead}"):
            call()
