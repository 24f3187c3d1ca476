"""Whole data can equal the paper's table; a part of it can only agree or contradict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import write_dataset
from memorycode.dialogue import Dialogue, Setting
from memorycode.errors import DatasetError, UsageError
from memorycode.results.answers import COLUMNS, Column
from memorycode.results.means import Estimate
from memorycode.results.published import DIALOGUES, PUBLISHED_MODELS, PublishedCell, compare, verify

MODEL = "command-r-plus"
WITHOUT_ERRORS = "DeepSeek-R1"
GOLDEN: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "official_scores_whole.json").read_text("utf-8")
)
NOTHING = Estimate(mean=None, se=None, n=0)


def _row(model: str) -> dict[Column, PublishedCell]:
    """What the paper has of a model."""
    none = dict.fromkeys(COLUMNS, 0)
    return {cell.column: cell for cell in compare(model, dict.fromkeys(COLUMNS, NOTHING), none)}


def _compare(model: str, scores: Mapping[Column, Estimate]) -> tuple[PublishedCell, ...]:
    """Where every dialogue that was recorded has a score."""
    return compare(model, scores, {column: scores[column].n for column in COLUMNS})


def _scores(model: str = MODEL, shift: float = 0.0, part: float = 1.0) -> dict[Column, Estimate]:
    return {
        column: Estimate(
            mean=(cell.published + shift) / 100,
            se=(1.0 if cell.published_se is None else cell.published_se) / 100,
            n=round(part * DIALOGUES[column]),
        )
        for column, cell in _row(model).items()
    }


@pytest.mark.parametrize("model", [MODEL, WITHOUT_ERRORS])
@pytest.mark.parametrize(
    ("shift", "part", "finding"),
    [
        (0.0, 1.0, "equal"),
        (0.04, 1.0, "equal"),
        (0.2, 1.0, "differs"),
        (0.2, 0.8, "consistent"),
        (-9.0, 0.8, "inconsistent"),
    ],
)
def test_findings(model: str, shift: float, part: float, finding: str) -> None:
    cells = _compare(model, _scores(model, shift, part))
    assert [cell.finding for cell in cells] == [finding] * 4
    assert {cell.agrees for cell in cells} == {finding in ("equal", "consistent")}


def test_another_standard_error_is_a_difference() -> None:
    other = {c: e.model_copy(update={"se": (e.se or 0) + 0.0002}) for c, e in _scores().items()}
    assert {cell.finding for cell in _compare(MODEL, other)} == {"differs"}


def test_the_deviation_is_in_standard_errors_of_what_is_left_out() -> None:
    (cell, *_) = _compare(MODEL, _scores(shift=0.5, part=0.5))
    # 0.72 for all 360: as much again for leaving half of them out, and the printed digit's error.
    assert cell.deviation == pytest.approx(0.5 / (0.72**2 + 0.1**2 / 12) ** 0.5, rel=1e-9)


def test_without_a_published_error_the_dialogues_at_hand_give_it() -> None:
    (cell, *_) = _compare(WITHOUT_ERRORS, _scores(WITHOUT_ERRORS, shift=0.5, part=0.5))
    # 1.0 for 180 of 360, of which half the variance is in those left out.
    assert cell.deviation == pytest.approx(0.5 / (0.5 + 0.1**2 / 12) ** 0.5, rel=1e-9)
    assert cell.published_se is None


@pytest.mark.parametrize("model", PUBLISHED_MODELS)
def test_a_single_dialogue_has_a_mean_and_no_error(model: str) -> None:
    one = dict.fromkeys(COLUMNS, Estimate(mean=0.5, se=None, n=1))
    for cell in _compare(model, one):
        assert (cell.mean, cell.se) == (50.0, None)
        assert cell.deviation is not None


def test_a_mean_of_100_is_met_by_dialogues_that_are_all_right() -> None:
    """Neither the paper nor the dialogues at hand have an error then: nothing is divided by 0."""
    perfect = dict.fromkeys(COLUMNS, Estimate(mean=1.0, se=0.0, n=100))
    assert _compare("DeepSeek-V3", perfect)[0].finding == "consistent"
    single = dict.fromkeys(COLUMNS, Estimate(mean=1.0, se=None, n=1))
    assert _compare("DeepSeek-V3", single)[0].finding == "consistent"


def test_more_dialogues_than_the_paper_has_are_refused() -> None:
    many = dict.fromkeys(COLUMNS, Estimate(mean=0.5, se=0.1, n=361))
    with pytest.raises(UsageError, match="361 dialogues in the column instruction"):
        _compare(MODEL, many)


def test_nothing_recorded_is_no_agreement() -> None:
    cells = _row(MODEL).values()
    assert {cell.finding for cell in cells} == {"nothing recorded"}
    assert not any(cell.agrees for cell in cells)


def test_each_published_model_has_four_cells() -> None:
    assert len(PUBLISHED_MODELS) == 8
    for model in PUBLISHED_MODELS:
        assert list(_row(model)) == list(COLUMNS)


@pytest.mark.parametrize("model", GOLDEN)
def test_the_reference_scores_of_the_whole_release_are_the_papers(model: str) -> None:
    scores = {c: Estimate.model_validate(GOLDEN[model]["by_dialogue"][c]) for c in COLUMNS}
    assert [cell.finding for cell in compare(model, scores, DIALOGUES)] == ["equal"] * 4


def test_a_dialogue_with_nothing_to_average_is_recorded_all_the_same() -> None:
    """Of one of the paper's 210 no rule has its object in the answer: the data are whole."""
    scores = _scores()
    short = scores["short_history"].model_copy(update={"n": 209})
    cell = compare(MODEL, scores | {"short_history": short}, DIALOGUES)[2]
    assert (cell.dialogues, cell.scored, cell.finding) == (210, 209, "equal")


