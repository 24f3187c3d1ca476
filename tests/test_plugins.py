"""Specs are taken apart as written, and what they name is checked before it is used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memorycode.conformance.stand_ins import HashedWords
from memorycode.errors import PluginError, UsageError
from memorycode.model_options import ModelOptions, choose_model
from memorycode.models.openai_chat import OpenAIChat
from memorycode.plugins import (
    Group,
    ModelPlugin,
    RetrieverPlugin,
    StrategyPlugin,
    installed,
    load_factory,
    parameters_of,
    parse_spec,
    source_of,
)


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("rag", "rag", {}),
        ("rag:k=5", "rag", {"k": "5"}),
        ("rag:k=5,retriever=bm25", "rag", {"k": "5", "retriever": "bm25"}),
        ("pkg.mod:Class", "pkg.mod:Class", {}),
        ("pkg.mod:Class:k=5", "pkg.mod:Class", {"k": "5"}),
        ("pkg.mod:Outer.Inner:a=b=c", "pkg.mod:Outer.Inner", {"a": "b=c"}),
        ("rag:retriever=my.mod:Search", "rag", {"retriever": "my.mod:Search"}),
        ("x:path=/tmp/a b", "x", {"path": "/tmp/a b"}),
    ],
)
def test_a_spec_is_a_name_and_parameters(text: str, name: str, parameters: dict[str, str]) -> None:
    spec = parse_spec(text)
    assert (spec.name, dict(spec.parameters)) == (name, parameters)


@pytest.mark.parametrize("text", ["", ":", "rag:", "a b", "rag:k=5,", "rag:=5", "rag:k=5,x", "=x"])
def test_what_is_no_spec_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_spec(text)


@pytest.mark.parametrize("group", ["strategies", "retrievers", "models"])
def test_every_entry_point_loads_and_is_documented(group: Group) -> None:
    assert installed(group)
    for name in installed(group):
        factory = load_factory(name, group)
        assert factory.__doc__
        parameters_of(factory, group)


def test_listing_imports_no_plugin() -> None:
    code = (
        "import sys; from memorycode.plugins import installed; installed('strategies');"
        "sys.exit('memory_strategies' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_each_build_gets_a_retriever_of_its_own(make_plain_context: Any) -> None:
    plugin = StrategyPlugin.load("rag:k=1")
    first, second = plugin.build(make_plain_context()), plugin.build(make_plain_context())
    assert vars(first)["_retriever"] is not vars(second)["_retriever"]


def test_a_retriever_must_have_the_shape() -> None:
    with pytest.raises(PluginError, match=r"no Retriever: it needs add\(\) and search\(\)"):
        RetrieverPlugin.load("pathlib:Path").build(HashedWords())


def test_a_model_takes_the_options_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    options = ModelOptions(base_url="http://localhost:1/v1")
    model = ModelPlugin.load(choose_model("openai/a/b")).build(options)
    assert isinstance(model, OpenAIChat)
    assert model.name == "openai/a/b"
    assert model.options["address"] == "http://localhost:1/v1"
    assert ModelPlugin.load(choose_model("ideal-mentee")).build(options).name == "ideal-mentee"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("openai", "say which one: openai/NAME"),
        ("ideal-mentee/large", "takes no name after the slash"),
        ("claude/x", "no model named 'claude'"),
    ],
)
def test_a_models_name_is_asked_for_where_it_needs_one(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ModelPlugin.load(choose_model(spec))


def test_the_source_is_that_of_the_whole_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "sourced"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("def helper(): return 1\n")
    (package / "memory.py").write_text("from sourced.part import helper\nclass Memory: pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    memory = importlib.import_module("sourced.memory").Memory
    before = source_of(memory)
    (package / "part.py").write_text("def helper(): return 2\n")
    assert len(before) == 12
    assert source_of(memory) != before


def test_what_comes_from_elsewhere_has_no_part_in_the_source() -> None:
    assert source_of(Path) == source_of(Path)
    assert source_of(len) == ""


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rolling_summary:limit", "'limit' is no parameter of rolling_summary: write"),
        ("rag:retriever=", "'' is no plug-in"),
    ],
)
def test_half_a_parameter_is_told_as_such(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        StrategyPlugin.load(spec)
