"""The paper's Table 4 beside what recorded outputs score here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from memorycode.datasets import load_dataset
from memorycode.datasets.outputs import RecordedDialogue, load_outputs
from memorycode.dialogue import Dialogue
from memorycode.errors import DatasetError, UsageError
from memorycode.frozen import Frozen
from memorycode.results.answers import COLUMN_SETTINGS, COLUMNS, Column
from memorycode.results.garbage_collection import paused_collection
from memorycode.results.means import Estimate
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
    "Meta-Llama-3.1-8B-Instruct-Turbo": "71.7±1.35 36.3±1.36 23.6±1.94 12.5±0.50",
    "Meta-Llama-3.1-70B-Instruct-Turbo": "92.3±0.66 88.8±0.85 64.4±2.34 12.7±0.60",
    "Meta-Llama-3.1-405B-Instruct-Turbo": "95.2±0.51 90.2±0.65 70.8±2.02 20.9±0.88",
    "command-r-plus": "89.1±0.72 66.3±1.29 40.5±2.47 11.4±0.58",
    "gpt-4o": "94.5±0.57 93.5±0.56 79.6±1.67 30.5±1.31",
    "command-a-03-2025": "93.4 90.5 73.7 28.1",
    "DeepSeek-V3": "100.0 95.9 79.4 26.4",
    "DeepSeek-R1": "96.1 95.5 85.9 41.3",
}
"""Mean and standard error per column (arXiv 2502.13791), by folder of recorded outputs.

Folders are named as the release's script names them, by the last part of the model's name at its
endpoint. The release has outputs of the first five; the means of the others are known without
their errors.
"""

PUBLISHED_MODELS = tuple(_ROWS)

Finding = Literal["equal", "differs", "consistent", "inconsistent", "nothing recorded"]

_TOO_FAR = 3.0
"""Standard errors beyond which a part of the data does not fit the published mean."""

_ROUNDING = 0.1 / math.sqrt(12)
"""The standard error that a mean has from being printed to one digit."""


class PublishedCell(Frozen):
    """One cell of Table 4. Means and errors in per cent, as the paper prints them.

    `published_se` is None where it is not known. `dialogues` counts those with recorded answers,
    `scored` those of them that the mean is over: a dialogue whose answers have no object of its
    rules has nothing to average, in the paper too.

    With all dialogues recorded a cell is ``equal`` or ``differs``, to the printed digits. With a
    part of them it can only be ``consistent`` or not: `deviation` is the difference of the means in
    standard errors of what leaving the others out may do.
    """

    model: str
    column: Column
    published: float
    published_se: float | None
    mean: float | None
    se: float | None
    dialogues: int
    scored: int
    deviation: float | None
    finding: Finding

    @property
    def agrees(self) -> bool:
        """Whether the paper's figure is borne out, as far as these dialogues can show."""
        return self.finding in ("equal", "consistent")


class Verification(Frozen):
    """The cells of the table that could be compared, and what was left out.

    `unknown_folders` are those beside the published models' that are no published model's,
    `absent_models` the published models without a folder.
    """

    cells: tuple[PublishedCell, ...]
    unknown_folders: tuple[str, ...] = ()
    absent_models: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        return all(cell.agrees for cell in self.cells)


class _Published(NamedTuple):
    """A mean of the table and its standard error, None where it is not known."""

    mean: float
    se: float | None


def verify(dataset: Path, outputs: Path) -> Verification:
    """Compare the rows of all published models below `outputs`, or of the one whose folder it is.

    Raises `UsageError` where there is none, `DatasetError` for files that are not as they should
    be.
    """
    with paused_collection():
        dialogues, scorer = load_dataset(dataset), OfficialScorer()
        for alone in (outputs, outputs.resolve()):  # "." has another name too
            if alone.name in PUBLISHED_MODELS:
                return Verification(cells=_row(alone, dialogues, scorer))
        present, unknown = _folders(outputs)
        rows = [_row(folder, dialogues, scorer) for folder in present]
    names = {folder.name for folder in present}
    return Verification(
        cells=tuple(cell for row in rows for cell in row),
        unknown_folders=unknown,
        absent_models=tuple(name for name in PUBLISHED_MODELS if name not in names),
    )


