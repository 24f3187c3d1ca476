"""The command that measures retrieval without a model: retrieve."""

from __future__ import annotations

from typing import Annotated, Any, Optional

import typer

from memorycode.ablation.grid import Grid, load_grid, make_grid
from memorycode.ablation.options import RetrievalOptions
from memorycode.cli.options import with_options
from memorycode.cli.shared import Json, print_json
from memorycode.experiment import Experiment
from memorycode.options import given_of
from memorycode.plugin_process import stdout_to_stderr


@with_options(Grid, RetrievalOptions)
def retrieve(
    grid: Annotated[
        Optional[str],
        typer.Option(help="A TOML file with a table [grid], or the name of a shipped experiment."),
    ] = None,
    *,
    as_json: Json = False,
    **options: Any,
) -> None:
    """Measure retrieval without asking any model: every combination of the lists given.

    Each question that is asked after a dialogue's last session is searched for, and what is found
    is held against the gold labels: sessions with instructions, rules in force, old versions.
    """
    from memorycode.ablation.job import measure_grid
    from memorycode.reporting.progress import GridProgress
    from memorycode.reporting.retrieval import print_cells
    from memorycode.sources import dialogues_for

    lists = {name: tuple(values) for name, values in given_of(Grid, options).items()}
    chosen = (load_grid(grid) if grid else make_grid({})).with_options(**lists)
    how = RetrievalOptions.model_validate(given_of(RetrievalOptions, options))
    dialogues = dialogues_for(Experiment().with_options(dataset=how.dataset, limit=how.limit))
    with stdout_to_stderr(), GridProgress() as progress:
        cells = measure_grid(
            dialogues,
            chosen,
            embedder=how.embedder,
            workers=how.workers,
            out=how.out,
            progress=progress,
        )
    if as_json:
        print_json([cell.as_json() for cell in cells])
    else:
        print_cells(cells)
