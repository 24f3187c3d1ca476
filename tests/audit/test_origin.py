"""A data set is read leniently where its own manifest asks for it, and nowhere else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memorycode.audit.origin import difficulty_of
from memorycode.generation import generate_folder


@pytest.fixture
def implicit(tmp_path: Path) -> Path:
    folder = tmp_path / "made"
    generate_folder(folder, dialogues=1, sessions=(1,), difficulty="implicit")
    return folder


@pytest.mark.parametrize("below", ["", "dataset", "dataset/dialogue_1.json"])
def test_the_manifest_is_found_from_the_folder_and_all_that_is_in_its_data_set(
    implicit: Path, below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert difficulty_of(implicit / below) == "implicit"
    monkeypatch.chdir(implicit)
    assert difficulty_of(Path(below or ".")) == "implicit"


def test_what_lies_beside_the_data_set_is_not_meant(implicit: Path) -> None:
    shutil.copytree(implicit / "dataset", implicit / "other")
    assert difficulty_of(implicit / "other") == "explicit"
    assert difficulty_of(implicit.parent) == "explicit"


@pytest.mark.parametrize(
    "manifest", ["{}", "no JSON", "[" * 100_000, '{"options": {"difficulty": "implicit"}}']
)
def test_another_manifest_says_nothing(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "dataset").mkdir()
    (tmp_path / "manifest.json").write_text(manifest)
    assert difficulty_of(tmp_path) == "explicit"


def test_an_unknown_difficulty_says_nothing(implicit: Path) -> None:
    manifest = implicit / "manifest.json"
    for other in ('"telepathic"', "3", "null", '["implicit"]'):
        manifest.write_text(manifest.read_text().replace('"implicit"', other))
        assert difficulty_of(implicit) == "explicit"


def test_a_folder_without_a_manifest_is_explicit(implicit: Path) -> None:
    (implicit / "manifest.json").unlink()
    assert difficulty_of(implicit) == "explicit"
