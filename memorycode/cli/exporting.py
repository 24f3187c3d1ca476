"""The command that hands runs to other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, Optional

import typer

from memorycode.cli.options import Prices
from memorycode.cli.rescoring import Scorers, further_scorers
from memorycode.errors import UsageError


def export(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders of runs; one after the other.")
    ],
    level: Annotated[
        Literal["rules", "questions", "strategies"],
        typer.Option(help="A row for each rule of each answer, each answer, or each strategy."),
    ] = "questions",
    form: Annotated[
        Literal["csv", "jsonl", "parquet"], typer.Option("--format", help="How to write it.")
    ] = "csv",
    out: Annotated[
        Optional[Path],
        typer.Option(metavar="FILE", help="The file to write. Default: standard output."),
    ] = None,
    scorer: Scorers = None,
    prices: Prices = None,
) -> None:
    """Write runs as a table for other tools: rules, questions or strategies by row.

    docs/export.md says what each column means. Data sets are written by `memorycode dataset
    export`.
    """
    from memorycode.prices import load_prices
    from memorycode.results.export import joined, print_table, write_table
    from memorycode.results.read import read_runs

    for run in runs:
        _refuse_dataset(run)
    known_prices = load_prices(prices)
    further = further_scorers(runs, scorer or ())
    table = joined([run.table(level, known_prices, further) for run in read_runs(runs)])
    if out is not None:
        write_table(table, out, form)
        print(out)
    elif form == "parquet":
        raise UsageError("--format parquet writes a file: say which by --out FILE")
    else:
        print_table(table, sys.stdout, form)


def _refuse_dataset(path: Path) -> None:
    """Earlier versions wrote data sets by this command."""
    from memorycode.datasets.loading import is_data_file
    from memorycode.datasets.release import holds_release

    is_rows = path.is_file() and is_data_file(path)
    if is_rows or (path.is_dir() and holds_release(path)) or (path / "dataset").is_dir():
        raise UsageError(
            f"{path}: is a data set and no run; `memorycode dataset export {path} --out FOLDER` "
            "writes it as parquet"
        )
