"""The command figures, and the figures that an experiment ends with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Optional

import typer

from memorycode.cli.options import Latex, Prices
from memorycode.cli.shared import Json, print_json
from memorycode.errors import UsageError

if TYPE_CHECKING:
    from memorycode.dialogue import Dialogue
    from memorycode.experiment import Experiment
    from memorycode.results.figures.evidence import Evidence
    from memorycode.results.figures.series import Series
    from memorycode.results.summary import RunReport
    from memorycode.running.execution import Execution

FOLDER = "figures"
"""Where figures lie in a run's folder."""

_CLONE = "MemoryCode"
"""The folder that a clone of the release has by default."""


class Drawn(NamedTuple):
    """A series and the files that it was written to."""

    series: Series
    files: list[Path]


def figures(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN…", help="Folders of runs; several are shown side by side."),
    ],
    figure: Annotated[
        Optional[list[str]],
        typer.Option(help="Which, by name; repeatable. Default: by_sessions."),
    ] = None,
    out: Annotated[
        Optional[Path],
        typer.Option(help="Folder for the files. Default: figures in the first RUN."),
    ] = None,
    latex: Latex = False,
    prices: Prices = None,
    as_json: Json = False,
) -> None:
    """Draw figures from runs: SVG, PDF, PNG, and their numbers as CSV.

    The paper's: dataset, settings, by_sessions, by_update_rank, by_instruction, by_update. Ours:
    ladder, attribution, after_update, pareto, position, interaction, stability.
    """
    from memorycode.prices import load_prices
    from memorycode.results.figures.catalogue import figure_named
    from memorycode.results.figures.evidence import from_runs

    names = figure or ["by_sessions"]
    for name in names:
        figure_named(name)
    evidence = from_runs(runs, load_prices(prices))
    _tell(_draw(names, evidence, out or runs[0] / FOLDER), latex=latex, as_json=as_json)


def needs_no_answers(experiment: Experiment) -> bool:
    """Whether the experiment's figures are all about its dialogues, so that nobody need be asked.

    Raises `UsageError` for a figure that does not exist."""
    if not experiment.figures:
        return False
    from memorycode.results.figures.catalogue import figure_named

    return {figure_named(name).needs for name in experiment.figures} == {"dialogues"}


def draw_without_a_run(
    experiment: Experiment,
    name: str | None,
    outputs: Sequence[Path],
    out: Path | None,
    *,
    latex: bool,
    as_json: bool,
) -> None:
    """Draw an experiment's figures from recorded outputs, or from its dialogues alone.

    Args:
        experiment: names the figures.
        name: the experiment's, which names the folder where there is no `out`.
        outputs: folders of recorded outputs, or of models that have some.
        out: the folder to draw into.
        latex: print the numbers as LaTeX tables.
        as_json: print them as JSON.

    Raises:
        UsageError: it has no figures, or one that recorded outputs do not hold.
    """
    _check_drawable(experiment)
    evidence = _evidence(experiment, [folder for one in outputs for folder in _models(one)])
    folder = out or Path("runs") / f"{Path(name).stem if name else 'figures'}-recorded"
    _tell(_draw(experiment.figures, evidence, folder / FOLDER), latex=latex, as_json=as_json)


def draw_runs(
    experiment: Experiment, reports: Sequence[RunReport], execution: Execution
) -> list[Drawn]:
    """Draw an experiment's figures from its runs, into the run's folder."""
    if not experiment.figures:
        return []
    from memorycode.prices import load_prices
    from memorycode.results.figures.evidence import from_runs

    folders = [Path(report.folder) for report in reports]
    evidence = from_runs(folders, load_prices(execution.prices))
    return _draw(experiment.figures, evidence, (execution.out or folders[0]) / FOLDER)


def print_drawn(drawn: Sequence[Drawn], *, latex: bool) -> None:
    """Each series as a table, for the terminal or for LaTeX, and its files."""
    from memorycode.figures.files import HINT, can_convert
    from memorycode.figures.latex import latex as as_latex
    from memorycode.reporting.series import print_series

    for series, files in drawn:
        if latex:
            print(as_latex(series), end="")
        else:
            print_series(series, files)
    if drawn and not latex and not can_convert():
        print(HINT)


