"""On the whole release every score of the paper's evaluator is met, and every cell of Table 4.

Each model is scored once, by the test that checks all there is to check of it: every third
dialogue's scores, and with ``MEMORYCODE_SLOW=1`` those of all and the means over them. (Where
``MEMORYCODE_RELEASE`` is set too, tests/results/test_recorded_scores.py has its means.)
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import load_outputs
from memorycode.dialogue import Dialogue
from memorycode.results.garbage_collection import paused_collection
from memorycode.results.published import DIALOGUES, compare
from memorycode.results.recorded_scores import score_outputs
from memorycode.scoring.official import OfficialScorer

GOLDEN: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "official_scores_whole.json").read_text("utf-8")
)
ALL = bool(os.environ.get("MEMORYCODE_SLOW"))


@pytest.fixture(scope="module")
def dialogues(whole_release: Path) -> tuple[Dialogue, ...]:
    with paused_collection():
        return load_dataset(whole_release / "dataset")[:: 1 if ALL else 3]


def _golden(model: str, dialogues: tuple[Dialogue, ...]) -> dict[str, Any]:
    """What the paper's evaluator says of these dialogues, and of all also the means."""
    wanted = GOLDEN[model]
    if ALL:
        return wanted
    numbers = [str(dialogue.number) for dialogue in dialogues]
    return {"dialogues": {number: wanted["dialogues"][number] for number in numbers}}


@pytest.mark.parametrize("model", GOLDEN)
def test_every_score_is_the_papers(
    whole_release: Path, dialogues: tuple[Dialogue, ...], model: str
) -> None:
    with paused_collection():
        outputs = load_outputs(whole_release / "outputs" / model)
        scores = score_outputs(dialogues, outputs, OfficialScorer())
    golden = _golden(model, dialogues)
    found = json.loads(scores.model_dump_json(include=set(golden)))
    numbers, wanted = dict(_flat(found)), dict(_flat(golden))
    assert len(wanted) > 5_000
    assert numbers.keys() == wanted.keys()
    assert not [path for path in wanted if not _is_close(numbers[path], wanted[path])]
    coverage = scores.coverage
    assert coverage.questions == coverage.answered
    assert (coverage.missing, coverage.failed, coverage.surplus) == (0, {}, 0)
    if ALL:
        row = compare(model, scores.by_dialogue, DIALOGUES)
        assert [cell.finding for cell in row] == ["equal"] * 4


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, float | None]]:
    """Every number with the way to it, so that none can be missing or too many."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _flat(part, f"{path}/{key}")
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from _flat(part, f"{path}/{at}")
    else:
        yield path, value


def _is_close(number: float | None, wanted: float | None) -> bool:
    if number is None or wanted is None:
        return number is wanted
    return abs(number - wanted) <= 1e-12