def _record(folder: Path, answer: str) -> None:
    """One answer to each setting of a dialogue of four sessions."""
    folder.mkdir(parents=True)
    first: dict[Setting, list[str]] = {"instruction": [answer], "session": [answer], "history": []}
    last: dict[Setting, list[str]] = {"instruction": [], "session": [], "history": [answer]}
    none: dict[Setting, list[str]] = {"instruction": [], "session": [], "history": []}
    sessions = [
        {f"{setting}_model_output": answers for setting, answers in session.items()}
        for session in (first, none, none, last)
    ]
    (folder / "output_7.json").write_text(json.dumps({"sessions": sessions}))


@pytest.fixture
def data(small_dialogue: Dialogue, tmp_path: Path) -> Path:
    write_dataset([small_dialogue, small_dialogue.model_copy(update={"number": 8})], tmp_path)
    return tmp_path


def test_every_folder_that_is_left_out_is_named(data: Path) -> None:
    outputs = data / "outputs"
    for name in ("gpt-4o", "DeepSeek-V3", "another", "GPT-4o"):
        _record(outputs / name, "def k_f(): pass")
    (outputs / "README.md").write_text("no folder")
    found = verify(data, outputs)
    assert [cell.model for cell in found.cells] == ["gpt-4o"] * 4 + ["DeepSeek-V3"] * 4
    assert found.unknown_folders == ("GPT-4o", "another")
    assert set(found.absent_models) == set(PUBLISHED_MODELS) - {"gpt-4o", "DeepSeek-V3"}


def test_the_folder_of_one_model_is_compared_alone(data: Path) -> None:
    _record(data / "outputs" / "gpt-4o", "def k_f(): pass")
    found = verify(data, data / "outputs" / "gpt-4o")
    assert {cell.model for cell in found.cells} == {"gpt-4o"}
    assert (found.unknown_folders, found.absent_models) == ((), ())


def test_the_folder_that_one_is_in_has_its_name(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _record(data / "outputs" / MODEL, "def k_f(): pass")
    whole = verify(data, data / "outputs" / MODEL)
    monkeypatch.chdir(data / "outputs" / MODEL)
    assert verify(data, Path()) == whole


def test_a_dialogue_counts_where_it_has_an_answer_recorded(data: Path) -> None:
    """Of two dialogues one is recorded; its answer has no object, so there is nothing to score."""
    _record(data / "outputs" / "gpt-4o", "x = 1")
    cells = verify(data, data / "outputs").cells
    assert [(cell.dialogues, cell.scored) for cell in cells] == [(1, 0), (1, 0), (1, 0), (0, 0)]
    assert {cell.finding for cell in cells} == {"nothing recorded"}


def test_a_folder_without_a_published_model_is_refused(data: Path) -> None:
    _record(data / "outputs" / "another", "")
    with pytest.raises(UsageError, match=r"no outputs of a published model here but another; the"):
        verify(data, data / "outputs")
    with pytest.raises(DatasetError, match="no such folder of recorded outputs"):
        verify(data, data / "nowhere")
