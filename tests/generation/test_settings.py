"""Settings refuse what makes no sense."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from memorycode.generation.settings import GenerationSettings, preset, preset_names


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_dialogues": 0},
        {"n_sessions": ()},
        {"n_sessions": (3, 0)},
        {"update_rate": 1.2},
        {"lengths": ("huge",)},
        {"uptade_rate": 0.5},
    ],
)
def test_settings_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        GenerationSettings.model_validate(wrong)


def test_presets_are_settings() -> None:
    assert "demo" in preset_names()
    assert all(isinstance(preset(name), GenerationSettings) for name in preset_names())
