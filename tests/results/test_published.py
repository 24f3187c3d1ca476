"""Whole data can equal the paper's table; a part of it can only agree or contradict."""

from __future__ import annotations

import pytest

from memorycode.errors import UsageError
from memorycode.results.metrics import COLUMNS, Column, Estimate
from memorycode.results.published import DIALOGUES, PUBLISHED_MODELS, compare

MODEL = "command-r-plus"


def _scores(shift: float = 0.0, part: float = 1.0) -> dict[Column, Estimate]:
    published = {cell.column: cell for cell in compare(MODEL, dict.fromkeys(COLUMNS, NOTHING))}
    return {
        column: Estimate(
            mean=(published[column].published + shift) / 100,
            se=published[column].published_se / 100,
            n=round(part * DIALOGUES[column]),
        )
        for column in COLUMNS
    }


NOTHING = Estimate(mean=None, se=None, n=0)


@pytest.mark.parametrize(
    ("shift", "part", "finding"),
    [
        (0.0, 1.0, "equal"),
        (0.04, 1.0, "equal"),
        (0.2, 1.0, "differs"),
        (0.2, 0.8, "consistent"),
        (9.0, 0.8, "inconsistent"),
    ],
)
def test_findings(shift: float, part: float, finding: str) -> None:
    cells = compare(MODEL, _scores(shift, part))
    assert [cell.finding for cell in cells] == [finding] * 4
    assert {cell.agrees for cell in cells} == {finding in ("equal", "consistent")}


def test_a_single_dialogue_has_a_mean_and_no_error() -> None:
    one = dict.fromkeys(COLUMNS, Estimate(mean=0.5, se=None, n=1))
    for cell in compare(MODEL, one):
        assert (cell.mean, cell.se) == (50.0, None)
        assert cell.deviation is not None


def test_more_dialogues_than_the_paper_has_are_refused() -> None:
    many = dict.fromkeys(COLUMNS, Estimate(mean=0.5, se=0.1, n=361))
    with pytest.raises(UsageError, match="361 dialogues in the column instruction"):
        compare(MODEL, many)


def test_nothing_recorded_is_no_agreement() -> None:
    cells = compare(MODEL, dict.fromkeys(COLUMNS, NOTHING))
    assert {cell.finding for cell in cells} == {"nothing recorded"}
    assert not any(cell.agrees for cell in cells)


def test_each_published_model_has_four_cells() -> None:
    for model in PUBLISHED_MODELS:
        assert [cell.column for cell in compare(model, _scores())] == list(COLUMNS)
