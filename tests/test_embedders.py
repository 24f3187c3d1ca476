"""An embedder of one's own is named like a strategy, and held to what an embedder is."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from memorycode.embedders import load_embedder
from memorycode.embedding import PACKAGED, SentenceEmbedder
from memorycode.errors import PluginError
from memorycode.plugins import EmbedderPlugin

OWN = '''
import numpy as np

class Ones:
    """All texts are alike."""
    name = "ones"
    def __init__(self, size: int = 4):
        self.size = size
    def pieces(self, text):
        return [text]
    def embed(self, texts):
        return [[1.0] + [0.0] * (self.size - 1) for _ in texts]

class Zeros(Ones):
    def embed(self, texts):
        return np.zeros((len(texts), 2))

class Long(Ones):
    def embed(self, texts):
        return np.ones((len(texts), 2))

class NoNumbers(Ones):
    def embed(self, texts):
        return np.full((len(texts), 2), np.nan)

class Few(Ones):
    def embed(self, texts):
        return np.ones((1, 1))

class Raising(Ones):
    def embed(self, texts):
        raise KeyError("gone")

class NoPieces(Ones):
    def pieces(self, text):
        return []

class Nameless(Ones):
    name = ""

class Nothing:
    pass
'''


@pytest.fixture(autouse=True)
def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_embedders.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_embedders", raising=False)


def test_a_class_and_its_parameters_are_named_on_the_command_line() -> None:
    embedder = load_embedder("own_embedders:Ones:size=3")
    vectors = embedder.embed(["a", "b"])
    assert vectors.shape == (2, 3)
    assert vectors.dtype == np.float32
    assert embedder.pieces("a") == ["a"]
    assert embedder.embed([]).shape == (0, 0)


def test_its_name_says_which_version_it_is(tmp_path: Path) -> None:
    def name() -> str:
        sys.modules.pop("own_embedders", None)
        return EmbedderPlugin.load("own_embedders:Ones").build().name

    before = name()
    assert before.startswith("ones@")
    (tmp_path / "own_embedders.py").write_text(OWN + "# changed\n")
    assert name() != before


def test_a_text_may_have_nothing_in_it() -> None:
    assert not EmbedderPlugin.load("own_embedders:Zeros").build().embed([""]).any()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Long", "a vector that is not of length one"),
        ("NoNumbers", "a vector that is not of length one"),
        ("Few", r"gave the shape \(1, 1\) for 2 texts, want \(2, dimensions\)"),
        ("Raising", "own_embedders:Raising: embed.. failed: KeyError: 'gone'"),
        ("NoPieces", "returns the text's pieces, one at least"),
        ("Nameless", "name is '', want a string"),
        ("Nothing", "Nothing is no Embedder: it needs name, pieces.. and embed.."),
    ],
)
def test_what_is_wrong_with_an_embedder_is_said(name: str, problem: str) -> None:
    with pytest.raises(PluginError, match=problem):
        embedder = EmbedderPlugin.load(f"own_embedders:{name}").build()
        embedder.pieces("a")
        embedder.embed(["a", "b"])


def test_a_folder_and_a_model_s_name_are_sentence_transformers_models(tmp_path: Path) -> None:
    for spec in (PACKAGED, "some-model", "owner/some-model", str(tmp_path)):
        assert isinstance(load_embedder(spec), SentenceEmbedder)


def test_the_packaged_entry_points_are_there_to_be_found() -> None:
    import importlib
    import tomllib

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    for group in ("memorycode.scorers", "memorycode.embedders"):
        for target in project["entry-points"][group].values():
            module, _, name = target.partition(":")
            assert callable(getattr(importlib.import_module(module), name))
