"""Settings refuse what makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from memorycode.errors import UsageError
from memorycode.generation.settings import (
    GenerationSettings,
    load_settings,
    preset,
    preset_names,
)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_dialogues": 0},
        {"n_sessions": ()},
        {"n_sessions": (3, 0)},
        {"update_rate": 1.2},
        {"length_shares": {"huge": 1}},
        {"length_shares": {"short": 0, "medium": 0, "long": 0}},
        {"instruction_share": (0.7, 0.5)},
        {"instruction_share": 1.5},
        {"instruction_counts": (0,)},
        {"update_distance": (5, 2)},
        {"update_depth": 0},
        {"clashes": "sometimes"},
        {"uptade_rate": 0.5},
    ],
)
def test_settings_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        GenerationSettings.model_validate(wrong)


def test_presets_are_settings() -> None:
    assert "demo" in preset_names()
    assert all(isinstance(preset(name), GenerationSettings) for name in preset_names())


def test_a_single_number_stands_for_a_range() -> None:
    settings = GenerationSettings.model_validate({"instruction_share": 0.5, "update_distance": 3})
    assert settings.instruction_share == (0.5, 0.5)
    assert settings.update_distance == (3, 3)


def test_dialogues_of_one_length_come_in_blocks_and_then_begin_again() -> None:
    settings = GenerationSettings(n_sessions=(1, 7), block=2)
    assert [settings.sessions_of(index) for index in range(6)] == [1, 1, 7, 7, 1, 1]


def test_the_paper_preset_numbers_its_dialogues_as_the_release_does() -> None:
    paper = preset("paper")
    assert paper.n_dialogues == 360
    sizes = [paper.sessions_of(number - 1) for number in range(1, 361)]
    assert [sizes.count(n) for n in paper.n_sessions] == [30] * 12
    assert sizes == sorted(sizes)
    assert (sizes[149], sizes[150], sizes[209], sizes[210]) == (5, 10, 15, 20)


def test_settings_can_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "deep.toml"
    file.write_text("update_depth = 3\nlength_shares = { long = 0 }\n", encoding="utf-8")
    settings = load_settings(str(file))
    assert settings.update_depth == 3
    assert settings.length_shares.weights == (1, 1, 0)
    assert load_settings("paper") == preset("paper")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("update_depth = 0", "update_depth: .*greater than or equal to 1"),
        ("depth = 2", "depth: Extra inputs"),
        ("update_depth =", "not TOML"),
        (None, "cannot be read: No such file"),
    ],
)
def test_a_file_of_settings_is_checked(tmp_path: Path, text: str | None, problem: str) -> None:
    file = tmp_path / "deep.toml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=rf"deep\.toml: {problem}"):
        load_settings(str(file))
