"""The command that measures retrieval without a model: retrieve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from memorycode.cli.shared import Json, print_json
from memorycode.plugin_process import stdout_to_stderr


def retrieve(
    dataset: Annotated[
        Optional[str],
        typer.Option(help="dialogue_N.json files, a clone, or rows. Default: generated."),
    ] = None,
    retriever: Annotated[
        Optional[list[str]],
        typer.Option(help="NAME[:key=value;…] or module:Class; repeatable. Default: bm25."),
    ] = None,
    query: Annotated[
        Optional[list[str]],
        typer.Option(
            help="task, guidelines, vocabulary, task+guidelines, objects or multi; repeatable."
        ),
    ] = None,
    unit: Annotated[
        Optional[list[str]],
        typer.Option(help="session, exchange, turn or window:N (tokens); repeatable."),
    ] = None,
    k: Annotated[
        Optional[list[str]],
        typer.Option(
            help="A number, a share (20%), a size (2000tokens), score-gap, or dynamic (the "
            "paper's); repeatable."
        ),
    ] = None,
    speaker: Annotated[
        Optional[list[str]], typer.Option(help="all or mentor: whose turns; repeatable.")
    ] = None,
    grid: Annotated[
        Optional[str],
        typer.Option(help="A TOML file with a table [grid], or the name of a shipped experiment."),
    ] = None,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Only the first N dialogues.")] = None,
    embedder: Annotated[
        Optional[str],
        typer.Option(help="sentence-transformers model or folder. Default: all-MiniLM-L6-v2."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 2,
    out: Annotated[
        Optional[Path],
        typer.Option(help="Keep the rankings here; rag:retriever=kept:folder=… replays them."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure retrieval without asking any model: every combination of the lists given.

    Each question that is asked after a dialogue's last session is searched for, and what is found
    is held against the gold labels: sessions with instructions, rules in force, old versions.
    """
    from memorycode.ablation.grid import load_grid, make_grid
    from memorycode.ablation.job import measure_grid
    from memorycode.experiment import Experiment
    from memorycode.reporting.progress import GridProgress
    from memorycode.reporting.retrieval import print_cells
    from memorycode.sources import dialogues_for

    lists = {"retriever": retriever, "query": query, "unit": unit, "k": k, "speaker": speaker}
    chosen = (load_grid(grid) if grid else make_grid({})).with_options(
        **{name: tuple(values or ()) for name, values in lists.items()}
    )
    dialogues = dialogues_for(Experiment().with_options(dataset=dataset, limit=limit))
    with stdout_to_stderr(), GridProgress() as progress:
        cells = measure_grid(
            dialogues, chosen, embedder=embedder, workers=workers, out=out, progress=progress
        )
    if as_json:
        print_json([cell.as_json() for cell in cells])
    else:
        print_cells(cells)
