"""The command that compares runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from memorycode.cli.rescoring import Scorers, further_scorers
from memorycode.cli.shared import Json, print_json


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of runs; with one, its own strategies."),
    ],
    baseline: Annotated[
        Optional[str],
        typer.Option(
            metavar="STRATEGY",
            help="What all others are compared with, as tables name it; the first row of that "
            "name. Default: the first row of the first run.",
        ),
    ] = None,
    pairs: Annotated[
        Literal["baseline", "same", "all"],
        typer.Option(
            help="Compare all rows with the baseline, each strategy with itself in the first run "
            "or model that has it, or all with all."
        ),
    ] = "baseline",
    flips: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="List up to N flipped questions each way."),
    ] = 10,
    scorer: Scorers = None,
    as_json: Json = False,
) -> None:
    """Compare strategies, in one run or across runs, on the same dialogues.

    Tells, per scorer and for short and long histories: the difference of the mean scores with its
    95 % interval, the p-value of a paired test with Holm's correction, an effect size, the
    dialogues won, lost and tied, and the questions that flipped. With few dialogues it says that
    they are too few to tell. Questions that failed in either are left out of the pair and counted.

    A row is a strategy with a model in a run. `compare RUN` compares a run's strategies with its
    first one; `compare OLD NEW --pairs same` tells what a change did to each of them.
    """
    from memorycode.reporting.comparison import print_comparison
    from memorycode.results.compare import compare_runs

    further = further_scorers(runs, scorer or ())
    found = compare_runs(runs, baseline=baseline, pairing=pairs, further=further)
    if as_json:
        print_json(found.as_json())
    else:
        print_comparison(found, flips)
