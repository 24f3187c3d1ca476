"""Replayed recordings: the answer recorded for that very question, or an error that names it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memorycode.dialogue import Setting
from memorycode.errors import DatasetError, NoRecordedAnswer
from memorycode.models.replay import ReplayModel
from memorycode.protocols import Model, Prompt, QuestionRef


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    recorded = tmp_path / "some-model"
    recorded.mkdir()
    sessions = [
        {
            "history_model_output": [],
            "session_model_output": ["s0"],
            "instruction_model_output": ["i0", "i1"],
        },
        {
            "history_model_output": ["h0", "h1"],
            "session_model_output": [],
            "instruction_model_output": [],
        },
    ]
    (recorded / "output_4.json").write_text(json.dumps({"sessions": sessions}), encoding="utf-8")
    (recorded / "output_5.json").write_text("{ broken", encoding="utf-8")
    return recorded


def ask(model: Model, dialogue: int, setting: Setting, session: int, number: int) -> str:
    ref = QuestionRef(dialogue=dialogue, setting=setting, session=session, number=number)
    return model.generate(Prompt(("anything",), ref=ref)).text


def test_the_answer_is_the_one_recorded_at_that_place(folder: Path) -> None:
    model = ReplayModel(folder)

    assert ask(model, 4, "instruction", 0, 1) == "i1"
    assert ask(model, 4, "session", 0, 0) == "s0"
    assert ask(model, 4, "history", 1, 0) == "h0"


def test_it_is_a_model_named_after_its_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    model = ReplayModel(".")

    assert isinstance(model, Model)
    assert (model.name, model.is_language_model) == ("replay/some-model", False)


def test_files_are_read_only_when_asked_about(folder: Path) -> None:
    model = ReplayModel(folder)
    ask(model, 4, "history", 1, 0)
    (folder / "output_4.json").unlink()

    assert ask(model, 4, "history", 1, 1) == "h1"
    with pytest.raises(DatasetError, match="output_5"):
        ask(model, 5, "history", 0, 0)


@pytest.mark.parametrize(
    ("dialogue", "session", "number"), [(9, 0, 0), (4, 7, 0), (4, 1, 2), (4, 1, -1), (4, 0, 0)]
)
def test_what_was_not_recorded_is_named(
    folder: Path, dialogue: int, session: int, number: int
) -> None:
    with pytest.raises(NoRecordedAnswer) as caught:
        ask(ReplayModel(folder), dialogue, "history", session, number)

    problem = str(caught.value)
    for part in (str(folder), f"dialogue {dialogue}", f"session {session}", f"number {number}"):
        assert part in problem


def test_a_prompt_without_a_place_cannot_be_replayed(folder: Path) -> None:
    with pytest.raises(NoRecordedAnswer, match="which question"):
        ReplayModel(folder).generate(Prompt(("text",)))


def test_a_folder_without_recordings_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        ReplayModel(tmp_path)


def test_every_answer_of_the_release_is_found() -> None:
    release = os.environ.get("MEMORYCODE_RELEASE")
    if not release:
        pytest.skip("MEMORYCODE_RELEASE is not set")
    folder = next(path for path in sorted(Path(release, "outputs").iterdir()) if path.is_dir())
    model = ReplayModel(folder)
    file = folder / "output_62.json"
    for index, session in enumerate(json.loads(file.read_text(encoding="utf-8"))["sessions"]):
        for setting in ("instruction", "session", "history"):
            for number, text in enumerate(session[f"{setting}_model_output"]):
                assert ask(model, 62, setting, index, number) == text
