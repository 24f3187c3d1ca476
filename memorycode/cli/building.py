"""Commands for those who build a memory of their own: check, new-strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from memorycode.cli.shared import FAILED, Json, print_json


def check(
    strategy: Annotated[
        str,
        typer.Argument(metavar="SPEC", help="NAME[:key=value,…] or module:Class[:key=value,…]."),
    ],
    model: Annotated[
        Optional[str],
        typer.Option(
            help="A model for strategies that ask one, in place of the stand-in; openai/NAME gets "
            "over a thousand calls."
        ),
    ] = None,
    embedder: Annotated[
        Optional[str],
        typer.Option(help="sentence-transformers model or folder, in place of the stand-in."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Time for each check.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(help="For all that is random.")] = 0,
    as_json: Json = False,
) -> None:
    """Check in seconds that a memory strategy does what a run relies on.

    Exit status 1 if a check fails.
    """
    from memorycode.conformance.kit import check_strategy
    from memorycode.conformance.subject import Conditions
    from memorycode.reporting.conformance import announce, end_announcements, print_conformance

    conditions = Conditions(spec=strategy, model=model, embedder=embedder, seed=seed)
    try:
        report = check_strategy(conditions, timeout, told=announce)
    finally:
        end_announcements()
    if as_json:
        print_json(report.as_json())
    else:
        print_conformance(report)
    if not report.passed:
        raise typer.Exit(FAILED)


def new_strategy(
    name: Annotated[str, typer.Argument(help="Lower case, such as my_memory.")],
    out: Annotated[
        Optional[Path], typer.Option(help="The folder to make. Default: NAME, here.")
    ] = None,
) -> None:
    """Write a small package with a memory strategy of your own, its test, and what to do next."""
    from memorycode.scaffold import write_package

    folder = write_package(name, out or Path(name))
    print(f"{folder}: a package with the strategy {name}; its README.md says how to go on")
