"""A setting that recorded outputs do not have is absent from what is said of them, and not zero."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memorycode.datasets.outputs import load_output, load_outputs
from memorycode.dialogue import Dialogue
from memorycode.errors import NoRecordedAnswer, UsageError
from memorycode.models.replay import ReplayModel
from memorycode.protocols import Prompt, QuestionRef
from memorycode.reporting.scores import print_scores
from memorycode.results.outputs import read_outputs
from memorycode.results.recorded_scores import score_outputs
from memorycode.scoring.official import OfficialScorer

CODE = "def w_add(a):\n    '''Add.'''\n    return a\n"


@pytest.fixture
def outputs(tmp_path: Path, small_dialogue: Dialogue) -> Path:
    """One model's answers to the history questions alone."""
    folder = tmp_path / "some-model"
    folder.mkdir()
    sessions: list[dict[str, list[str]]] = [{} for _ in small_dialogue.sessions]
    sessions[-1]["history_model_output"] = [CODE, CODE]
    (folder / "output_7.json").write_text(json.dumps({"sessions": sessions}))
    return folder


def test_only_the_settings_that_are_there_are_scored_and_shown(
    outputs: Path, small_dialogue: Dialogue, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = score_outputs([small_dialogue], load_outputs(outputs), OfficialScorer())
    assert scores.by_dialogue["short_history"].mean == 1.0
    assert scores.by_dialogue["instruction"].mean is None
    assert scores.coverage.questions == scores.coverage.answered == 2
    assert scores.coverage.missing == 0
    print_scores(scores, "some-model")
    said = capsys.readouterr().out
    assert "short" in said
    assert "instruction" not in said.lower()


def test_an_answer_that_a_recorded_setting_lacks_is_missing(
    outputs: Path, small_dialogue: Dialogue
) -> None:
    file = outputs / "output_7.json"
    file.write_text(file.read_text().replace(f", {json.dumps(CODE)}", ""))
    scores = score_outputs([small_dialogue], load_outputs(outputs), OfficialScorer())
    assert (scores.coverage.answered, scores.coverage.missing) == (1, 1)


def test_rows_are_those_of_the_settings_that_a_model_has(
    outputs: Path, small_dialogue: Dialogue
) -> None:
    other = outputs.parent / "other-model"
    other.mkdir()
    sessions = [
        {"instruction_model_output": [CODE] * len(s.rules)} for s in small_dialogue.sessions
    ]
    (other / "output_7.json").write_text(json.dumps({"sessions": sessions}))
    rows = read_outputs([small_dialogue], [outputs, other])
    assert {(row.source.model, row.setting) for row in rows} == {
        ("some-model", "history"),
        ("other-model", "instruction"),
    }
    with pytest.raises(UsageError, match="no answers of the setting instruction are recorded"):
        read_outputs([small_dialogue], [outputs], settings=["instruction"])


def test_a_replay_says_that_the_setting_is_not_recorded(outputs: Path) -> None:
    assert load_output(outputs / "output_7.json", 7).settings == {"history"}
    question = QuestionRef(dialogue=7, session=0, setting="instruction", number=0)
    with pytest.raises(NoRecordedAnswer, match="this setting is not recorded"):
        ReplayModel(outputs).generate(Prompt(("?",), ref=question))
