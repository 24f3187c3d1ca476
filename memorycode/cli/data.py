"""Commands on data sets: generate, audit, dataset export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from memorycode.cli.options import with_options
from memorycode.cli.shared import FAILED, INTERRUPTED, Json, print_json
from memorycode.generation.options import GenerationOptions
from memorycode.options import given_of
from memorycode.plugin_process import stdout_to_stderr

DatasetPath = Annotated[
    Path,
    typer.Argument(
        metavar="DATASET",
        help="Folder of dialogue_N.json, a clone's root, one file, or rows (.parquet, .jsonl).",
    ),
]


@with_options(GenerationOptions)
def generate(
    out: Annotated[Path, typer.Option(help="The folder to write; gone on with if it exists.")],
    *,
    workers: Annotated[int, typer.Option(min=1, max=1000, help="Processes.")] = 1,
    **options: Any,
) -> None:
    """Generate a fresh benchmark in the release's layout.

    The same seed gives the same bytes; a dialogue does not depend on how many others there are.
    """
    given = given_of(GenerationOptions, options)
    try:
        from memorycode.generation.job import generate_folder
        from memorycode.reporting.generation import print_generated
        from memorycode.reporting.progress import GenerationProgress

        with stdout_to_stderr(), GenerationProgress() as progress:
            made = generate_folder(out, workers=workers, progress=progress, **given)
    except KeyboardInterrupt:
        print("memorycode: stopped; the same command goes on from here", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    print_generated(made)
    if made.failed:
        raise typer.Exit(FAILED)


def audit(dataset: DatasetPath, as_json: Json = False) -> None:
    """Say what is wrong with a data set, and its ceiling.

    Of data that was generated to be paraphrased or implicit, rules that the text merely hints at
    are told from those that it lacks (docs/audit.md).
    """
    from memorycode.audit import audit_dataset
    from memorycode.reporting.audit import print_audit

    report = audit_dataset(dataset)
    if as_json:
        print_json(report.as_json())
    else:
        print_audit(report)


dataset_app = typer.Typer(
    help="Data sets: export.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@dataset_app.callback()
def _dataset_commands() -> None:
    """With a single command a group would be that command."""


@dataset_app.command()
def export(
    dataset: DatasetPath,
    out: Annotated[Path, typer.Option(help="A new folder for the parquet file and its card.")],
) -> None:
    """Write a data set as parquet with a card."""
    from memorycode.datasets import load_dataset, write_parquet

    print(write_parquet(load_dataset(dataset), out))