def series_json(drawn: Sequence[Drawn]) -> dict[str, Any]:
    """What `--json` says of figures; nothing where there are none."""
    if not drawn:
        return {}
    return {
        "figures": {
            series.name: {
                "title": series.title,
                "rows": series.records(),
                "notes": series.notes,
                "files": list(map(str, files)),
            }
            for series, files in drawn
        }
    }


def _tell(drawn: Sequence[Drawn], *, latex: bool, as_json: bool) -> None:
    if as_json:
        print_json(series_json(drawn))
    else:
        print_drawn(drawn, latex=latex)


def _draw(names: Sequence[str], evidence: Evidence, folder: Path) -> list[Drawn]:
    from memorycode.figures.files import write_series
    from memorycode.results.figures.catalogue import figure_named

    found = [figure_named(name).compute(evidence) for name in names]
    return [Drawn(series, write_series(series, folder)) for series in found]


def _check_drawable(experiment: Experiment) -> None:
    from memorycode.results.figures.catalogue import FIGURES, figure_named

    if not experiment.figures:
        possible = ", ".join(name for name, figure in FIGURES.items() if figure.needs == "answers")
        raise UsageError(
            f"--replay draws the figures of an experiment, and this one names none; figures from "
            f"recorded outputs are {possible}"
        )
    for name in experiment.figures:
        if figure_named(name).needs == "runs":
            raise UsageError(
                f"{name} asks what was recalled and what it took, which recorded outputs do not "
                "say; run the experiment with --model replay/DIR instead of --replay DIR"
            )


def _evidence(experiment: Experiment, outputs: Sequence[Path]) -> Evidence:
    from memorycode.results.figures.catalogue import figure_named
    from memorycode.results.figures.evidence import Evidence, from_outputs
    from memorycode.sources import dialogues_for

    if not outputs:
        return Evidence(dialogues_for(experiment))
    found = [figure_named(name) for name in experiment.figures]
    return from_outputs(
        _recorded_dialogues(experiment, outputs),
        outputs,
        settings=tuple(dict.fromkeys(s for figure in found for s in figure.settings)),
        scorers=tuple(dict.fromkeys(figure.scorer for figure in found)),
        workers=os.cpu_count() or 1,
    )


def _models(folder: Path) -> list[Path]:
    """The folder itself, or those below it that hold recorded outputs, where it holds none."""
    from memorycode.datasets.outputs import holds_outputs

    if not folder.is_dir() or holds_outputs(folder):
        return [folder]
    found = sorted(f for f in folder.glob("*/") if holds_outputs(f))
    return found or [folder]


def _recorded_dialogues(experiment: Experiment, outputs: Sequence[Path]) -> tuple[Dialogue, ...]:
    """The dialogues that were asked about: as the experiment says, or of the clone that the outputs
    lie in, or of one that lies here.

    Raises `UsageError` where the outputs lie in no clone or in several, and `DatasetError` for a
    folder without outputs."""
    from memorycode.datasets.outputs import output_files
    from memorycode.sources import dialogues_for

    for folder in outputs:
        output_files(folder)
    if experiment.dataset is not None:
        return dialogues_for(experiment)
    around = [place for folder in outputs for place in folder.resolve().parents[1:2]]
    clones = [place for place in dict.fromkeys(around) if _is_clone(place)]
    if len(clones) > 1:
        raise UsageError(
            f"recorded outputs of which dialogues, {' or '.join(map(str, clones))}? Say --dataset"
        )
    for clone in (*clones, Path(_CLONE)):
        if _is_clone(clone):
            return dialogues_for(experiment.with_options(dataset=str(clone)))
    raise UsageError(
        f"{outputs[0]}: recorded outputs of which dialogues? Say --dataset, the folder with "
        "dialogue_N.json"
    )


def _is_clone(folder: Path) -> bool:
    return (folder / "dataset").is_dir()
