"""Recorded outputs are read by place, and what is not in the layout is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from memorycode.datasets.outputs import load_outputs
from memorycode.errors import DatasetError


def _write(folder: Path, number: int, sessions: object) -> None:
    (folder / f"output_{number}.json").write_text(json.dumps({"sessions": sessions}))


def test_answers_are_found_by_setting_and_session(tmp_path: Path) -> None:
    session = {
        "instruction_model_output": ["i"],
        "session_model_output": ["s"],
        "history_model_output": [],
    }
    _write(tmp_path, 12, [session])
    recorded = load_outputs(tmp_path)[12]
    assert recorded.answers("instruction", 0) == ("i",)
    assert recorded.answers("session", 0) == ("s",)
    assert recorded.answers("history", 0) == ()
    assert recorded.answers("session", 9) == ()


def test_settings_that_were_not_recorded_are_absent(tmp_path: Path) -> None:
    _write(tmp_path, 3, [{}, {"history_model_output": ["x"], "session_model_output": []}])
    recorded = load_outputs(tmp_path)[3]
    assert recorded.settings == {"history", "session"}
    assert recorded.answers("history", 1) == ("x",)
    assert recorded.answers("instruction", 1) == ()


def test_a_file_without_any_answers_says_what_they_are_called(tmp_path: Path) -> None:
    _write(tmp_path, 3, [{"history": ["x"]}])
    wanted = r"output_3\.json: sessions: no answers.*history_model_output, session_model_output"
    with pytest.raises(DatasetError, match=wanted):
        load_outputs(tmp_path)


def test_packed_outputs_are_found(tmp_path: Path) -> None:
    text = json.dumps({"sessions": [{"history_model_output": ["x"]}]})
    (tmp_path / "output_3.json.gz").write_bytes(gzip.compress(text.encode()))
    assert load_outputs(tmp_path)[3].answers("history", 0) == ("x",)


def test_the_folder_above_names_the_models_below_it(tmp_path: Path) -> None:
    (tmp_path / "some-model").mkdir()
    _write(tmp_path / "some-model", 3, [])
    with pytest.raises(DatasetError, match="its folders some-model have some"):
        load_outputs(tmp_path)
