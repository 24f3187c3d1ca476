"""The paper's Table 4 beside what recorded outputs score here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import read_outputs
from memorycode.errors import UsageError
from memorycode.frozen import Frozen
from memorycode.results.metrics import COLUMNS, Column, Estimate
from memorycode.results.recorded_scores import score_outputs
from memorycode.scoring.official import OfficialScorer

DIALOGUES: Mapping[Column, int] = {
    "instruction": 360,
    "session": 360,
    "short_history": 210,
    "long_history": 150,
}
"""Over how many dialogues each column of the table is."""

_ROWS: Mapping[str, str] = {
    "Meta-Llama-3.1-8B-Instruct-Turbo": "71.7 1.35  36.3 1.36  23.6 1.94  12.5 0.50",
    "Meta-Llama-3.1-70B-Instruct-Turbo": "92.3 0.66  88.8 0.85  64.4 2.34  12.7 0.60",
    "command-r-plus": "89.1 0.72  66.3 1.29  40.5 2.47  11.4 0.58",
}
"""Mean and standard error per column (arXiv 2502.13791v2), by the release's folder names."""

PUBLISHED_MODELS = tuple(_ROWS)

Finding = Literal["equal", "differs", "consistent", "inconsistent", "nothing recorded"]

_TOO_FAR = 3.0
"""Standard errors beyond which a part of the data does not fit the published mean."""


class Cell(Frozen):
    """One cell of Table 4. Means and errors in per cent, as the paper prints them.

    With all dialogues a cell is ``equal`` or ``differs``, to the printed digits. With a part of
    them it can only be ``consistent`` or not: `deviation` is the difference of the means in
    standard errors of what leaving the others out may do.
    """

    model: str
    column: Column
    published: float
    published_se: float
    mean: float | None
    se: float | None
    dialogues: int
    deviation: float | None
    finding: Finding

    @property
    def agrees(self) -> bool:
        """Whether the paper's figure is borne out, as far as these dialogues can show."""
        return self.finding in ("equal", "consistent")


def verify(dataset: Path, outputs: Path) -> list[Cell]:
    """The rows of every published model that `outputs` has answers of, or is a folder of.

    Raises `UsageError` where there is none, `DatasetError` for files that are not as they should
    be.
    """
    dialogues, scorer = load_dataset(dataset), OfficialScorer()
    cells = []
    for folder in _folders(outputs):
        scores = score_outputs(dialogues, read_outputs(folder), scorer)
        cells += compare(folder.name, scores.by_dialogue)
    return cells


def compare(model: str, scores: Mapping[Column, Estimate]) -> list[Cell]:
    """The model's row of the table. Raises `KeyError` for a model that has none."""
    numbers = [float(number) for number in _ROWS[model].split()]
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return [
        _cell(model, column, *pair, scores[column])
        for column, pair in zip(COLUMNS, pairs, strict=True)
    ]


def _folders(outputs: Path) -> list[Path]:
    """The folder itself if it is a published model's, else those below it that are."""
    if outputs.name in PUBLISHED_MODELS:
        return [outputs]
    found = [outputs / name for name in PUBLISHED_MODELS if (outputs / name).is_dir()]
    if not found:
        raise UsageError(
            f"{outputs}: no outputs of a published model here; the folders are named "
            f"{', '.join(PUBLISHED_MODELS)}"
        )
    return found


def _cell(model: str, column: Column, published: float, error: float, here: Estimate) -> Cell:
    mean = None if here.mean is None else 100 * here.mean
    se = None if here.se is None else 100 * here.se
    deviation = None
    finding: Finding = "nothing recorded"
    if here.n > DIALOGUES[column]:
        raise UsageError(
            f"{model}: {here.n} dialogues in the column {column}; the paper has {DIALOGUES[column]}"
        )
    if mean is not None:
        if here.n == DIALOGUES[column]:
            same = f"{mean:.1f} {se or 0:.2f}" == f"{published:.1f} {error:.2f}"
            finding = "equal" if same else "differs"
        else:
            deviation = (mean - published) / _spread(error, here.n, DIALOGUES[column])
            finding = "consistent" if abs(deviation) <= _TOO_FAR else "inconsistent"
    return Cell(
        model=model,
        column=column,
        published=published,
        published_se=error,
        mean=mean,
        se=se,
        dialogues=here.n,
        deviation=deviation,
        finding=finding,
    )


def _spread(error: float, n: int, of: int) -> float:
    """The standard error of the mean of n dialogues drawn from `of`, about the mean of all."""
    deviation = error * math.sqrt(of)
    return deviation * math.sqrt(1 / n - 1 / of)