def compare(
    model: str, scores: Mapping[Column, Estimate], recorded: Mapping[Column, int]
) -> tuple[PublishedCell, ...]:
    """The model's row of the table, with the number of dialogues recorded for each column.

    Raises `KeyError` for a model that has none, `UsageError` for more dialogues than the paper has.
    """
    row = zip(COLUMNS, _ROWS[model].split(), strict=True)
    return tuple(
        _cell(model, column, _published(text), scores[column], recorded[column])
        for column, text in row
    )


def _row(
    folder: Path, dialogues: Iterable[Dialogue], scorer: OfficialScorer
) -> tuple[PublishedCell, ...]:
    outputs = load_outputs(folder)
    scores = score_outputs(dialogues, outputs, scorer).by_dialogue
    recorded = {column: _count_recorded(column, dialogues, outputs) for column in COLUMNS}
    return compare(folder.name, scores, recorded)


def _folders(outputs: Path) -> tuple[list[Path], tuple[str, ...]]:
    """The published models' folders in the table's order, and the names of all others."""
    if not outputs.is_dir():
        raise DatasetError("no such folder of recorded outputs", file=outputs)
    there = {path.name: path for path in outputs.iterdir() if path.is_dir()}
    present = [there[name] for name in PUBLISHED_MODELS if name in there]
    unknown = tuple(sorted(there.keys() - set(PUBLISHED_MODELS)))
    if not present:
        found = f" but {', '.join(unknown)}" if unknown else ""
        raise UsageError(
            f"{outputs}: no outputs of a published model here{found}; the folders are named "
            f"{', '.join(PUBLISHED_MODELS)}"
        )
    return present, unknown


def _count_recorded(
    column: Column, dialogues: Iterable[Dialogue], outputs: Mapping[int, RecordedDialogue]
) -> int:
    """The dialogues of the column that have an answer recorded."""
    setting = COLUMN_SETTINGS[column]
    numbered = ((d, outputs.get(d.number)) for d in dialogues if _is_in(column, d))
    return sum(
        recorded is not None
        and any(recorded.answers(setting, at) for at in range(len(dialogue.sessions)))
        for dialogue, recorded in numbered
    )


def _is_in(column: Column, dialogue: Dialogue) -> bool:
    if COLUMN_SETTINGS[column] != "history":
        return True
    return dialogue.is_short == (column == "short_history")


def _published(text: str) -> _Published:
    mean, _, se = text.partition("±")
    return _Published(mean=float(mean), se=float(se) if se else None)


def _cell(
    model: str, column: Column, published: _Published, here: Estimate, recorded: int
) -> PublishedCell:
    if recorded > DIALOGUES[column]:
        raise UsageError(
            f"{model}: {recorded} dialogues in the column {column}; "
            f"the paper has {DIALOGUES[column]}"
        )
    mean = None if here.mean is None else 100 * here.mean
    se = None if here.se is None else 100 * here.se
    deviation = None
    finding: Finding = "nothing recorded"
    if mean is not None and recorded == DIALOGUES[column]:
        finding = "equal" if _is_printed_alike(mean, se, published) else "differs"
    elif mean is not None:
        spread = _spread(_standard_deviation(published, se, here.n, column), here.n, column)
        deviation = (mean - published.mean) / spread
        finding = "consistent" if abs(deviation) <= _TOO_FAR else "inconsistent"
    return PublishedCell(
        model=model,
        column=column,
        published=published.mean,
        published_se=published.se,
        mean=mean,
        se=se,
        dialogues=recorded,
        scored=here.n,
        deviation=deviation,
        finding=finding,
    )


def _is_printed_alike(mean: float, se: float | None, published: _Published) -> bool:
    """To the paper's digits; where its error is not known, the mean alone."""
    if f"{mean:.1f}" != f"{published.mean:.1f}":
        return False
    return published.se is None or (se is not None and f"{se:.2f}" == f"{published.se:.2f}")


def _standard_deviation(published: _Published, se: float | None, n: int, column: Column) -> float:
    """Of the dialogues' scores: the paper's, else that of the n at hand, else the largest that
    scores from 0 to 100 with the published mean can have."""
    if published.se is not None:
        return published.se * math.sqrt(DIALOGUES[column])
    if se is not None:
        return se * math.sqrt(n)
    return math.sqrt(published.mean * (100 - published.mean))


def _spread(deviation: float, n: int, column: Column) -> float:
    """The standard error of the mean of n dialogues of the column about the printed mean of all."""
    left_out = deviation * math.sqrt(1 / n - 1 / DIALOGUES[column])
    return math.hypot(left_out, _ROUNDING)
