"""docs/generating.md: its settings and its family are such as it says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import memorycode
from memorycode.generation import GenerationSettings, SeedPool, load_settings, preset, preset_names

ROOT = Path(memorycode.__file__).parent.parent
PAGE = ROOT / "docs" / "generating.md"


@pytest.fixture(scope="module")
def text() -> str:
    return PAGE.read_text(encoding="utf-8")


def blocks(text: str) -> list[str]:
    return re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_file_of_settings_is_one(text: str, tmp_path: Path) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(blocks(text)[0], encoding="utf-8")
    assert load_settings(str(file)).update_distance == (8, 12)


def test_the_family_is_one(text: str, tmp_path: Path) -> None:
    seeds = Path(shutil.copytree(ROOT / "seeds", tmp_path / "seeds"))
    with (seeds / "instructions.toml").open("a", encoding="utf-8") as file:
        file.write("\n" + blocks(text)[1])
    assert SeedPool.load(seeds).instructions[-1].rule(1).check == "^T.*"


def test_every_setting_and_preset_is_told(text: str) -> None:
    named = set(re.findall(r"`(\w+)`", text))
    assert named >= set(GenerationSettings.model_fields)
    assert named >= set(preset_names())


def test_defaults_are_as_told(text: str) -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]+) \|", text, re.MULTILINE)
    defaults = GenerationSettings()
    checked = 0
    for names, value in rows:
        for name in re.findall(r"`(\w+)`", names):
            if re.fullmatch(r"[\d.]+", value.strip()) and name not in preset_names():
                assert getattr(defaults, name) == float(value)
                checked += 1
    assert checked >= 6


def test_the_pool_has_as_many_versions_as_told(text: str) -> None:
    versions = sum(len(seed.versions) for seed in SeedPool.load().instructions)
    assert f"51 rules have {versions} versions" in text
    assert preset("stress").n_sessions == (1000, 2000)
