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
        ("update_depth = 0", "update_depth: want 1 or more, found 0"),
        ("depth = 2", "depth: unknown key"),
        ("n_sessions = [3, true]", r"n_sessions\[1\]: want a whole number, found True"),
        ("n_sessions = 3", "n_sessions: want a list, found 3"),
        ("n_sessions = []", "n_sessions: want at least 1 of them"),
        ("n_dialogues = 2.5", "n_dialogues: want a whole number, found 2.5"),
        ("update_rate = 'often'", "update_rate: want a number, found 'often'"),
        ("update_rate = nan", "update_rate: want "),
        ("update_rate = 2", "update_rate: want 1 or less, found 2"),
        ("clashes = 'never'", "clashes: want 'excluded', 'allowed' or 'sought', found 'never'"),
        ("length_shares = 1", "length_shares: want a table, found 1"),
        ("instruction_share = [0.9, 0.1]", r"instruction_share: from 0\.9 to 0\.1; the lower"),
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


def test_a_folder_is_no_file_of_settings(tmp_path: Path) -> None:
    for name in ("mine", "mine.toml"):
        (tmp_path / name).mkdir()
        with pytest.raises(UsageError, match=rf"{name}: a folder; want a TOML file .* demo, paper"):
            load_settings(str(tmp_path / name))


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    file = tmp_path / "deep.toml"
    file.write_bytes(b"# caf\xe9\n")
    with pytest.raises(UsageError, match=r"deep\.toml: not UTF-8 text \(byte 5, line 1\)"):
        load_settings(str(file))


def test_a_preset_is_not_hidden_by_a_folder_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    assert load_settings("demo") == preset("demo")


def test_a_file_of_settings_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "deep").write_text("update_depth = 3", encoding="utf-8")
    assert load_settings(str(tmp_path / "deep")).update_depth == 3
